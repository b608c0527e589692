package file

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// longestRecord bounds what is held of a text file at once: a quotation mark that
// is never closed would make the rest of the file one cell.
const longestRecord = 1 << 20

var errTooLong = fmt.Errorf("a record is longer than %d bytes; hint: a quotation mark that is not closed?", longestRecord)

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

// goOn allows another record after what was used.
func (l *leash) goOn(used int64) { l.until = used + longestRecord }

func readCSV(comma rune) func(Opened, *collector) error {
	return func(f Opened, c *collector) error { return c.csv(f, comma) }
}

func (c *collector) csv(f io.Reader, comma rune) error {
	bounded := &leash{Reader: f, until: longestRecord}
	skipMark := bufio.NewReader(bounded)
	if mark, _ := skipMark.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		skipMark.Discard(3)
	}
	r := csv.NewReader(skipMark)
	r.Comma, r.ReuseRecord = comma, true
	column, err := -1, error(nil)
	for err == nil {
		var record []string
		if record, err = r.Read(); err == nil {
			bounded.goOn(bounded.read)
			column, err = c.record(r, record, column)
		}
	}
	return csvError(err)
}

// record takes a line; the first one tells which column is wanted.
func (c *collector) record(r *csv.Reader, record []string, column int) (int, error) {
	if column < 0 {
		names := record
		if c.Numbered {
			names = numbered(len(record))
		}
		var err error
		if column, err = c.find(names); err != nil || !c.Numbered {
			return column, err
		}
	}
	line, _ := r.FieldPos(column)
	return column, c.guess(record[column], place{"line", uint64(line)})
}

func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i + 1)
	}
	return names
}

// csvError is what a user understands of an error at the end of the reading.
func csvError(err error) error {
	var parse *csv.ParseError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, errEnough):
		return nil
	case errors.Is(err, csv.ErrFieldCount):
		errors.As(err, &parse)
		return fmt.Errorf(", line %d: not as many cells as in the first line", parse.Line)
	case errors.As(err, &parse):
		return fmt.Errorf(", line %d, character %d: %w", parse.Line, parse.Column, parse.Err)
	case errors.Is(err, errTooLong):
		return fmt.Errorf(": %w", err)
	}
	return err
}
