// Package file reads a column of keys from a file: CSV, NDJSON, Parquet or Arrow.
//
// Whole numbers are taken as they are, of whatever width they are in the file, if
// they fit the width of a key; negative ones as two's complement. Texts become the
// low bytes of their XXH3-64. A column is one or the other. Everything else (real
// numbers, dates, lists, cells without a value) is an error that says where.
package file

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/workloads/columnar"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// What a column may be read as.
const (
	Auto    = ""        // what its first cell is
	Integer = "integer" // texts have to be whole numbers
	Text    = "text"    // whole numbers are hashed as the text that they are
)

// Options say what to read.
type Options struct {
	Column string // its name; may be left out if there is only one
	Width  int    // bytes of a key: 4 or 8
	Rows   uint64 // how many to read, from the first; 0: all
	Limit  uint64 // more rows are an error
	As     string // Auto, Integer or Text
	Format string // one of Formats; "" goes by the ending of the file's name
	// Numbered: a CSV file has no line of names; its columns are called 1, 2, 3 ...
	Numbered bool
}

// Column is what was read.
type Column struct {
	Label      string // the file and the column, for messages
	Numbers    []uint64
	Hashed     bool   // the numbers are hashes of texts
	Collisions uint64 // different texts, less different numbers
	Reserved   uint64 // how many are one of the two numbers that no table takes
}

// Stream is the numbers as keys.
func (c *Column) Stream() stream.Stream { return stream.Data(c.Label, c.Numbers) }

// Opened is a file that was opened: an *os.File.
type Opened = columnar.Opened

// format is one that this package reads.
type format struct {
	name    string
	endings []string
	read    func(f Opened, c *collector) error
}

var formats = []format{
	{"csv", []string{"csv"}, readCSV(',')},
	{"tsv", []string{"tsv", "tab"}, readCSV('\t')},
	{"ndjson", []string{"ndjson", "jsonl"}, readNDJSON},
	{"parquet", []string{"parquet", "pq"}, guarded(readParquet)},
	{"arrow", []string{"arrow", "arrows", "ipc", "feather"}, guarded(readArrow)},
}

// Formats names what can be read.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Open reads a column of the file at a path.
func Open(path string, opt Options) (*Column, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file that could be read", path)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(path, f, opt)
}

// Read reads a column of an open file, whose name says the format and is in
// messages.
func Read(name string, f Opened, opt Options) (*Column, error) {
	c := &collector{Options: opt, file: filepath.Base(name)}
	format, err := opt.check(name)
	if err == nil {
		err = format.read(f, c)
	}
	if err == nil {
		err = c.complete()
	}
	if err != nil {
		return nil, fmt.Errorf("%s%w", c.file, err)
	}
	return c.column(), nil
}

// check looks at the options before anything is read. Errors go behind the name of
// the file.
func (opt Options) check(name string) (format, error) {
	switch {
	case opt.Width != 4 && opt.Width != 8:
		return format{}, fmt.Errorf(": width is %d, allowed are 4 and 8 bytes", opt.Width)
	case opt.Rows > opt.Limit:
		return format{}, fmt.Errorf(": rows is %d, allowed are at most %d", opt.Rows, opt.Limit)
	case !slices.Contains([]string{Auto, Integer, Text}, opt.As):
		return format{}, fmt.Errorf(": as is %q, allowed are %s and %s", opt.As, Integer, Text)
	}
	if opt.Format != "" {
		return opt.formatNamed(opt.Format, func(f format) []string { return []string{f.name} }, "")
	}
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	return opt.formatNamed(ending, func(f format) []string { return f.endings }, "; hint: format says what it is")
}

func (opt Options) formatNamed(name string, names func(format) []string, hint string) (format, error) {
	var known []string
	for _, f := range formats {
		if slices.Contains(names(f), name) {
			return f, nil
		}
		known = append(known, names(f)...)
	}
	return format{}, fmt.Errorf(": unknown format %q, allowed are %s%s", name, strings.Join(known, ", "), hint)
}

// find is the index of the wanted column.
func (c *collector) find(names []string) (int, error) {
	if c.Column == "" && len(names) == 1 {
		c.Column = names[0]
	}
	if c.Column == "" {
		return 0, fmt.Errorf(": it has %d columns, so one must be named; there are %s", len(names), list(names))
	}
	at := slices.Index(names, c.Column)
	switch {
	case at < 0 && len(names) > most:
		return 0, fmt.Errorf(": unknown column %q; there are %s", c.Column, list(names))
	case at < 0:
		return 0, fmt.Errorf(": %w", nearest.Unknown("column", c.Column, shown(names)))
	case slices.Contains(names[at+1:], c.Column):
		return 0, fmt.Errorf(": column %q is there more than once", c.Column)
	}
	return at, nil
}

// most is how many names a message lists.
const most = 20

func list(names []string) string {
	text := strings.Join(shown(names[:min(len(names), most)]), ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// shown are names as a message can have them: a file may call a column anything.
func shown(names []string) []string {
	safe := slices.Clone(names)
	for i, name := range safe {
		if name == "" || len(name) > 60 || strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
			safe[i] = quoted(name)
		}
	}
	return safe
}

// oneLine is a text as messages can have it.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	const longest = 200
	if len(text) > longest {
		text = text[:longest] + "..."
	}
	return text
}
