// Package rows reads columns of untrusted tables, row by row: CSV, TSV, NDJSON, Parquet, Arrow,
// and libCacheSim's traces. It checks the sizes in a file before it allocates memory for them.
// Every error names the file, the line or row, and the column.
package rows

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/workloads/columnar"
)

// File is an open file: an *os.File, or bytes in memory.
type File = columnar.File

// Column is a column to read.
type Column struct {
	Name  string // may be left out if the file has only one
	Reals bool   // it may have real numbers, dates and times
}

// Options say what to read.
type Options struct {
	Format   string // one of Formats; by default the file name's extension decides
	Columns  []Column
	Numbered bool // a CSV file has no line of names: its columns are called 1, 2, 3 ...
	// Announce, if set, is told at least how many rows are to come, by formats that know it.
	Announce func(rows uint64) error
}

// Reader reads columns of a file.
type Reader struct {
	Options
	name  string
	next  next
	cells []Cell
	unit  string // "line" or "row"
	at    uint64 // the number of the last one
}

// next reads a row of one format and sets Reader.at. At the end of the file it returns io.EOF.
type next func(cells []Cell) error

type format struct {
	name       string
	extensions []string
	unit       string
	open       func(*Reader, File) (next, error)
}

var formats = []format{
	{"csv", []string{".csv"}, "line", openCSV(',')},
	{"tsv", []string{".tsv", ".tab"}, "line", openCSV('\t')},
	{"ndjson", []string{".ndjson", ".jsonl"}, "line", openNDJSON},
	{"parquet", []string{".parquet", ".pq"}, "row", openParquet},
	{"arrow", []string{".arrow", ".arrows", ".ipc", ".feather"}, "row", openArrow},
	{"oracle-general", []string{".oraclegeneral"}, "row", openOracle},
}

// Formats names the formats.
func Formats() []string { return lists.Map(formats, func(f format) string { return f.name }) }

// FormatOf returns the format of a file's extension, empty if it has none.
func FormatOf(name string) string {
	extension := strings.ToLower(filepath.Ext(name))
	for _, f := range formats {
		if slices.Contains(f.extensions, extension) {
			return f.name
		}
	}
	return ""
}

// Open begins to read a file, which the caller closes. Its name is for messages.
func Open(name string, f File, opt Options) (*Reader, error) {
	r := &Reader{Options: opt, name: name, cells: make([]Cell, len(opt.Columns))}
	r.Columns = slices.Clone(opt.Columns)
	return r, r.wrong(columnar.Guard(func() error { return r.open(f) }))
}

func (r *Reader) open(f File) (err error) {
	wanted := cmp.Or(r.Format, FormatOf(r.name))
	if wanted == "" {
		return fmt.Errorf("the extension %q says no format; hint: format takes %s", filepath.Ext(r.name), strings.Join(Formats(), ", "))
	}
	i := slices.Index(Formats(), wanted)
	if i < 0 {
		return nearest.Unknown("format", wanted, Formats())
	}
	r.unit = formats[i].unit
	r.next, err = formats[i].open(r, f)
	return err
}

// Next reads a row, whose cells are valid until the next call. At the end it returns io.EOF.
func (r *Reader) Next() ([]Cell, error) {
	return r.cells, r.wrong(columnar.Guard(func() error { return r.next(r.cells) }))
}

// placed is an error that names its place in the file.
type placed struct{ error }

func (r *Reader) here(format string, args ...any) error {
	return placed{fmt.Errorf("%s, %s %d"+format, append([]any{r.name, r.unit, r.at}, args...)...)}
}

// Wrong returns an error of the last row's cell in a column.
func (r *Reader) Wrong(column int, err error) error {
	return r.here(", column %s: %w", r.Column(column), err)
}

// wrong adds the name of the file to errors without a place.
func (r *Reader) wrong(err error) error {
	if _, ok := err.(placed); ok || err == nil || err == io.EOF {
		return err
	}
	return fmt.Errorf("%s: %w", r.name, err)
}

// Column returns the name of a column, for messages.
func (r *Reader) Column(i int) string { return shown(r.Columns[i].Name) }

// find returns the columns' indices in the file. wrongType names a column's type if it cannot be used.
func (r *Reader) find(names []string, wrongType func(i int, reals bool) string) ([]int, error) {
	at := make([]int, len(r.Columns))
	for i := range at {
		c := &r.Columns[i]
		if c.Name == "" && len(names) == 1 {
			c.Name = names[0]
		}
		if at[i] = slices.Index(names, c.Name); c.Name == "" {
			return nil, fmt.Errorf("it has %d columns, so one must be named: choose from %s", len(names), list(names))
		} else if at[i] < 0 && len(names) > mostNames {
			return nil, fmt.Errorf("unknown column %q: choose from %s", c.Name, list(names))
		} else if at[i] < 0 {
			return nil, nearest.Unknown("column", shown(c.Name), lists.Map(names, shown))
		} else if slices.Contains(names[at[i]+1:], c.Name) {
			return nil, fmt.Errorf("column %q occurs more than once", c.Name)
		}
		if wrong := wrongType(at[i], c.Reals); wrong != "" {
			takes := map[bool]string{true: "numbers and texts", false: "whole numbers and texts"}[c.Reals]
			return nil, fmt.Errorf("column %s is of type %s, it takes %s", shown(c.Name), wrong, takes)
		}
	}
	return at, nil
}

// untyped is for files whose columns have no types.
func untyped(int, bool) string { return "" }

const mostNames = 20

func list(names []string) string {
	text := strings.Join(lists.Map(names[:min(len(names), mostNames)], shown), ", ")
	if more := len(names) - mostNames; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// shown makes a name safe for messages: a file may call a column anything.
func shown(name string) string {
	if name == "" || len(name) > 60 || strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return nearest.Quoted(name)
	}
	return name
}

// openOracle reads libCacheSim's oracleGeneral, whose requests are structs, low byte first.
func openOracle(r *Reader, f File) (next, error) {
	var request struct {
		Time uint32
		ID   uint64
		Size uint32
		Next int64 // when the ID is requested next
	}
	columns, err := r.find([]string{"time", "id", "size", "next"}, untyped)
	in := bufio.NewReaderSize(f, 1<<16)
	raw := make([]byte, binary.Size(request))
	return func(cells []Cell) error {
		n, err := io.ReadFull(in, raw)
		if err == io.EOF {
			return err
		}
		r.at++
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return r.here(": the file ends within it: %d bytes of %d", n, len(raw))
		}
		if err != nil {
			return err
		}
		binary.Decode(raw, binary.LittleEndian, &request)
		for i, column := range columns {
			cells[i] = [...]Cell{unsigned(uint64(request.Time)), unsigned(request.ID), unsigned(uint64(request.Size)), signed(request.Next)}[column]
		}
		return nil
	}, err
}
