// Package trace reads traces of operations from other programs: tables of rows (package rows), and the
// formats of cache traces. It reads them block by block, so files may be of any size.
package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/workloads/rows"
)

// Options say how to read a trace.
type Options struct {
	rows.Layout // its Format is one of Formats
	Columns
	Decimals             int           // of values, as in rows.Column
	Unit                 time.Duration // of times; 0: a second
	Default              string        // the operation, without a column for it
	Verbs                map[string]string
	KeyWidth, ValueWidth int    // bytes
	Text                 bool   // whole numbers are hashed as texts
	Limit                uint64 // rows to read; 0: all
}

// Columns are the names of columns; in files without names, numbers from 1. Cache traces have their own.
type Columns struct {
	Key             string // or several that share the bits of a key: src,dst
	Op, Value, Time string
	Count           string // how often the row's operation is repeated
}

// Row is an operation.
type Row struct {
	Op         string
	Key, Value uint64
	Time       time.Duration // since the first row
}

// repeated is a row of the file, and how often it comes.
type repeated struct {
	Row
	times uint64
}

// Reader reads a trace.
type Reader struct {
	opt    Options
	table  *rows.Reader
	at     [4]int     // of op, value, time and count among the cells, -1 without such a column
	row    repeated   // the last one
	number uint64     // of the last row
	block  []repeated // those that All has not returned
	rows   uint64     // returned
	first  float64
	timed  bool
	keys   rows.Keys
}

// layout is a format whose columns are known.
type layout struct {
	of       rows.Layout
	columns  Columns
	optional string // a column that some files lack
	unit     time.Duration
}

// layouts are the formats of cache traces. The size of a value is the value.
var layouts = map[string]layout{
	"oracle-general": {columns: Columns{Key: "id", Value: "size", Time: "time"}},
	"lcs":            {columns: Columns{Key: "id", Op: "op", Value: "size", Time: "time"}, optional: "op"},
	"twr":            {columns: Columns{Key: "id", Op: "op", Value: "size", Time: "time"}},
	"vscsi":          {columns: Columns{Key: "id", Op: "op", Value: "size", Time: "time"}, unit: time.Microsecond},
	// Twitter's cache traces: timestamp, key, key size, value size, client, operation, TTL.
	"twitter": {of: rows.Layout{Format: "csv", Numbered: true}, columns: Columns{Key: "2", Op: "6", Value: "4", Time: "1"}},
	// Meta's: a row stands for several operations; the first years have no times.
	"kvcache": {of: rows.Layout{Format: "csv"}, columns: Columns{Key: "key", Op: "op", Value: "size", Time: "op_time", Count: "op_count"}, optional: "op_time"},
}

// Formats names the formats of traces: those of rows of numbers and texts, and those of cache traces.
func Formats() []string {
	list := slices.DeleteFunc(rows.Formats(), func(name string) bool { return strings.HasPrefix(name, "fast") })
	return lists.Add(list, slices.Sorted(maps.Keys(layouts))...)
}

// Open begins to read a file. Its extension decides the format unless the options do.
func Open(name string, f rows.File, opt Options) (*Reader, error) {
	opt.Format = cmp.Or(opt.Format, rows.FormatOf(name))
	if err := opt.check(name); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r := &Reader{opt: opt, keys: rows.Keys{Width: opt.KeyWidth, Loose: true, TextHint: "--text", WideHint: "--pair k8v8"}}
	if opt.Text {
		r.keys.As = rows.AsText
	}
	its, fixed := layouts[opt.Format]
	its = lists.Either(fixed, its, layout{of: opt.Layout, columns: opt.Columns})
	r.opt.Unit = cmp.Or(its.unit, opt.Unit, time.Second)
	of, err := r.columns(its)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	of.Format = cmp.Or(of.Format, opt.Format)
	of.Delimiter, of.Comment = opt.Delimiter, opt.Comment
	r.table, err = rows.Open(name, f, of)
	return r, err
}

// columns adds the columns to read: those of the key come first.
func (r *Reader) columns(its layout) (rows.Options, error) {
	of, err := rows.Options{Layout: its.of}, error(nil)
	if of.Columns, err = r.keys.Columns(its.columns.Key, 0); err != nil {
		return of, err
	}
	c := its.columns
	for i, column := range []rows.Column{{Name: c.Op}, {Name: c.Value, Reals: true, Scaled: true, Decimals: r.opt.Decimals}, {Name: c.Time, Reals: true}, {Name: c.Count, Reals: true}} {
		if r.at[i] = -1; column.Name != "" {
			r.at[i] = len(of.Columns)
			column.Optional = column.Name == its.optional
			of.Columns = append(of.Columns, column)
		}
	}
	return of, nil
}

func (opt Options) check(name string) error {
	switch _, fixed := layouts[opt.Format]; {
	case opt.Format == "":
		return rows.NoFormat(name, "--format", Formats())
	case !slices.Contains(Formats(), opt.Format):
		return nearest.Unknown("format", opt.Format, Formats())
	case fixed && opt.Columns != Columns{}:
		return fmt.Errorf("format %s has its own columns, none can be named", opt.Format)
	case !fixed && opt.Key == "":
		return errors.New("the column of the keys is not named; hint: --key NAME")
	}
	return nil
}

