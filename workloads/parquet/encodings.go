package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Value is a number, a text or bytes. Numbers are as they are stored: those of 4 bytes and floating-point
// numbers are the low bits.
type Value struct {
	Number uint64
	Text   string
	Null   bool
}

// Encodings of values.
const (
	plain           = 0
	plainDictionary = 2
	runs            = 3
	deltas          = 5
	deltaLengths    = 6
	deltaTexts      = 7
	dictionary      = 8
	split           = 9
)

func little(b []byte) (x uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		x = x<<8 | uint64(b[i])
	}
	return x
}

// bits returns the bits from one on, of which the first is the lowest.
func bits(b []byte, at, width int) uint64 {
	if from, shift := at/8, at%8; width <= 56 && len(b)-from >= 8 {
		return binary.LittleEndian.Uint64(b[from:]) >> shift & (1<<width - 1)
	}
	x := uint64(0)
	for i := range width {
		bit := at + i
		x |= uint64(b[bit/8]>>(bit%8)&1) << i
	}
	return x
}

// decode begins to read the values of a page of some cells.
func (c *Cells) decode(encoding int32, in *input, cells uint64) {
	switch t := c.column.Type; {
	case encoding == plain && (t == Int64 || t == Double):
		c.numbers = in
	case encoding == plain:
		c.take = c.plain(in)
	case encoding == plainDictionary || encoding == dictionary:
		c.indices = newHybrid(in.bytes[1:], int(in.bytes[0]))
		c.take = func() Value { return c.dictionary[c.indices.next()] }
	case encoding == runs && t == Boolean:
		truths := newHybrid(in.take(int(little(in.take(4)))), 1)
		c.take = func() Value { return Value{Number: truths.next()} }
	case encoding == deltas && (t == Int32 || t == Int64):
		d, mask := newDelta(in, cells), uint64(math.MaxUint64)>>(64-8*c.width())
		c.take = func() Value { return Value{Number: uint64(d.next()) & mask} }
	case encoding == deltaLengths && t == ByteArray:
		c.take = deltaLengthTexts(in, cells)
	case encoding == deltaTexts && (t == ByteArray || t == Fixed):
		c.take = deltaPrefixTexts(in, cells)
	case encoding == split && c.width() > 0:
		c.take = c.split(in.bytes)
	default:
		panic(Unsupported(fmt.Sprintf("its pages have the encoding %d of type %v, which cannot be read", encoding, t)))
	}
}

// width returns the bytes of a value, 0 if they are not fixed.
func (c *Cells) width() int {
	switch c.column.Type {
	case Int32, Float:
		return 4
	case Int64, Double:
		return 8
	case Fixed:
		return c.column.Length
	}
	return 0
}

// value makes a value of bytes of the column's width.
func (c *Cells) value(b []byte) Value {
	if c.column.Type == Fixed {
		return Value{Text: string(b)}
	}
	return Value{Number: little(b)}
}

func (c *Cells) plain(in *input) func() Value {
	switch width := c.width(); {
	case c.column.Type == Boolean:
		at := 0
		return func() Value { at++; return Value{Number: bits(in.bytes, at-1, 1)} }
	case c.column.Type == ByteArray:
		return func() Value { return Value{Text: in.text(int(little(in.take(4))))} }
	case c.column.Type == Fixed:
		return func() Value { return Value{Text: in.text(width)} }
	case width > 0:
		return func() Value { return c.value(in.take(width)) }
	}
	panic(Unsupported(fmt.Sprintf("values of type %v cannot be read", c.column.Type)))
}

// split reads values whose first bytes come first, then all second bytes, and so on.
func (c *Cells) split(in []byte) func() Value {
	width, i := c.width(), -1
	n, b := len(in)/width, make([]byte, width)
	return func() Value {
		if i++; i >= n {
			fail("a page has fewer values than it says")
		}
		for k := range b {
			b[k] = in[k*n+i]
		}
		return c.value(b)
	}
}

