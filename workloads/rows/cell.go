package rows

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
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
var isInteger = regexp.MustCompile(`^\s*(-?[0-9]+|0x[0-9a-fA-F]+)\s*$`).MatchString

// Decimals become whole numbers: those of a scaled column are multiplied by one power of ten.

// mostDecimals is the number of digits after the point that a number of 8 bytes has room for.
const mostDecimals = 18

// scale says how the decimals of a column are written.
type scale struct {
	digits int  // after the point
	fixed  bool // the file has whole numbers and says the digits
}

// fixed notes the digits of a column whose type says them; those of other types are negative.
func (r *Reader) fixed(column, digits int) error {
	if digits < 0 || !r.Columns[column].Scaled {
		return nil
	}
	if wanted := r.Columns[column].Decimals; wanted > 0 && wanted != digits {
		return fmt.Errorf("decimals is %d, column %s has %d", wanted, r.Column(column), digits)
	}
	r.scale[column] = scale{digits, true}
	return nil
}

// begin decides by the first row how many digits the columns have.
func (r *Reader) begin(cells []Cell) {
	for i, c := range cells {
		if s := &r.scale[i]; r.Columns[i].Scaled && !s.fixed {
			if s.digits = r.Columns[i].Decimals; s.digits == 0 && c.Kind == Untyped {
				s.digits = len(afterPoint(c.Text))
			}
		}
	}
}

// scaled multiplies the decimals of rows, up to the first cell that is wrong, and returns where that is.
func (r *Reader) scaled(cells []Cell) (wrong int, err error) {
	wrong = len(cells)
	for column, s := range r.scale {
		for i := column; s.digits > 0 && !s.fixed && i < wrong-wrong%len(r.scale); i += len(r.scale) {
			scaled, failed := cells[i].times(s.digits)
			if cells[i] = scaled; failed != nil {
				wrong, err = i, failed
			}
		}
	}
	return wrong, err
}

// afterPoint returns the digits after the point of a decimal, nothing of other texts.
func afterPoint(text string) string {
	return append(decimal.FindStringSubmatch(text), "", "")[1]
}

var decimal = regexp.MustCompile(`^\s*-?[0-9]*\.([0-9]+)\s*$`)

// times multiplies a decimal by a power of ten. Cells that are no numbers stay as they are.
func (c Cell) times(digits int) (Cell, error) {
	if n, ok := shortDecimal(c.Text, digits); ok && c.Kind != Text {
		return signed(n), nil
	}
	text := strings.TrimSpace(c.Text)
	switch {
	case c.Kind == Null, c.Kind == Text:
		return c, nil
	case c.Text == "" && c.Kind == Real:
		return c.realTimes(digits)
	case c.Text == "":
		text = c.String()
	case strings.ContainsAny(text, "eE"):
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return c, nil
		}
		return real(x).realTimes(digits)
	}
	after := afterPoint(text)
	switch {
	case after == "" && !isInteger(text):
		return c, nil
	case len(after) > digits:
		return c, fmt.Errorf("%s has more than %d digits after the point; hint: decimals says how many there are", c, digits)
	}
	c.Text = strings.Replace(text, ".", "", 1) + strings.Repeat("0", digits-len(after))
	if c.Kind == Real {
		c.Kind = Whole
	}
	return c, nil
}

// shortDecimal multiplies a decimal that surely fits, written with a digit on each side of its point if it has one.
func shortDecimal(text string, digits int) (n int64, ok bool) {
	unsigned := strings.TrimPrefix(text, "-")
	point := -1
	for i := 0; i < len(unsigned); i++ {
		if c := unsigned[i]; c >= '0' && c <= '9' {
			n = n*10 + int64(c-'0')
		} else if c != '.' || point >= 0 || i == 0 {
			return 0, false
		} else {
			point = i
		}
	}
	if after := len(unsigned) - 1 - point; point >= 0 {
		if digits -= after; after == 0 || digits < 0 {
			return 0, false
		}
	}
	for range digits {
		n *= 10
	}
	if len(unsigned) != len(text) {
		n = -n
	}
	return n, unsigned != "" && len(unsigned)+digits < mostDecimals
}

func (c Cell) realTimes(digits int) (Cell, error) {
	x := math.Float64frombits(c.Number) * math.Pow10(digits)
	whole := math.Round(x)
	if math.Abs(x-whole) > 1e-6*max(1, math.Abs(x)*1e-6) || !(math.Abs(x) <= 1<<53) {
		return c, fmt.Errorf("%s is no decimal with %d digits after the point", c, digits)
	}
	return signed(int64(whole)), nil
}

// wideCell returns a number in two's complement, high byte first. One that 8 bytes have no room for is a text of digits.
func wideCell(number string) Cell {
	if number == "" {
		return Cell{}
	}
	x := int64(int8(number[0]))
	for _, b := range []byte(number[1:]) {
		if high := x >> 55; high != 0 && high != -1 {
			wide := new(big.Int).SetBytes([]byte(number))
			if number[0] >= 0x80 {
				wide.Sub(wide, new(big.Int).Lsh(big.NewInt(1), uint(8*len(number))))
			}
			return Cell{Kind: Whole, Text: wide.String()}
		}
		x = x<<8 | int64(b)
	}
	return signed(x)
}

// Remarks says which columns are decimals.
func (r *Reader) Remarks() (list []string) {
	for i, s := range r.scale {
		if s.digits > 0 {
			list = append(list, fmt.Sprintf("column %s: decimals with %d digits become whole numbers, 1 is 1%s", r.Column(i), s.digits, strings.Repeat("0", s.digits)))
		}
	}
	return list
}