// readers read the cells of a row besides the key. given says whether the trace has the column.
var readers = [...]func(r *Reader, c rows.Cell, given bool) error{(*Reader).op, (*Reader).value, (*Reader).time, (*Reader).count}

// All reads all rows, and yields the error at which that ends. A row with a number of repetitions comes as often.
func (r *Reader) All() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		done := func(rows.Part) error {
			for _, row := range r.block {
				for range row.times {
					if r.rows++; !yield(row.Row, nil) {
						return io.EOF
					}
				}
			}
			r.block = r.block[:0]
			return nil
		}
		part := func(int) rows.Part { return r }
		most := cmp.Or(r.opt.Limit, math.MaxUint64) // a number of rows, so that only a few blocks are in memory
		if err := r.table.Make(rows.Parts{Rows: most, First: r.keys.First, New: part, Done: done}); err != nil {
			yield(Row{}, err)
		}
	}
}

// Take takes the rows of a block: a Reader is a rows.Part.
func (r *Reader) Take(cells []rows.Cell, width int) (at int, err error) {
	for from := 0; from < len(cells); from += width {
		if column, err := r.read(cells[from : from+width]); err != nil {
			return from + column, err
		}
		r.block = append(r.block, r.row)
	}
	return 0, nil
}

// read reads a row. An error comes with the column that it is about.
func (r *Reader) read(cells []rows.Cell) (column int, err error) {
	r.row = repeated{}
	r.number++
	if r.row.Key, column, err = r.keys.Key(cells); err != nil {
		return column, err
	}
	for i, read := range readers {
		at, cell := r.at[i], rows.Cell{}
		if at >= 0 {
			cell = cells[at]
		}
		if err := read(r, cell, at >= 0); err != nil {
			return max(at, 0), err
		}
	}
	return 0, nil
}

// value reads a whole number, cut to the width of a value; without a column, the row number.
func (r *Reader) value(c rows.Cell, given bool) error {
	r.row.Value = r.number - 1
	if given {
		var ok bool
		if r.row.Value, ok = c.Word(); !ok {
			return fmt.Errorf("value is %s: it takes a whole number", short(c))
		}
	}
	if r.opt.ValueWidth == 4 {
		r.row.Value &= math.MaxUint32
	}
	return nil
}

// time reads the time since the first row. Earlier times count as 0.
func (r *Reader) time(c rows.Cell, given bool) error {
	if !given || c.Kind == rows.Null && r.table.Columns[r.at[2]].Optional {
		return nil
	}
	at, ok := c.Float()
	if !ok {
		return fmt.Errorf("time is %s: it takes a number", short(c))
	}
	if !r.timed {
		r.first, r.timed = at, true
	}
	const longest = float64(100 * 365 * 24 * time.Hour)
	r.row.Time = time.Duration(min(longest, max(0, (at-r.first)*float64(r.opt.Unit))))
	return nil
}

func (r *Reader) count(c rows.Cell, given bool) (err error) {
	if r.row.times = 1; given {
		r.row.times, err = rows.Times(c)
	}
	return err
}

// Rows returns how many rows All has yielded.
func (r *Reader) Rows() uint64 { return r.rows }

// Remarks lists what the user should know about keys and values.
func (r *Reader) Remarks() []string { return append(r.keys.Remarks(), r.table.Remarks()...) }

// verbs maps the operations of cache traces. All writes do the work of upserts.
var verbs = map[string]string{
	"get": "find", "gets": "find", "read": "find", "lookup": "find", "query": "find", "get_lease": "find",
	"set": "upsert", "put": "upsert", "write": "upsert", "add": "upsert", "replace": "upsert", "cas": "upsert", "set_lease": "upsert",
	"append": "upsert", "prepend": "upsert", "incr": "upsert", "decr": "upsert",
	"delete": "erase", "remove": "erase", "del": "erase",
}

var ops = kernels.OpsThat(kernels.Operation.OnePair)

func (r *Reader) op(c rows.Cell, given bool) error {
	name := lists.Either(given && c.Kind != rows.Null, strings.ToLower(strings.TrimSpace(c.String())), r.opt.Default)
	if op, ok := r.opt.Verbs[name]; ok {
		name = op
	} else if op, ok := verbs[name]; ok {
		name = op
	}
	if r.row.Op = name; !slices.Contains(ops, name) {
		name = short(rows.Cell{Text: name})
		return fmt.Errorf("%w; hint: --verbs %s=find", nearest.Unknown("operation", name, ops), name)
	}
	return nil
}

// CheckOp refuses operations that a trace cannot have.
func CheckOp(name string) error { return nearest.Check("operation", name, ops) }

func short(c rows.Cell) string {
	return strings.Trim(strconv.QuoteToASCII(nearest.Shorten(c.String(), 30)), `"`)
}
