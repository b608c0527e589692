// Package file reads keys from a file of any format of package rows: a column, or several that are packed.
package file

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/workloads/rows"
)

// Options say what to read. Those with a lua tag are the arguments of gen.file.
type Options struct {
	Column    string `lua:"column"`        // may be left out if there is only one; several share the bits of a key: src,dst
	Width     uint64 `lua:"width" min:"4"` // bytes of a key: 4 or 8
	Rows      uint64 `lua:"rows" min:"1"`  // how many to read, from the first; 0: all
	Limit     uint64 // more numbers are an error
	As        string `lua:"as"`        // rows.Auto, rows.AsInteger or rows.AsText
	Format    string `lua:"format"`    // one of rows.Formats; by default the file name's extension decides
	Numbered  bool   `lua:"numbered"`  // a CSV file has no line of names; its columns are called 1, 2, 3 ...
	Delimiter string `lua:"delimiter"` // the rest is as in rows.Options
	Comment   string `lua:"comment"`
	Decimals  uint64 `lua:"decimals"`
	K         uint64 `lua:"k" min:"1"`
	Texts     bool   // keep texts, so that Fields have them
	Count     string `lua:"count"` // a column that says how often the key of a row is repeated
}

// Column is what was read.
type Column struct {
	Label   string // the file and the column, for messages
	Numbers []uint64
	Fields  []rows.Field // what they stand for
	Remarks []string     // what the user should know about them
}

// Read reads keys from an open file. Its extension decides the format unless opt does.
func Read(name string, f rows.File, opt Options) (*Column, error) {
	name = filepath.Base(name)
	c := &collector{Options: opt, keys: rows.Keys{
		Width: int(opt.Width), As: opt.As, Texts: opt.Texts, TextHint: `as = "text"`, WideHint: "a table with keys of 8 bytes"}}
	if err := opt.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	of, err := c.reading()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r, err := rows.Open(name, f, of)
	if err == nil {
		err = c.collect(r)
	}
	if err != nil {
		return nil, err
	}
	if err := c.complete(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	label := fmt.Sprintf("%s, column %s", name, r.Column(0))
	if strings.Contains(opt.Column, ",") {
		label = fmt.Sprintf("%s, columns %s", name, opt.Column)
	}
	remarks := lists.Map(c.keys.Remarks(), func(remark string) string { return label + ": " + remark })
	for _, remark := range r.Remarks() {
		remarks = append(remarks, name+", "+remark)
	}
	return &Column{label, c.numbers, c.keys.Fields(r), remarks}, nil
}

func (c *collector) reading() (rows.Options, error) {
	columns, err := c.keys.Columns(c.Column, int(min(c.Decimals, 1000)))
	if c.Count != "" {
		c.at = len(columns)
		columns = append(columns, rows.Column{Name: c.Count, Reals: true})
	}
	return rows.Options{
		Format: c.Format, Columns: columns, Numbered: c.Numbered, Announce: c.announce,
		Delimiter: c.Delimiter, Comment: c.Comment, K: int(min(c.K, 1000)),
	}, err
}

func (opt Options) check() error {
	switch {
	case opt.Rows > opt.Limit:
		return fmt.Errorf("rows is %d, allowed are at most %d", opt.Rows, opt.Limit)
	case !slices.Contains([]string{rows.Auto, rows.AsInteger, rows.AsText}, opt.As):
		return fmt.Errorf("as is %q, allowed are %s and %s", opt.As, rows.AsInteger, rows.AsText)
	}
	return nil
}

type collector struct {
	Options
	keys    rows.Keys
	numbers []uint64
	rows    uint64 // that were read
	at      int    // of the column of repetitions, 0 without one
}

// announce allocates memory for rows to come, within the limit.
func (c *collector) announce(rows uint64) error {
	if c.Rows > 0 {
		rows = min(rows, c.Rows)
	} else if rows > c.Limit {
		return c.tooMany()
	}
	c.numbers = slices.Grow(c.numbers, max(0, int(rows)-len(c.numbers)))
	return nil
}

func (c *collector) tooMany() error {
	return fmt.Errorf("more than %d rows, which is the most that are read; hint: rows says how many to read from the first on", c.Limit)
}

func (c *collector) collect(r *rows.Reader) error {
	for c.Rows == 0 || c.rows < c.Rows {
		cells, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if column, err := c.add(cells); err != nil {
			return r.Wrong(column, err)
		}
	}
	return nil
}

// add takes a row. An error comes with the column that it is about.
func (c *collector) add(cells []rows.Cell) (column int, err error) {
	key, column, err := c.keys.Key(cells)
	if err != nil {
		return column, err
	}
	c.rows++
	times := uint64(1)
	if c.at > 0 {
		if times, err = rows.Times(cells[c.at]); err != nil {
			return c.at, err
		}
	}
	if times > c.Limit-uint64(len(c.numbers)) {
		return 0, c.tooMany()
	}
	for range times {
		c.numbers = append(c.numbers, key)
	}
	return 0, nil
}

func (c *collector) complete() error {
	switch {
	case len(c.numbers) == 0:
		return errors.New("it has no rows")
	case c.rows < c.Rows:
		return fmt.Errorf("rows is %d, the file has %d", c.Rows, c.rows)
	}
	return nil
}
