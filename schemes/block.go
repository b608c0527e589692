package schemes

import (
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Block fills a table block, which describes a table to the kernels.
func (c Config) Block(l Layout, seed uint64, regions []device.Addr) kernels.Table {
	t := kernels.Table{
		Capacity: l.Capacity,
		Buckets:  l.Buckets,
		Seed:     splitmix(^seed)(),
		Family:   kernels.Fast,
		Hashes:   max(1, c.Hashes),
	}
	for i, at := range regions {
		t.Region[i] = uint64(at)
	}
	args := t.Arg[:0]
	for i, p := range c.Params {
		switch p.Role {
		case HashCount:
			t.Hashes = uint32(c.values[i])
		case HashFamily:
			t.Family = uint32(c.values[i])
		case Arg:
			args = append(args, uint64(c.values[i]))
		}
	}
	if c.Arguments != nil {
		c.Arguments(c, l, t.Arg[:])
	}
	t.Hash = hashConstants(seed, t.Family)
	return t
}

// Kernel returns the name of the kernel that carries out an operation.
func (c Config) Kernel(pair Pair, op string, counted bool) string {
	if family := kernels.Op(op).Kernel(); family != "" {
		op = family
	}
	return "hz_" + c.For(pair).Variant() + "_" + pair.String() + "_" + op + lists.Either(counted, "_counted", "")
}

// prime is the modulus of the universal family (kernels/hash.h).
const prime = 4294967291

// hashConstants draws the random constants of a table's hash functions: odd multipliers
// for the fast family, multipliers from 1 to p-1 for the universal one.
func hashConstants(seed uint64, family uint32) [kernels.MaxHashes]kernels.Hash {
	var functions [kernels.MaxHashes]kernels.Hash
	random := splitmix(seed)
	for i := range functions {
		a, b, c := random(), random(), random()
		universal := kernels.Hash{A: 1 + a%(prime-1), B: b % prime, C: 1 + c%(prime-1)}
		functions[i] = lists.Either(family == kernels.Universal, universal, kernels.Hash{A: a | 1, B: b, C: c})
	}
	return functions
}

// splitmix is SplitMix64: small, and identical on every machine and in every version of Go.
func splitmix(state uint64) func() uint64 {
	return func() uint64 {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
}
