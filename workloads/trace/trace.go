// Package trace reads traces of operations from other programs: tables of rows (package rows),
// and two formats of cache traces. It reads them row by row, so files may be of any size.
package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/workloads/rows"
)

// Options say how to read a trace.
type Options struct {
	Format string // one of Formats; by default the file name's extension decides
	// Names of columns; in files without names, numbers from 1. Cache traces have their own.
	Key, Op, Value, Time string
	Numbered             bool          // a CSV file has no line of names
	Unit                 time.Duration // of times; 0: a second
	Default              string        // the operation, without a column for it
	Verbs                map[string]string
	KeyWidth, ValueWidth int    // bytes
	Text                 bool   // whole numbers are hashed as texts
	Limit                uint64 // rows to read; 0: all
}

// Row is an operation.
type Row struct {
	Op         string
	Key, Value uint64
	Time       time.Duration // since the first row
}

// Reader reads a trace.
type Reader struct {
	opt        Options
	table      *rows.Reader
	at         [4]int // of key, op, value and time among the cells, -1 without such a column
	row        Row    // the last one
	number     uint64 // of the last row
	first      float64
	timed      bool
	keys       rows.Keys
	seen       map[uint64]uint64 // of texts: the key, and another hash
	collisions uint64
}

// twitter is Twitter's cache traces: timestamp, key, key size, value size, client, operation, TTL.
const twitter = "twitter"

// own has the columns of formats that have fixed ones. The size of a value is the value.
var own = map[string]Options{
	"oracle-general": {Key: "id", Value: "size", Time: "time"},
	twitter:          {Key: "2", Op: "6", Value: "4", Time: "1"},
}

// Formats names the formats of traces.
func Formats() []string { return append(rows.Formats(), twitter) }

// Open begins to read a file. Its extension decides the format unless the options do.
func Open(name string, f rows.File, opt Options) (*Reader, error) {
	opt.Format = cmp.Or(opt.Format, rows.FormatOf(name))
	if err := opt.check(name); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r := &Reader{opt: opt, seen: map[uint64]uint64{},
		keys: rows.Keys{Width: opt.KeyWidth, Loose: true, TextHint: "--text", WideHint: "--pair k8v8"}}
	if opt.Text {
		r.keys.As = rows.AsText
	}
	of := rows.Options{Format: opt.Format, Numbered: opt.Numbered}
	if opt.Format == twitter {
		of.Format, of.Numbered = "csv", true
	}
	if its, ok := own[opt.Format]; ok {
		opt = its
	}
	for i, column := range []string{opt.Key, opt.Op, opt.Value, opt.Time} {
		if r.at[i] = -1; column != "" {
			r.at[i] = len(of.Columns)
			of.Columns = append(of.Columns, rows.Column{Name: column, Reals: i >= 2})
		}
	}
	var err error
	r.table, err = rows.Open(name, f, of)
	return r, err
}

func (opt Options) check(name string) error {
	_, fixed := own[opt.Format]
	switch {
	case opt.Format == "":
		return fmt.Errorf("the extension %q says no format; hint: --format takes %s", filepath.Ext(name), strings.Join(Formats(), ", "))
	case !slices.Contains(Formats(), opt.Format):
		return nearest.Unknown("format", opt.Format, Formats())
	case fixed && opt.Key+opt.Op+opt.Value+opt.Time != "":
		return fmt.Errorf("format %s has its own columns, none can be named", opt.Format)
	case !fixed && opt.Key == "":
		return errors.New("the column of the keys is not named; hint: --key NAME")
	case opt.KeyWidth != 4 && opt.KeyWidth != 8:
		return fmt.Errorf("keys of %d bytes, allowed are 4 and 8", opt.KeyWidth)
	}
	return nil
}

// readers read the cells of a row. given says whether the trace has the column.
var readers = [...]func(r *Reader, c rows.Cell, given bool) error{(*Reader).key, (*Reader).op, (*Reader).value, (*Reader).time}

// Next reads a row. At the end it returns io.EOF.
func (r *Reader) Next() (Row, error) {
	r.row = Row{}
	if r.opt.Limit > 0 && r.number == r.opt.Limit {
		return r.row, io.EOF
	}
	cells, err := r.table.Next()
	if err != nil {
		return r.row, err
	}
	r.number++
	for column, read := range readers {
		at, cell := r.at[column], rows.Cell{}
		if at >= 0 {
			cell = cells[at]
		}
		if err := read(r, cell, at >= 0); err != nil {
			return r.row, r.table.Wrong(max(at, 0), err)
		}
	}
	return r.row, nil
}

// mostSeen bounds the texts among which collisions are counted.
const mostSeen = 1 << 22

func (r *Reader) key(c rows.Cell, _ bool) (err error) {
	if r.row.Key, err = r.keys.Key(c); err != nil || !r.keys.Hashed() {
		return err
	}
	other := xxh3.HashStringSeed(c.String(), 1)
	switch was, known := r.seen[r.row.Key]; {
	case known && was != other:
		r.collisions++
	case !known && len(r.seen) < mostSeen:
		r.seen[r.row.Key] = other
	}
	return nil
}

// value reads a whole number, cut to the width of a value; without a column, the row number.
func (r *Reader) value(c rows.Cell, given bool) error {
	r.row.Value = r.number - 1
	if given {
		var ok bool
		if r.row.Value, ok = c.Unsigned(); !ok {
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
	if !given {
		return nil
	}
	at, ok := c.Float()
	if !ok {
		return fmt.Errorf("time is %s: it takes a number", short(c))
	}
	if !r.timed {
		r.first, r.timed = at, true
	}
	unit := r.opt.Unit
	if unit == 0 {
		unit = time.Second
	}
	const longest = float64(100 * 365 * 24 * time.Hour)
	r.row.Time = time.Duration(min(longest, max(0, (at-r.first)*float64(unit))))
	return nil
}

// Rows returns how many rows were read.
func (r *Reader) Rows() uint64 { return r.number }

// Remarks lists what the user should know about the keys.
func (r *Reader) Remarks() (list []string) {
	if r.keys.Hashed() {
		list = append(list, fmt.Sprintf("keys are texts: each is the low %d bytes of its XXH3-64", r.keys.Width))
		text := fmt.Sprintf("rows whose text shares its number with another one: %d", r.collisions)
		if len(r.seen) == mostSeen {
			text += fmt.Sprintf(", among the first %d different numbers", mostSeen)
		}
		list = append(list, text)
	}
	if r.keys.Reserved > 0 {
		list = append(list, fmt.Sprintf("rows with one of the two largest keys, which no table takes: %d", r.keys.Reserved))
	}
	return list
}

// verbs maps the operations of cache traces. All writes do the work of upserts.
var verbs = map[string]string{
	"get": "find", "gets": "find", "read": "find", "lookup": "find", "query": "find",
	"set": "upsert", "put": "upsert", "write": "upsert", "add": "upsert", "replace": "upsert", "cas": "upsert",
	"append": "upsert", "prepend": "upsert", "incr": "upsert", "decr": "upsert",
	"delete": "erase", "remove": "erase", "del": "erase",
}

var ops = kernels.OpsThat(kernels.Operation.OnePair)

func (r *Reader) op(c rows.Cell, given bool) error {
	name := r.opt.Default
	if given {
		name = strings.ToLower(strings.TrimSpace(c.String()))
	}
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
