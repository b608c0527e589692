// Package file reads a column of keys from a file of any format of package rows.
package file

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/workloads/rows"
)

// Options say what to read. Those with a lua tag are the arguments of gen.file.
type Options struct {
	Column   string `lua:"column"`        // may be left out if there is only one
	Width    uint64 `lua:"width" min:"4"` // bytes of a key: 4 or 8
	Rows     uint64 `lua:"rows" min:"1"`  // how many to read, from the first; 0: all
	Limit    uint64 // more rows are an error
	As       string `lua:"as"`       // rows.Auto, rows.AsInteger or rows.AsText
	Format   string `lua:"format"`   // one of rows.Formats; by default the file name's extension decides
	Numbered bool   `lua:"numbered"` // a CSV file has no line of names; its columns are called 1, 2, 3 ...
}

// Column is what was read.
type Column struct {
	Label      string // the file and the column, for messages
	Numbers    []uint64
	Hashed     bool   // the numbers are hashes of texts
	Collisions uint64 // the number of different texts minus that of different numbers
	Reserved   uint64 // how many are one of the two numbers that every table rejects
}

// Read reads a column of an open file. Its extension decides the format unless opt does.
func Read(name string, f rows.File, opt Options) (*Column, error) {
	name = filepath.Base(name)
	c := &collector{Options: opt, keys: rows.Keys{
		Width: int(opt.Width), As: opt.As, TextHint: `as = "text"`, WideHint: "a table with keys of 8 bytes"}}
	if err := opt.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r, err := rows.Open(name, f, rows.Options{
		Format: opt.Format, Columns: []rows.Column{{Name: opt.Column}}, Numbered: opt.Numbered, Announce: c.announce})
	if err == nil {
		err = c.collect(r)
	}
	if err != nil {
		return nil, err
	}
	if err := c.complete(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c.column(name + ", column " + r.Column(0)), nil
}

func (opt Options) check() error {
	switch {
	case opt.Width != 4 && opt.Width != 8:
		return fmt.Errorf("width is %d, allowed are 4 and 8 bytes", opt.Width)
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
	texts   []xxh3.Uint128 // a hash of every text, to count collisions
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
	for c.Rows == 0 || uint64(len(c.numbers)) < c.Rows {
		cells, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		key, err := c.keys.Key(cells[0])
		if err == nil && uint64(len(c.numbers)) >= c.Limit {
			err = c.tooMany()
		}
		if err != nil {
			return r.Wrong(0, err)
		}
		if c.numbers = append(c.numbers, key); c.keys.Hashed() {
			c.texts = append(c.texts, xxh3.HashString128(cells[0].String()))
		}
	}
	return nil
}

func (c *collector) complete() error {
	switch n := uint64(len(c.numbers)); {
	case n == 0:
		return errors.New("it has no rows")
	case n < c.Rows:
		return fmt.Errorf("rows is %d, the file has %d", c.Rows, n)
	}
	return nil
}

func (c *collector) column(label string) *Column {
	column := &Column{Label: label, Numbers: c.numbers, Hashed: c.keys.Hashed(), Reserved: c.keys.Reserved}
	if column.Hashed {
		compare := func(a, b xxh3.Uint128) int { return cmp.Or(cmp.Compare(a.Hi, b.Hi), cmp.Compare(a.Lo, b.Lo)) }
		column.Collisions = different(c.texts, compare) - different(slices.Clone(c.numbers), cmp.Compare)
	}
	return column
}

// different sorts a list and counts its different elements.
func different[T comparable](list []T, compare func(a, b T) int) uint64 {
	slices.SortFunc(list, compare)
	return uint64(len(slices.Compact(list)))
}
