package stream

import "math/bits"

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
			emit: func(c *compiler, n *node) {
				c.number(n.inputs[0])
				c.number(n.inputs[1])
				c.Step(op.name)
			},
		})
	}
}

func init() {
	declare(Kind{
		Name: "fnv", Help: "YCSB's hash: FNV-1a over 8 bytes, low one first, as a signed number without its sign", Inputs: []string{"of"},
		length:  commonLength,
		largest: func(*node, uint64) uint64 { return 1 << 63 },
		emit: func(c *compiler, n *node) {
			c.number(n.inputs[0])
			c.Step("fnv")
		},
	})
}

// Add is a + b.
func (s Stream) Add(b Stream) Stream { return s.on("add", nil, b) }

// Sub is a - b.
func (s Stream) Sub(b Stream) Stream { return s.on("sub", nil, b) }

// Mul is a * b.
func (s Stream) Mul(b Stream) Stream { return s.on("mul", nil, b) }

// Div is a / b, rounded down, and 0 where b is 0.
func (s Stream) Div(b Stream) Stream { return s.on("div", nil, b) }

// Mod is a modulo b, and 0 where b is 0.
func (s Stream) Mod(b Stream) Stream { return s.on("mod", nil, b) }

// Xor is a exclusive-or b.
func (s Stream) Xor(b Stream) Stream { return s.on("xor", nil, b) }

// Fnv is YCSB's hash of each number, which is below 2^63, or 2^63.
func (s Stream) Fnv() Stream { return s.on("fnv", nil) }
