// Package rows reads columns of tables that are not trusted, row by row: CSV, TSV, NDJSON,
// Parquet and Arrow. It bounds the sizes in a file before it takes memory for them, and
// every error names the file, the line or row, and the column.
package rows

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

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
	// Announce, if set, is called with the number of rows up to some place, before they
	// are read, by formats that know it.
	Announce func(rows uint64) error
}

// Reader reads columns of a file.
type Reader struct {
	name   string
	opt    Options
	source source
	cells  []Cell
}

// source reads one format.
type source interface {
	// next reads a row; at the end of the file it returns io.EOF.
	next(cells []Cell) error
	// at says where the last row was.
	at() place
	close()
}

// place is where a row is: "line" 5 or "row" 5.
type place struct {
	what   string
	number uint64
}

// misplaced is an error of a row, or of its cell in a column.
type misplaced struct {
	place
	column string
	error
}

type format struct {
	name       string
	extensions []string
	open       func(File, *Options) (source, error)
}

var formats = []format{
	{"csv", []string{".csv"}, openCSV(',')},
	{"tsv", []string{".tsv", ".tab"}, openCSV('\t')},
	{"ndjson", []string{".ndjson", ".jsonl"}, openNDJSON},
	{"parquet", []string{".parquet", ".pq"}, openParquet},
	{"arrow", []string{".arrow", ".arrows", ".ipc", ".feather"}, openArrow},
}

// Formats names the formats.
func Formats() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// FormatOf is the format that the extension of a file's name stands for, empty if none.
func FormatOf(name string) string {
	extension := strings.ToLower(filepath.Ext(name))
	for _, f := range formats {
		if slices.Contains(f.extensions, extension) {
			return f.name
		}
	}
	return ""
}

// Open begins to read a file, whose name is for messages.
func Open(name string, f File, opt Options) (*Reader, error) {
	r := &Reader{name: name, opt: opt, cells: make([]Cell, len(opt.Columns))}
	r.opt.Columns = slices.Clone(opt.Columns)
	err := columnar.Guard(func() (err error) {
		r.source, err = r.open(f)
		return err
	})
	if err != nil {
		return nil, r.wrong(err)
	}
	return r, nil
}

func (r *Reader) open(f File) (source, error) {
	wanted := cmp.Or(r.opt.Format, FormatOf(r.name))
	if wanted == "" {
		return nil, fmt.Errorf("the extension %q says no format; hint: format takes %s", filepath.Ext(r.name), strings.Join(Formats(), ", "))
	}
	i := slices.Index(Formats(), wanted)
	if i < 0 {
		return nil, nearest.Unknown("format", wanted, Formats())
	}
	return formats[i].open(f, &r.opt)
}

// Next reads a row. The cells, one for each column, are valid until the next call. At the
// end of the file it returns io.EOF.
func (r *Reader) Next() ([]Cell, error) {
	err := columnar.Guard(func() error { return r.source.next(r.cells) })
	if err != nil && err != io.EOF {
		err = r.wrong(err)
	}
	return r.cells, err
}

// wrong is an error with the name of the file, and the place if there is one.
func (r *Reader) wrong(err error) error {
	where := r.name
	if m, ok := err.(misplaced); ok {
		where += fmt.Sprintf(", %s %d%s", m.what, m.number, m.column)
		err = m.error
	}
	return fmt.Errorf("%s: %w", where, err)
}

// Wrong is an error of the last row's cell in a column.
func (r *Reader) Wrong(column int, err error) error {
	return r.wrong(misplaced{r.source.at(), r.opt.Columns[column].where(), err})
}

// Column is the name of a column, for messages.
func (r *Reader) Column(i int) string { return shown(r.opt.Columns[i].Name) }

// Close frees what reading has taken. The file stays open.
func (r *Reader) Close() { r.source.close() }

// find returns where the columns are among those of the file.
func (opt *Options) find(names []string) ([]int, error) {
	at := make([]int, len(opt.Columns))
	for i := range at {
		if opt.Columns[i].Name == "" && len(names) == 1 {
			opt.Columns[i].Name = names[0]
		}
		name := opt.Columns[i].Name
		if at[i] = slices.Index(names, name); name == "" {
			return nil, fmt.Errorf("it has %d columns, so one must be named: choose from %s", len(names), list(names))
		} else if at[i] < 0 {
			return nil, unknown(name, names)
		} else if slices.Contains(names[at[i]+1:], name) {
			return nil, fmt.Errorf("column %q occurs more than once", name)
		}
	}
	return at, nil
}

func unknown(name string, names []string) error {
	if len(names) > mostNames {
		return fmt.Errorf("unknown column %q: choose from %s", name, list(names))
	}
	return nearest.Unknown("column", shown(name), shownAll(names))
}

func (c Column) where() string { return ", column " + shown(c.Name) }

// wrongType refuses a column.
func (c Column) wrongType(name string) error {
	takes := "whole numbers and texts"
	if c.Reals {
		takes = "numbers and texts"
	}
	return fmt.Errorf("column %s is of type %s, it takes %s", shown(c.Name), name, takes)
}

// mostNames is how many names a message lists.
const mostNames = 20

func list(names []string) string {
	text := strings.Join(shownAll(names[:min(len(names), mostNames)]), ", ")
	if more := len(names) - mostNames; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func shownAll(names []string) (list []string) {
	for _, name := range names {
		list = append(list, shown(name))
	}
	return list
}

// shown makes a name safe for messages: a file may call a column anything.
func shown(name string) string {
	if name == "" || len(name) > 60 || strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return quoted(name)
	}
	return name
}

// quoted is a text of a file, quoted and shortened for messages.
func quoted(text string) string {
	const longest = 40
	if len(text) > longest {
		text = text[:longest] + "..."
	}
	return strconv.Quote(text)
}
