package rows

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// longestRecord bounds the bytes of a record: a quotation mark may never be closed.
const longestRecord = 1 << 20

var errTooLong = fmt.Errorf("a record is longer than %d bytes; hint: a quotation mark that is not closed?", longestRecord)

var byteOrderMark = []byte("\xef\xbb\xbf")

// leash is a reader that fails beyond the byte until.
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

type csvFile struct {
	*Reader
	leash   *leash
	in      *csv.Reader
	columns []int
	first   []string // the first record, if it is a row
}

func openCSV(comma rune) func(*Reader, *bufio.Reader) (next, error) {
	return func(r *Reader, in *bufio.Reader) (next, error) {
		c := &csvFile{Reader: r, leash: &leash{Reader: in, until: longestRecord}}
		text := bufio.NewReader(c.leash)
		if mark, _ := text.Peek(len(byteOrderMark)); bytes.Equal(mark, byteOrderMark) {
			text.Discard(len(mark))
		}
		c.in = csv.NewReader(text)
		c.in.Comma, c.in.ReuseRecord = comma, true
		if err := r.characters(c.in); err != nil {
			return nil, err
		}
		return c.row, c.begin()
	}
}

// characters sets the delimiter and the comment's begin that the user chose.
func (r *Reader) characters(in *csv.Reader) error {
	for _, c := range []struct {
		name, text string
		into       *rune
	}{{"delimiter", r.Delimiter, &in.Comma}, {"comment", r.Comment, &in.Comment}} {
		if c.text == "tab" {
			c.text = "\t"
		}
		char, size := utf8.DecodeRuneInString(c.text)
		switch {
		case c.text == "":
		case size != len(c.text) || char == utf8.RuneError || strings.ContainsRune("\"\r\n\ufeff", char):
			return fmt.Errorf("%s is %s: it takes tab, or a character that is no quotation mark", c.name, nearest.Quoted(c.text))
		default:
			*c.into = char
		}
	}
	if in.Comma == in.Comment {
		return fmt.Errorf("delimiter and comment are both %q", in.Comma)
	}
	return nil
}

func (c *csvFile) begin() error {
	names, err := c.record()
	if err != nil {
		return err
	}
	if c.Numbered {
		c.first = names
		names = numbers(len(names))
	}
	c.columns, err = c.find(names, untyped)
	return err
}

func (c *csvFile) record() ([]string, error) {
	record, err := c.in.Read()
	c.leash.until = c.leash.read + longestRecord
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return record, err
	}
	c.at = uint64(parse.Line)
	if errors.Is(parse, csv.ErrFieldCount) {
		return nil, c.here(": not as many cells as the first line")
	}
	return nil, c.here(": character %d: %w", parse.Column, parse.Err)
}

func (c *csvFile) row(cells []Cell) (err error) {
	record := c.first
	if c.first = nil; record == nil {
		if record, err = c.record(); err != nil {
			return err
		}
	}
	for i, column := range c.columns {
		cells[i] = Cell{}
		if column >= 0 {
			cells[i] = Cell{Kind: Untyped, Text: record[column]}
		}
	}
	line, _ := c.in.FieldPos(0)
	c.at = uint64(line)
	return nil
}

func openNDJSON(r *Reader, in *bufio.Reader) (next, error) {
	l := newLines(r, in)
	return func(cells []Cell) error {
		line, err := l.next()
		if err != nil {
			return err
		}
		return r.object(line, cells)
	}, nil
}

func (r *Reader) object(line []byte, cells []Cell) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(line, &object); err != nil || object == nil {
		return r.here(": not a JSON object: %s", nearest.Quoted(string(line)))
	}
	names := func() []string { return slices.Sorted(maps.Keys(object)) }
	for i, column := range r.Columns {
		if column.Name == "" {
			if _, err := r.find(names(), untyped); err != nil {
				return err
			}
			column = r.Columns[i]
		}
		raw, ok := object[column.Name]
		if cells[i] = (Cell{}); !ok && column.Optional {
			continue
		}
		if !ok {
			return r.here(": there is no column %s: choose from %s", nearest.Quoted(column.Name), list(names()))
		}
		if cells[i], ok = jsonCell(raw); !ok {
			return r.Wrong(i, fmt.Errorf("%s is neither a number nor a text", nearest.Quoted(string(raw))))
		}
	}
	return nil
}

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
