package file

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"
)

// collector takes the cells of a column one by one and makes numbers of them.
type collector struct {
	Options
	file    string
	numbers []uint64
	texts   []xxh3.Uint128 // a hash of every text, to count collisions
	sort    string         // Integer or Text, known from the first cell on
}

// errEnough ends the reading: there are as many rows as were asked for.
var errEnough = errors.New("enough rows")

// place says where a cell is, in messages: "line 5" or "row 5".
type place struct {
	what string
	n    uint64
}

func (c *collector) at(p place, format string, args ...any) error {
	return fmt.Errorf(", %s %d, column %s: %w", p.what, p.n, c.name(), fmt.Errorf(format, args...))
}

// name is the column's, for messages.
func (c *collector) name() string { return shown([]string{c.Column})[0] }

// announce is called with the number of rows up to some place if it is known before
// they are read. What is more than allowed is refused before there is memory for it.
func (c *collector) announce(rows uint64) error {
	if c.Rows == 0 && rows > c.Limit {
		return c.tooMany()
	}
	if c.Rows > 0 {
		rows = min(rows, c.Rows)
	}
	if more := int64(rows) - int64(len(c.numbers)); more > 0 {
		c.numbers = slices.Grow(c.numbers, int(more))
	}
	return nil
}

func (c *collector) tooMany() error {
	return fmt.Errorf(" has more than %d rows, which is the most that are read; hint: rows says how many to read from the first on", c.Limit)
}

// add takes a number that is cut to the width already.
func (c *collector) add(number uint64) error {
	if uint64(len(c.numbers)) >= c.Limit {
		return c.tooMany()
	}
	c.numbers = append(c.numbers, number)
	if uint64(len(c.numbers)) == c.Rows {
		return errEnough
	}
	return nil
}

// is holds a cell against the column being of one sort.
func (c *collector) is(sort, cell string, p place) error {
	if c.sort == "" {
		c.sort = sort
	}
	if c.sort == sort {
		return nil
	}
	if sort == Text {
		return c.at(p, `%s is no whole number, and the first cell is one; hint: as = "text" takes all as texts`, quoted(cell))
	}
	return c.at(p, `%s is a whole number, and the first cell is a text; hint: as = "text" takes all as texts`, cell)
}

// signed takes a whole number.
func (c *collector) signed(x int64, p place) error {
	if x >= 0 {
		return c.unsigned(uint64(x), p)
	}
	if c.As == Text {
		return c.text(strconv.FormatInt(x, 10), p)
	}
	if c.Width == 4 && x < -1<<31 {
		return c.tooWide(strconv.FormatInt(x, 10), p)
	}
	return c.integer(uint64(x)<<(64-8*c.Width)>>(64-8*c.Width), strconv.FormatInt(x, 10), p)
}

// unsigned takes a whole number that is not negative.
func (c *collector) unsigned(x uint64, p place) error {
	if c.As == Text {
		return c.text(strconv.FormatUint(x, 10), p)
	}
	if c.Width == 4 && x >= 1<<32 {
		return c.tooWide(strconv.FormatUint(x, 10), p)
	}
	return c.integer(x, "", p)
}

func (c *collector) integer(number uint64, cell string, p place) error {
	if c.sort != Integer {
		if cell == "" {
			cell = strconv.FormatUint(number, 10)
		}
		if err := c.is(Integer, cell, p); err != nil {
			return err
		}
	}
	return c.add(number)
}

func (c *collector) tooWide(cell string, p place) error {
	hint := `as = "text"`
	if c.Width == 4 {
		hint = `a table with keys of 8 bytes, or ` + hint
	}
	return c.at(p, "%s does not fit %d bytes; hint: %s", cell, c.Width, hint)
}

// text takes a text, which is hashed unless whole numbers are wanted.
func (c *collector) text(cell string, p place) error {
	if c.As == Integer {
		return c.number(cell, p)
	}
	if err := c.is(Text, cell, p); err != nil {
		return err
	}
	hash := xxh3.HashString(cell)
	c.texts = append(c.texts, xxh3.HashString128(cell))
	return c.add(hash << (64 - 8*c.Width) >> (64 - 8*c.Width))
}

// number takes a text that must be a whole number, decimal or with 0x.
func (c *collector) number(cell string, p place) error {
	trimmed := strings.TrimSpace(cell)
	digits, base := trimmed, 10
	if hex, ok := strings.CutPrefix(trimmed, "0x"); ok {
		digits, base = hex, 16
	}
	x, err := strconv.ParseUint(digits, base, 64)
	if err == nil {
		return c.unsigned(x, p)
	}
	if y, failed := strconv.ParseInt(trimmed, 10, 64); failed == nil {
		return c.signed(y, p)
	}
	if errors.Is(err, strconv.ErrRange) || isInteger(trimmed) {
		return c.tooWide(trimmed, p)
	}
	if c.sort == Integer && c.As == Auto {
		return c.is(Text, cell, p)
	}
	return c.at(p, "%s is no whole number", quoted(cell))
}

// guess takes a cell of a format that does not tell numbers from texts.
func (c *collector) guess(cell string, p place) error {
	switch {
	case strings.TrimSpace(cell) == "" && c.As != Text:
		return c.missing(p)
	case c.As == Text || c.sort == Text || c.sort == "" && !isInteger(cell):
		return c.text(cell, p)
	}
	return c.number(cell, p)
}

func (c *collector) missing(p place) error { return c.at(p, "there is no value") }

// isInteger says whether a text looks like a whole number, of any size.
func isInteger(cell string) bool {
	cell = strings.TrimSpace(cell)
	digits, allowed := strings.TrimPrefix(cell, "-"), "0123456789"
	if hex, ok := strings.CutPrefix(cell, "0x"); ok {
		digits, allowed = hex, "0123456789abcdefABCDEF"
	}
	return digits != "" && strings.Trim(digits, allowed) == ""
}

// quoted is a cell as messages show it.
func quoted(cell string) string {
	const longest = 40
	if len(cell) > longest {
		cell = cell[:longest] + "..."
	}
	return strconv.Quote(cell)
}

// complete checks the number of rows at the end.
func (c *collector) complete() error {
	switch n := uint64(len(c.numbers)); {
	case n == 0:
		return errors.New(" has no rows")
	case n < c.Rows:
		return fmt.Errorf(": rows is %d, the file has %d", c.Rows, n)
	}
	return nil
}

func (c *collector) column() *Column {
	column := &Column{Label: c.file + ", column " + c.name(), Numbers: c.numbers, Hashed: c.sort == Text}
	if column.Hashed {
		column.Collisions = different(c.texts, compareHashes) - different(slices.Clone(c.numbers), cmp.Compare)
	}
	last := uint64(1)<<(8*c.Width-1)*2 - 1
	for _, x := range c.numbers {
		if x >= last-1 {
			column.Reserved++
		}
	}
	return column
}

func compareHashes(a, b xxh3.Uint128) int {
	return cmp.Or(cmp.Compare(a.Hi, b.Hi), cmp.Compare(a.Lo, b.Lo))
}

// different sorts a list and counts what is different in it.
func different[T comparable](list []T, compare func(a, b T) int) uint64 {
	slices.SortFunc(list, compare)
	return uint64(len(slices.Compact(list)))
}
