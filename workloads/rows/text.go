package rows

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/hashzoo/hashzoo/runtime/nearest"
)

var errTooLong = fmt.Errorf("a record is longer than %d bytes; hint: a quotation mark that is not closed?", longestRecord)

// csvFile is how the cells of a CSV file are separated.
type csvFile struct {
	like    csv.Reader // with the characters
	comma   string
	columns []int
	width   int // cells of a record
}

func openCSV(comma rune) func(*Reader, *bufio.Reader) (next, error) {
	return func(r *Reader, in *bufio.Reader) (next, error) {
		c := &csvFile{like: csv.Reader{Comma: comma}}
		if err := r.characters(&c.like); err != nil {
			return nil, err
		}
		c.comma = string(c.like.Comma)
		b := newBlocks(r, in)
		b.cut, b.parse, b.tooLong = c.cut, c.parse, c.tooLong
		return b.begin(func(text string) (int, bool, error) { return c.begin(b, text) })
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

// begin takes the names of the columns.
func (c *csvFile) begin(b *blocks, text string) (used int, found bool, err error) {
	first := block{Reader: *b.Reader}
	first.at = b.lines
	names, used, err := c.record(&first, text)
	if err == io.EOF {
		return len(text), false, nil
	}
	if c.width = len(names); err == nil && b.Numbered {
		names, used = numbers(len(names)), 0
	}
	if err == nil {
		c.columns, err = b.find(names, untyped)
	}
	return used, true, err
}

// cut returns where the last record ends: at the end of a line, outside of quotation marks.
func (c *csvFile) cut(text []byte) (end int) {
	if bytes.IndexByte(text, '"') < 0 {
		return bytes.LastIndexByte(text, '\n') + 1
	}
	inside, comment := false, []byte(string(c.like.Comment))
	for at := 0; ; {
		n := bytes.IndexByte(text[at:], '\n') + 1
		if n == 0 {
			return end
		}
		line := text[at : at+n]
		if at += n; inside || c.like.Comment == 0 || !bytes.HasPrefix(line, comment) {
			inside = inside != (bytes.Count(line, []byte(`"`))%2 == 1)
		}
		if !inside {
			end = at
		}
	}
}

func (c *csvFile) parse(b *block, text string) error {
	record := make([]string, c.width)
	for text != "" {
		if used := c.blank(text); used > 0 {
			b.at++
			text = text[used:]
			continue
		}
		cells := record
		used, ok := c.split(text, record)
		if !ok {
			var err error
			if cells, used, err = c.record(b, text); err != nil {
				return err
			}
		}
		b.at++
		b.pick(c.columns, cells)
		b.at += uint64(strings.Count(text[:used-1], "\n"))
		text = text[used:]
	}
	return nil
}

// tooLong says what is wrong with a record that does not end: mostly a quotation mark in an odd place.
func (c *csvFile) tooLong(b *block, text string) error {
	if _, _, err := c.record(b, text); errors.Is(err, csv.ErrBareQuote) {
		return err
	}
	return errTooLong
}

// blank returns the bytes of the first line if it is empty or a comment.
func (c *csvFile) blank(text string) int {
	switch {
	case text[0] == '\n', text == "\r":
		return 1
	case strings.HasPrefix(text, "\r\n"):
		return 2
	case c.like.Comment != 0 && strings.HasPrefix(text, string(c.like.Comment)):
		line, _, _ := strings.Cut(text, "\n")
		return min(len(line)+1, len(text))
	}
	return 0
}

// record reads the first record of any text, and says what is wrong with it.
func (c *csvFile) record(b *block, text string) (record []string, used int, err error) {
	in := csv.NewReader(strings.NewReader(text))
	in.Comma, in.Comment, in.FieldsPerRecord = c.like.Comma, c.like.Comment, c.width
	record, err = in.Read()
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return record, int(in.InputOffset()), err
	}
	b.at += uint64(parse.Line)
	if errors.Is(parse, csv.ErrFieldCount) {
		return nil, 0, b.here(": not as many cells as the first line")
	}
	return nil, 0, b.here(": character %d: %w", parse.Column, parse.Err)
}

// split cuts the first record of a text into cells, and returns its bytes. It leaves alone one that has not as many
// cells as others, or quotation marks in odd places.
func (c *csvFile) split(text string, record []string) (used int, ok bool) {
	for i := range record {
		cell, n, ok := c.cell(text[used:])
		if !ok {
			return 0, false
		}
		record[i] = cell
		used += n
		if last := i == len(record)-1; last != !strings.HasPrefix(text[used:], c.comma) {
			return 0, false
		} else if !last {
			used += len(c.comma)
		}
	}
	if strings.HasPrefix(text[used:], "\r") {
		used++
	}
	return min(used+1, len(text)), used == len(text) || text[used] == '\n'
}

// cell returns the cell at the begin of a text, and how many bytes it has there.
func (c *csvFile) cell(text string) (cell string, used int, ok bool) {
	if strings.HasPrefix(text, `"`) {
		return quotedCell(text)
	}
	for ; used < len(text); used++ {
		switch char := text[used]; {
		case char == '"':
			return "", 0, false
		case char == '\n', char == c.comma[0] && strings.HasPrefix(text[used:], c.comma), char == '\r' && (used+1 == len(text) || text[used+1] == '\n'):
			return text[:used], used, true
		}
	}
	return text, used, true
}

// quotedCell returns the cell between quotation marks; two of them stand for one.
func quotedCell(text string) (cell string, used int, ok bool) {
	doubled := false
	for used = 1; ; used += 2 {
		n := strings.IndexByte(text[used:], '"')
		if n < 0 {
			return "", 0, false
		}
		if used += n; used+1 == len(text) || text[used+1] != '"' {
			break
		}
		doubled = true
	}
	if cell = text[1:used]; doubled {
		cell = strings.ReplaceAll(cell, `""`, `"`)
	}
	return cell, used + 1, !strings.Contains(cell, "\r\n") // encoding/csv makes it \n
}
