package rows

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// How to read the cells of a column of keys.
const (
	Auto      = ""        // like the first cell
	AsInteger = "integer" // texts must be whole numbers
	AsText    = "text"    // whole numbers are hashed as texts
)

// Keys makes keys of columns that are all numbers or all texts: of whole numbers that fit, negative ones as
// two's complement, and of the low bytes of a text's XXH3-64. Several columns share the bits of a key, the
// first one has the highest.
type Keys struct {
	Width int // bytes of a key: 4 or 8
	As    string
	Loose bool // texts that look like numbers are numbers, in all formats
	Texts bool // keep all texts, so that Fields can make cells of keys
	// Hints tell the user how to ask for texts, for wider keys and, if possible, for decimals.
	TextHint, WideHint, RealHint string

	kinds      []Kind              // of the columns: Whole or Text, decided by the first cell
	texts      []map[uint64]string // of the columns, if they are kept
	below      []bool              // columns with numbers below 0
	negative   bool                // the last number
	large      []bool              // columns with numbers that, as signed ones, would be below 0
	seen       map[uint64]uint64   // of keys with texts: the key, and another hash of the texts
	others     []uint64            // the other hashes, of keys that Join notes
	collisions uint64              // rows whose text shares its number with an earlier one
	reserved   uint64              // rows with a key that every table rejects
}

// Columns splits the names of columns whose cells form a key: src,dst. decimals is that of each.
func (k *Keys) Columns(names string, decimals int) (list []Column, _ error) {
	list = lists.Map(strings.Split(names, ","), func(name string) Column {
		return Column{Name: name, Scaled: k.As != AsText, Decimals: decimals, RealHint: k.RealHint}
	})
	if k.Width != 4 && k.Width != 8 {
		return nil, fmt.Errorf("keys of %d bytes, allowed are 4 and 8", k.Width)
	}
	if len(list) > k.Width {
		return nil, fmt.Errorf("%d columns in a key of %d bytes: it has room for one a byte", len(list), k.Width)
	}
	k.kinds, k.seen = make([]Kind, len(list)), map[uint64]uint64{}
	k.texts, k.below, k.large = make([]map[uint64]string, len(list)), make([]bool, len(list)), make([]bool, len(list))
	return list, nil
}

// Key returns the key of a row, of which the first cells are those of Columns.
// An error comes with the column that it is about.
func (k *Keys) Key(cells []Cell) (key uint64, column int, err error) {
	other, hashed, bits := uint64(0), false, 8*k.Width/len(k.kinds)
	for i, c := range cells[:len(k.kinds)] {
		part := c.Number
		if !(k.kinds[i] == Whole && c.Kind == Whole && c.Text == "" && !c.Negative && part>>(bits-1) == 0) { // most are
			if part, err = k.part(i, c, bits); err != nil {
				return 0, i, err
			}
		}
		if key = key<<bits | part; k.kinds[i] == Text {
			other, hashed = other*0x9e3779b97f4a7c15+xxh3.HashStringSeed(cells[i].String(), 1), true
		}
	}
	if hashed && k.seen == nil {
		k.others = append(k.others, other)
	} else if hashed {
		k.note(key, other)
	}
	if key >= math.MaxUint64>>(64-8*k.Width)-1 {
		k.reserved++
	}
	return key, 0, nil
}

// First decides by the first row whether columns are numbers or texts.
func (k *Keys) First(cells []Cell) {
	for i := range k.kinds {
		if c := cells[i]; c.Kind != Null {
			k.kinds[i] = k.take(c, Null, k.Loose || c.Kind == Untyped)
		}
	}
}

// Part returns Keys for rows that follow each other, after First. Join adds what they know.
func (k *Keys) Part() Keys {
	p := *k
	p.kinds, p.texts = slices.Clone(k.kinds), make([]map[uint64]string, len(k.texts))
	p.below, p.large = make([]bool, len(k.below)), make([]bool, len(k.large))
	p.seen, p.others, p.reserved = nil, nil, 0
	return p
}

// Join adds what a part knows, of which these are all keys. Parts come in the order of the file.
func (k *Keys) Join(p *Keys, keys []uint64) {
	for i := 0; i < len(keys) && p.others != nil; i++ {
		k.note(keys[i], p.others[i])
	}
	for i := range k.kinds {
		k.below[i] = k.below[i] || p.below[i]
		k.large[i] = k.large[i] || p.large[i]
		k.addTexts(i, p.texts[i])
	}
	k.reserved += p.reserved
}

func (k *Keys) addTexts(i int, texts map[uint64]string) {
	if k.texts[i] == nil {
		k.texts[i] = texts
		return
	}
	for number, text := range texts {
		if _, known := k.texts[i][number]; !known {
			k.texts[i][number] = text
		}
	}
}

// mostSeen bounds the texts among which collisions are counted.
const mostSeen = 1 << 22

func (k *Keys) note(key, other uint64) {
	switch was, known := k.seen[key]; {
	case known && was != other:
		k.collisions++
	case !known && len(k.seen) < mostSeen:
		k.seen[key] = other
	}
}

