package rows

import (
	"math"
	"strconv"
	"strings"
)

// Kind is the type of a cell, as far as the file tells it.
type Kind uint8

// The kinds of cells.
const (
	Null    Kind = iota // no value
	Whole               // a whole number
	Real                // any other number
	Text                // a text
	Untyped             // CSV: a text, which may be a number
)

// Cell is a row's value in a column.
type Cell struct {
	Kind Kind
	// Text is a text, or a number as the file writes it. Without one, Number is the number:
	// two's complement if it is Negative, the bits of a float64 if it is Real.
	Text     string
	Number   uint64
	Negative bool
}

// String returns the cell as text.
func (c Cell) String() string {
	switch {
	case c.Text != "" || c.Kind != Whole && c.Kind != Real:
		return c.Text
	case c.Kind == Real:
		return strconv.FormatFloat(math.Float64frombits(c.Number), 'g', -1, 64)
	case c.Negative:
		return strconv.FormatInt(int64(c.Number), 10)
	}
	return strconv.FormatUint(c.Number, 10)
}

// Unsigned returns the cell as a whole number from 0 on, if it is one; a real number must be exact.
func (c Cell) Unsigned() (uint64, bool) {
	switch {
	case c.Kind == Real:
		x, ok := c.Float()
		return uint64(x), ok && x >= 0 && x <= 1<<53 && x == math.Trunc(x)
	case c.Kind == Whole && c.Text == "":
		return c.Number, !c.Negative
	}
	n, err := strconv.ParseUint(strings.TrimSpace(c.Text), 10, 64)
	return n, err == nil
}

// Word is Unsigned that also takes negative numbers, as two's complement.
func (c Cell) Word() (uint64, bool) {
	if n, ok := c.Unsigned(); ok {
		return n, ok
	}
	if c.Kind == Whole && c.Text == "" {
		return c.Number, true
	}
	n, err := strconv.ParseInt(strings.TrimSpace(c.Text), 10, 64)
	return uint64(n), err == nil && c.Kind != Real
}

// Float returns the cell as a finite number, if it is one.
func (c Cell) Float() (float64, bool) {
	x, err := math.Float64frombits(c.Number), error(nil)
	switch {
	case c.Text != "" || c.Kind != Whole && c.Kind != Real:
		x, err = strconv.ParseFloat(strings.TrimSpace(c.Text), 64)
	case c.Kind == Whole && c.Negative:
		x = float64(int64(c.Number))
	case c.Kind == Whole:
		x = float64(c.Number)
	}
	return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
}

func signed(x int64) Cell    { return Cell{Kind: Whole, Number: uint64(x), Negative: x < 0} }
func unsigned(x uint64) Cell { return Cell{Kind: Whole, Number: x} }
func real(x float64) Cell    { return Cell{Kind: Real, Number: math.Float64bits(x)} }
func textCell(x string) Cell { return Cell{Kind: Text, Text: x} }

// isInteger reports whether a text looks like a whole number of any size.
func isInteger(text string) bool {
	text = strings.TrimSpace(text)
	digits, allowed := strings.TrimPrefix(text, "-"), "0123456789"
	if hex, ok := strings.CutPrefix(text, "0x"); ok {
		digits, allowed = hex, "0123456789abcdefABCDEF"
	}
	return digits != "" && strings.Trim(digits, allowed) == ""
}
