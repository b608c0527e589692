package rows

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
)

// longestRecord bounds what is held of a text file at once: a quotation mark that is never
// closed would make the rest of the file one cell.
const longestRecord = 1 << 20

var errTooLong = fmt.Errorf("a record is longer than %d bytes; hint: a quotation mark that is not closed?", longestRecord)

var byteOrderMark = []byte("\xef\xbb\xbf")

// leash is a reader that fails if more than a record is read since it was let go on.
type leash struct {
	io.Reader
	read, until int64
}

func (l *leash) Read(b []byte) (int, error) {
	if l.read >= l.until {
		return 0, errTooLong
	}
	n, err := l.Reader.Read(b[:min(int64(len(b)), l.until-l.read)])
	l.read += int64(n)
	return n, err
}

// csvSource reads the records of a CSV file.
type csvSource struct {
	leash   *leash
	in      *csv.Reader
	columns []int
	first   []string // the first record, if it is a row
}

func openCSV(comma rune) func(File, *Options) (source, error) {
	return func(f File, opt *Options) (source, error) {
		c := &csvSource{leash: &leash{Reader: f, until: longestRecord}}
		text := bufio.NewReader(c.leash)
		if mark, _ := text.Peek(len(byteOrderMark)); bytes.Equal(mark, byteOrderMark) {
			text.Discard(len(mark))
		}
		c.in = csv.NewReader(text)
		c.in.Comma, c.in.ReuseRecord = comma, true
		return c, c.begin(opt)
	}
}

// begin finds the columns in the first record.
func (c *csvSource) begin(opt *Options) error {
	first, err := c.read()
	if err == io.EOF {
		return nil
	}
	if err == nil && opt.Numbered {
		c.first = first
		first = numbered(len(first))
	}
	if err == nil {
		c.columns, err = opt.find(first)
	}
	return err
}

func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i + 1)
	}
	return names
}

func (c *csvSource) read() ([]string, error) {
	record, err := c.in.Read()
	c.leash.until = c.leash.read + longestRecord
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return record, err
	}
	err = fmt.Errorf("character %d: %w", parse.Column, parse.Err)
	if errors.Is(parse, csv.ErrFieldCount) {
		err = errors.New("not as many cells as in the first line")
	}
	return nil, misplaced{place: place{"line", uint64(parse.Line)}, error: err}
}

func (c *csvSource) next(cells []Cell) (err error) {
	record := c.first
	if c.first = nil; record == nil {
		if record, err = c.read(); err != nil {
			return err
		}
	}
	for i, column := range c.columns {
		cells[i] = Cell{Kind: Untyped, Text: record[column]}
	}
	return nil
}

func (c *csvSource) at() place {
	line, _ := c.in.FieldPos(c.columns[0])
	return place{"line", uint64(line)}
}

func (c *csvSource) close() {}

// jsonSource reads the lines of an NDJSON file, each an object.
type jsonSource struct {
	opt  *Options
	in   *bufio.Scanner
	line uint64
}

func openNDJSON(f File, opt *Options) (source, error) {
	in := bufio.NewScanner(f)
	in.Buffer(nil, longestRecord)
	return &jsonSource{opt: opt, in: in}, nil
}

func (j *jsonSource) next(cells []Cell) error {
	for j.in.Scan() {
		j.line++
		line := bytes.TrimSpace(j.in.Bytes())
		if j.line == 1 {
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		if len(line) > 0 {
			return j.object(line, cells)
		}
	}
	if errors.Is(j.in.Err(), bufio.ErrTooLong) {
		j.line++
		return j.wrong("it is longer than %d bytes", longestRecord)
	}
	return cmp.Or(j.in.Err(), io.EOF)
}

func (j *jsonSource) wrong(format string, args ...any) error {
	return misplaced{place: j.at(), error: fmt.Errorf(format, args...)}
}

func (j *jsonSource) object(line []byte, cells []Cell) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(line, &object); err != nil || object == nil {
		return j.wrong("it is no JSON object: %s", quoted(string(line)))
	}
	for i := range j.opt.Columns {
		column := &j.opt.Columns[i]
		if column.Name == "" {
			if _, err := j.opt.find(slices.Sorted(maps.Keys(object))); err != nil {
				return err
			}
		}
		raw, ok := object[column.Name]
		if !ok {
			return j.wrong("there is no column %s: choose from %s", quoted(column.Name), list(slices.Sorted(maps.Keys(object))))
		}
		if cells[i], ok = jsonCell(raw); !ok {
			return misplaced{j.at(), column.where(), fmt.Errorf("%s is neither a number nor a text", quoted(string(raw)))}
		}
	}
	return nil
}

// jsonCell is a JSON value that is a text, a number or null.
func jsonCell(raw json.RawMessage) (Cell, bool) {
	switch first := raw[0]; {
	case first == '"':
		var text string
		err := json.Unmarshal(raw, &text)
		return textCell(text), err == nil
	case first == 'n':
		return Cell{}, true
	case first != '-' && (first < '0' || first > '9'):
		return Cell{}, false
	case isInteger(string(raw)):
		return Cell{Kind: Whole, Text: string(raw)}, true
	}
	return Cell{Kind: Real, Text: string(raw)}, true
}

func (j *jsonSource) at() place { return place{"line", j.line} }
func (j *jsonSource) close()    {}
