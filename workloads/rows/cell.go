package rows

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/runtime/nearest"
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

// How to read the cells of a column of keys.
const (
	Auto      = ""        // like the first cell
	AsInteger = "integer" // texts must be whole numbers
	AsText    = "text"    // whole numbers are hashed as texts
)

// Keys makes keys of a column that is all numbers or all texts: of whole numbers that fit, negative ones as
// two's complement, and of the low bytes of a text's XXH3-64.
type Keys struct {
	Width int // bytes of a key: 4 or 8
	As    string
	Loose bool // texts that look like numbers are numbers, in all formats
	// Hints tell the user how to ask for texts and for wider keys.
	TextHint, WideHint string
	// Reserved counts the keys that every table rejects.
	Reserved uint64

	kind Kind // Whole or Text, decided by the first cell
}

// Hashed reports whether keys are hashes of texts.
func (k *Keys) Hashed() bool { return k.kind == Text }

// Key returns the key of a cell.
func (k *Keys) Key(c Cell) (uint64, error) {
	untyped := k.Loose || c.Kind == Untyped
	if c.Kind == Null || untyped && c.Kind != Whole && k.As != AsText && strings.TrimSpace(c.String()) == "" {
		return 0, errors.New("there is no value")
	}
	if c.Kind == Real && k.As != AsText {
		return 0, fmt.Errorf("%s is not a whole number", c)
	}
	is := k.take(c, untyped)
	if k.kind == Null {
		k.kind = is
	}
	if k.kind != is {
		return 0, k.mixed(c)
	}
	key, err := uint64(0), error(nil)
	if is == Whole {
		key, err = k.number(c)
	} else {
		key = xxh3.HashString(c.String()) & k.largest()
	}
	if key >= k.largest()-1 {
		k.Reserved++
	}
	return key, err
}

func (k *Keys) take(c Cell, untyped bool) Kind {
	switch {
	case k.As == AsText:
		return Text
	case k.As == AsInteger:
		return Whole
	case untyped && k.kind != Null:
		return k.kind
	case c.Kind == Whole || untyped && isInteger(c.Text):
		return Whole
	}
	return Text
}

func (k *Keys) mixed(c Cell) error {
	if k.kind == Whole {
		return fmt.Errorf("%s is not a whole number, but the first cell is; hint: %s takes all as texts", nearest.Quoted(c.String()), k.TextHint)
	}
	return fmt.Errorf("%s is a whole number, but the first cell is a text; hint: %s takes all as texts", c, k.TextHint)
}

func (k *Keys) largest() uint64 { return math.MaxUint64 >> (64 - 8*k.Width) }

// number returns the key of a whole number; texts may have a hexadecimal one with 0x.
func (k *Keys) number(c Cell) (uint64, error) {
	if c.Text == "" && c.Kind == Whole {
		return k.fit(c)
	}
	trimmed := strings.TrimSpace(c.Text)
	digits, base := trimmed, 10
	if hex, ok := strings.CutPrefix(trimmed, "0x"); ok {
		digits, base = hex, 16
	}
	if x, err := strconv.ParseUint(digits, base, 64); err == nil {
		return k.fit(unsigned(x))
	}
	if x, err := strconv.ParseInt(trimmed, 10, 64); err == nil {
		return k.fit(signed(x))
	}
	switch {
	case isInteger(trimmed):
		return 0, k.tooWide(trimmed)
	case k.As == Auto:
		return 0, k.mixed(c)
	}
	return 0, fmt.Errorf("%s is not a whole number", nearest.Quoted(c.Text))
}

func (k *Keys) fit(c Cell) (uint64, error) {
	if k.Width == 4 && (c.Negative && int64(c.Number) < math.MinInt32 || !c.Negative && c.Number > math.MaxUint32) {
		return 0, k.tooWide(c.String())
	}
	return c.Number & k.largest(), nil
}

func (k *Keys) tooWide(number string) error {
	hint := k.TextHint
	if k.Width == 4 {
		hint = k.WideHint + ", or " + hint
	}
	return fmt.Errorf("%s does not fit %d bytes; hint: %s", number, k.Width, hint)
}