// hybrid reads small numbers in runs: of a number that is repeated, or of numbers that are packed into their bits.
type hybrid struct {
	in     input
	width  int
	run    uint64 // numbers that are left of a run
	number uint64 // that is repeated
	packed []byte // or nil
	at     int
}

func newHybrid(in []byte, width int) *hybrid {
	if width > 32 {
		fail("small numbers of %d bits", width)
	}
	return &hybrid{in: input{bytes: in}, width: width}
}

// peek returns the next number, and how many are known to be the same.
func (h *hybrid) peek() (number, same uint64) {
	for h.run == 0 {
		h.begin()
	}
	if h.packed == nil {
		return h.number, h.run
	}
	return bits(h.packed, h.at, h.width), 1
}

func (h *hybrid) begin() {
	head := h.in.uvarint()
	if h.run, h.packed = head>>1, nil; head&1 == 0 {
		h.number = little(h.in.take((h.width + 7) / 8))
		return
	}
	if h.run > uint64(len(h.in.bytes))+1 {
		fail("a run of 8 times %d numbers", h.run)
	}
	h.packed, h.at = h.in.take(min(int(h.run)*h.width, len(h.in.bytes))), 0 // some writers cut off the last bytes
	h.run *= 8
}

func (h *hybrid) skip(n uint64) {
	h.run -= n
	h.at += int(n) * h.width
}

func (h *hybrid) next() uint64 {
	number, _ := h.peek()
	h.skip(1)
	return number
}

// delta reads numbers as differences, in blocks of the same least difference, whose parts have a number of bits each.
type delta struct {
	in                  *input
	left                uint64 // numbers
	last, least         int64
	parts, each, inPart uint64 // parts of a block, numbers of a part, numbers that are left of this one
	widths, packed      []byte
	at                  int
}

func newDelta(in *input, most uint64) *delta {
	block, parts := in.uvarint(), in.uvarint()
	d := &delta{in: in, parts: parts, left: in.uvarint(), last: in.varint()}
	if parts == 0 || block == 0 || block > 1<<20 || block%(8*parts) != 0 || d.left > most {
		fail("%d differences of %d numbers in blocks of %d with %d parts", d.left, most, block, parts)
	}
	d.each = block / parts
	return d
}

func (d *delta) next() int64 {
	if d.left == 0 {
		fail("a page has fewer values than it says")
	}
	number := d.last
	if d.left--; d.left > 0 {
		d.advance()
	}
	return number
}

func (d *delta) advance() {
	if d.inPart == 0 {
		if len(d.widths) == 0 {
			d.least, d.widths = d.in.varint(), d.in.take(int(d.parts))
		}
		if d.widths[0] > 64 {
			fail("differences of %d bits", d.widths[0])
		}
		d.packed, d.at, d.inPart = d.in.take(int(d.each)/8*int(d.widths[0])), 0, d.each
	}
	width := int(d.widths[0])
	d.last += d.least + int64(bits(d.packed, d.at, width))
	d.at += width
	if d.inPart--; d.inPart == 0 {
		d.widths = d.widths[1:]
	}
}

// lengths reads all numbers of a list of lengths: what follows them begins where they end.
func lengths(in *input, n uint64) []int {
	const most = 1 << 24 // in a page
	d := newDelta(in, min(n, most))
	list := make([]int, 0, min(d.left, 1<<12))
	for d.left > 0 {
		list = append(list, int(d.next()))
	}
	return list
}

func deltaLengthTexts(in *input, n uint64) func() Value {
	list := lengths(in, n)
	return func() Value {
		length := list[0]
		list = list[1:]
		return Value{Text: in.text(length)}
	}
}

// deltaPrefixTexts reads texts that begin like the previous one.
func deltaPrefixTexts(in *input, n uint64) func() Value {
	same := lengths(in, n)
	rest, last := deltaLengthTexts(in, n), ""
	return func() Value {
		last = last[:same[0]] + rest().Text
		same = same[1:]
		return Value{Text: last}
	}
}
