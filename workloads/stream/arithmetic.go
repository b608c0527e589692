package stream

import (
	"fmt"
	"math/bits"
)

// Arithmetic of two streams, number by number, in 64 bits that wrap around.

func init() {
	for _, op := range []struct {
		name, help string
		largest    func(a, b uint64) uint64
	}{
		{"add", "a + b", addBounds},
		{"sub", "a - b", func(_, _ uint64) uint64 { return all }},
		{"mul", "a * b", multiplyBounds},
		{"div", "a / b, rounded down; 0 if b is 0", func(a, _ uint64) uint64 { return a }},
		{"mod", "a modulo b; 0 if b is 0", func(a, b uint64) uint64 { return min(a, max(b, 1)-1) }},
		{"xor", "a exclusive-or b", func(a, b uint64) uint64 { return all >> bits.LeadingZeros64(a|b) }},
	} {
		declare(Kind{
			Name: op.name, Help: op.help, Inputs: []string{"a", "b"}, length: commonLength,
			largest: func(n *node, last uint64) uint64 {
				return op.largest(n.inputs[0].largest(last), n.inputs[1].largest(last))
			},
			emit: emitAll(op.name),
		})
	}
	declare(Kind{
		Name: "fnv", Help: "YCSB's hash: FNV-1a over 8 little-endian bytes, as a signed number without its sign", Inputs: []string{"of"},
		length: commonLength, largest: func(*node, uint64) uint64 { return 1 << 63 }, emit: emitAll("fnv"),
	})
}

func emitAll(step string) func(c *compiler, n *node) {
	return func(c *compiler, n *node) {
		for _, in := range n.inputs {
			c.number(in)
		}
		c.Step(step)
	}
}

// commonLength is the length of streams that are read side by side.
func commonLength(n *node) (uint64, error) {
	length := uint64(Endless)
	for _, in := range n.inputs {
		if length != Endless && in.length != Endless && in.length != length {
			return 0, fmt.Errorf("streams of %d and %d numbers do not fit together; hint: take the same number of both", length, in.length)
		}
		length = min(length, in.length)
	}
	return length, nil
}

func addBounds(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return all
	}
	return sum
}

func multiplyBounds(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high != 0 {
		return all
	}
	return low
}

// Add is a + b.
func (s Stream) Add(b Stream) Stream { return s.on("add", nil, b) }

// Mul is a * b.
func (s Stream) Mul(b Stream) Stream { return s.on("mul", nil, b) }

// Div is a / b, rounded down, and 0 where b is 0.
func (s Stream) Div(b Stream) Stream { return s.on("div", nil, b) }

// Mod is a modulo b, and 0 where b is 0.
func (s Stream) Mod(b Stream) Stream { return s.on("mod", nil, b) }
