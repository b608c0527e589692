// Package trace reads traces of operations that others have recorded: tables of rows as
// CSV, NDJSON or Parquet, and two formats of caches. It gives them row by row, whatever
// the size of the file.
//
// Keys that are whole numbers are taken as they are if they fit; texts become the low
// bytes of their XXH3-64, and those that share a number are counted.
package trace

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/workloads/columnar"
)

// Options say how to read a trace.
type Options struct {
	Format string // one of Formats; "" goes by the ending of the file's name
	// The columns, by name; in files without names by number from 1 on. Formats that are
	// no tables have their own.
	Key, Op, Value, Time string
	Numbered             bool          // a CSV file has no line of names
	Unit                 time.Duration // of times; 0: a second
	Default              string        // the operation where there is no column that says it
	Verbs                map[string]string
	KeyWidth, ValueWidth int    // bytes
	Text                 bool   // whole numbers are hashed as the texts that they are
	Limit                uint64 // rows to read; 0: all
}

// Row is an operation.
type Row struct {
	Op         string
	Key, Value uint64
	Time       time.Duration // since the first row
}

// cell is what a row has in a column: a text, or a number.
type cell struct {
	text   string
	number uint64
	is     byte // cellText, cellNumber, or cellNone
}

const (
	cellNone = iota
	cellText
	cellNumber
)

// The columns that a trace can have.
const (
	keyColumn = iota
	opColumn
	valueColumn
	timeColumn
	columns
)

var columnNames = [columns]string{"key", "op", "value", "time"}

// row is what a format reads.
type row = [columns]cell

// rows is a file that is being read. At its end next gives io.EOF.
type rows interface {
	next() (row, error)
	close()
}

type format struct {
	name    string
	endings []string
	open    func(columnar.Opened, *Options) (rows, error)
	own     bool // its columns are known
}

var formats = []format{
	{name: "csv", endings: []string{"csv"}, open: openCSV(',')},
	{name: "tsv", endings: []string{"tsv", "tab"}, open: openCSV('\t')},
	{name: "ndjson", endings: []string{"ndjson", "jsonl"}, open: openNDJSON},
	{name: "parquet", endings: []string{"parquet", "pq"}, open: openParquet},
	{name: "oracle-general", endings: []string{"oraclegeneral"}, open: openOracleGeneral, own: true},
	{name: "twitter", open: openTwitter, own: true},
}

// Formats names what can be read.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Reader reads a trace.
type Reader struct {
	opt    Options
	rows   rows
	number uint64 // of the row that was read last
	first  float64
	timed  bool
	keys   keys
}

// Open begins with a file, whose name says the format unless the options do.
func Open(name string, f columnar.Opened, opt Options) (*Reader, error) {
	format, err := opt.format(name)
	if err != nil {
		return nil, err
	}
	if err := opt.check(format); err != nil {
		return nil, err
	}
	r := &Reader{opt: opt, keys: keys{width: opt.KeyWidth, text: opt.Text}}
	err = columnar.Guard(func() (err error) {
		r.rows, err = format.open(f, &r.opt)
		return err
	})
	return r, err
}

func (opt Options) format(name string) (format, error) {
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	for _, f := range formats {
		if opt.Format == f.name || opt.Format == "" && slices.Contains(f.endings, ending) {
			return f, nil
		}
	}
	if opt.Format != "" {
		return format{}, nearest.Unknown("format", opt.Format, Formats())
	}
	return format{}, fmt.Errorf("the ending %q says no format; hint: --format takes %s", ending, strings.Join(Formats(), ", "))
}

func (opt Options) check(f format) error {
	named := opt.Key + opt.Op + opt.Value + opt.Time
	switch {
	case f.own && named != "":
		return fmt.Errorf("format %s has columns of its own, none are to be named", f.name)
	case !f.own && opt.Key == "":
		return fmt.Errorf("format %s: which column has the keys is not said; hint: --key NAME", f.name)
	case opt.KeyWidth != 4 && opt.KeyWidth != 8:
		return fmt.Errorf("keys of %d bytes, allowed are 4 and 8", opt.KeyWidth)
	}
	return nil
}

// wanted are the names of the columns, empty where there is none.
func (opt Options) wanted() [columns]string {
	return [columns]string{opt.Key, opt.Op, opt.Value, opt.Time}
}

// Next reads a row. At the end it gives io.EOF.
func (r *Reader) Next() (Row, error) {
	if r.opt.Limit > 0 && r.number == r.opt.Limit {
		return Row{}, io.EOF
	}
	var cells row
	err := columnar.Guard(func() (err error) {
		cells, err = r.rows.next()
		return err
	})
	if err == io.EOF {
		return Row{}, err
	}
	r.number++
	var out Row
	if err == nil {
		out, err = r.row(cells)
	}
	if err != nil {
		return out, fmt.Errorf("row %d: %w", r.number, err)
	}
	return out, nil
}

func (r *Reader) row(cells row) (out Row, err error) {
	if out.Op, err = r.op(cells[opColumn]); err != nil {
		return out, err
	}
	if out.Key, err = r.keys.number(cells[keyColumn]); err != nil {
		return out, err
	}
	if out.Value, err = r.value(cells[valueColumn]); err != nil {
		return out, err
	}
	out.Time, err = r.time(cells[timeColumn])
	return out, err
}

// value is a whole number; of one that is too wide the low bytes. Without a column it is
// the number of the row.
func (r *Reader) value(c cell) (uint64, error) {
	if c.is == cellNone {
		c = cell{number: r.number - 1, is: cellNumber}
	}
	n, ok := c.whole()
	if !ok {
		return 0, fmt.Errorf("value is %s: it takes a whole number", c)
	}
	if r.opt.ValueWidth == 4 {
		n &= math.MaxUint32
	}
	return n, nil
}

// time is how long after the first row: times never go back.
func (r *Reader) time(c cell) (time.Duration, error) {
	if c.is == cellNone {
		return 0, nil
	}
	at, ok := c.real()
	if !ok {
		return 0, fmt.Errorf("time is %s: it takes a number", c)
	}
	if !r.timed {
		r.first, r.timed = at, true
	}
	unit := r.opt.Unit
	if unit == 0 {
		unit = time.Second
	}
	const longest = float64(100 * 365 * 24 * time.Hour)
	return time.Duration(min(longest, max(0, (at-r.first)*float64(unit)))), nil
}

// Close gives back what reading took.
func (r *Reader) Close() { r.rows.close() }

// Rows is how many rows were read.
func (r *Reader) Rows() uint64 { return r.number }

// Remarks say what must be known of the keys.
func (r *Reader) Remarks() []string { return r.keys.remarks() }

var errNoKey = errors.New("there is no key")