// Remarks lists what the user should know about the keys.
func (k *Keys) Remarks() (list []string) {
	if slices.Contains(k.kinds, Text) {
		text := fmt.Sprintf("keys are texts: each is the low %s of its XXH3-64; rows that share it with another text: %d",
			size(8*k.Width/len(k.kinds)), k.collisions)
		if len(k.seen) == mostSeen {
			text += fmt.Sprintf(", among the first %d different keys", mostSeen)
		}
		list = append(list, text)
	}
	if k.reserved > 0 {
		list = append(list, fmt.Sprintf("rows with one of the two largest keys, which no table takes: %d", k.reserved))
	}
	for i := range k.kinds {
		if bits := 8 * k.Width / len(k.kinds); k.Texts && k.below[i] && k.large[i] {
			list = append(list, fmt.Sprintf("there are numbers below 0 and others from 2^%d on, which %s do not tell apart: all of them are written as below 0", bits-1, size(bits)))
		}
	}
	return list
}

func size(bits int) string {
	return lists.Either(bits%8 == 0, fmt.Sprintf("%d bytes", bits/8), fmt.Sprintf("%d bits", bits))
}

// part returns the bits of a column.
func (k *Keys) part(i int, c Cell, bits int) (uint64, error) {
	untyped := k.Loose || c.Kind == Untyped
	if c.Kind == Null || untyped && c.Kind != Whole && k.As != AsText && strings.TrimSpace(c.String()) == "" {
		return 0, errors.New("there is no value")
	}
	if c.Kind == Real && k.As != AsText {
		return 0, fmt.Errorf("%s is not a whole number%s", c, k.RealHint)
	}
	is := k.take(c, k.kinds[i], untyped)
	k.kinds[i] = cmp.Or(k.kinds[i], is)
	switch {
	case k.kinds[i] != is:
		return 0, k.mixed(c, k.kinds[i])
	case is == Whole:
		part, err := k.number(c, bits)
		k.large[i] = k.large[i] || !k.negative && part>>(bits-1) != 0
		k.below[i] = k.below[i] || k.negative
		return part, err
	}
	text := c.String()
	part := xxh3.HashString(text) & (math.MaxUint64 >> (64 - bits))
	if k.Texts && k.texts[i] == nil {
		k.texts[i] = map[uint64]string{}
	}
	if _, known := k.texts[i][part]; k.Texts && !known {
		k.texts[i][part] = strings.Clone(text) // the first text of a number
	}
	return part, nil
}

func (k *Keys) take(c Cell, first Kind, untyped bool) Kind {
	switch {
	case k.As == AsText:
		return Text
	case k.As == AsInteger:
		return Whole
	case untyped && first != Null:
		return first
	case c.Kind == Whole || untyped && isInteger(c.Text):
		return Whole
	}
	return Text
}

func (k *Keys) mixed(c Cell, first Kind) error {
	if first == Whole {
		return fmt.Errorf("%s is not a whole number, but the first cell is; hint: %s takes all as texts", nearest.Quoted(c.String()), k.TextHint)
	}
	return fmt.Errorf("%s is a whole number, but the first cell is a text; hint: %s takes all as texts", c, k.TextHint)
}

// number returns the bits of a whole number; texts may have a hexadecimal one with 0x.
func (k *Keys) number(c Cell, bits int) (uint64, error) {
	if c.Text == "" && c.Kind == Whole {
		return k.fit(c, bits)
	}
	trimmed := strings.TrimSpace(c.Text)
	digits, base := trimmed, 10
	if hex, ok := strings.CutPrefix(trimmed, "0x"); ok {
		digits, base = hex, 16
	}
	if x, err := strconv.ParseUint(digits, base, 64); err == nil {
		return k.fit(unsigned(x), bits)
	}
	if x, err := strconv.ParseInt(trimmed, 10, 64); err == nil {
		return k.fit(signed(x), bits)
	}
	switch {
	case isInteger(trimmed):
		return 0, k.tooWide(trimmed, bits)
	case k.As == Auto:
		return 0, k.mixed(c, Whole)
	}
	return 0, fmt.Errorf("%s is not a whole number", nearest.Quoted(c.Text))
}

func (k *Keys) fit(c Cell, bits int) (uint64, error) {
	if bits < 64 && (c.Negative && int64(c.Number) < -1<<(bits-1) || !c.Negative && c.Number >= 1<<bits) {
		return 0, k.tooWide(c.String(), bits)
	}
	k.negative = c.Negative
	return c.Number & (math.MaxUint64 >> (64 - bits)), nil
}

func (k *Keys) tooWide(number string, bits int) error {
	hint := lists.Either(k.Width == 4, k.WideHint+", or "+k.TextHint, k.TextHint)
	return fmt.Errorf("%s does not fit %s; hint: %s", number, size(bits), hint)
}

// Times returns how often a cell says that its row counts.
func Times(c Cell) (uint64, error) {
	const mostTimes = 1 << 24 // that a single row may stand for
	n, ok := c.Unsigned()
	if !ok || n > mostTimes {
		return 0, fmt.Errorf("%s repetitions: it takes a whole number up to %d", nearest.Quoted(c.String()), mostTimes)
	}
	return n, nil
}
