package schemes

import (
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// Block fills a table block, which describes a table to the kernels.
func (c Config) Block(l Layout, seed uint64, regions []device.Addr) kernels.Table {
	family := c.family()
	t := kernels.Table{
		Capacity: l.Capacity,
		Buckets:  l.Buckets,
		Seed:     splitmix(^seed)(),
		Family:   uint32(family),
		Hashes:   max(1, c.Hashes),
		Hash:     hashConstants(seed, family),
	}
	for i, at := range regions {
		t.Region[i] = uint64(at)
	}
	args := 0
	for i, p := range c.Params {
		switch p.Role {
		case HashCount:
			t.Hashes = uint32(c.values[i])
		case Arg:
			t.Arg[args] = uint64(c.argument(p, c.values[i], l))
			args++
		}
	}
	return t
}

// family returns the family of hash functions.
func (c Config) family() int64 {
	i := slices.IndexFunc(c.Params, func(p Param) bool { return p.Role == HashFamily })
	if i < 0 {
		return kernels.Fast
	}
	return c.values[i]
}

// argument returns a parameter's value as the kernels see it: 0 of a parameter with an
// automatic value is replaced by that value.
func (c Config) argument(p Param, value int64, l Layout) int64 {
	if p.Auto != nil && value == 0 {
		return p.Auto(l)
	}
	return value
}

// Kernel returns the name of the kernel that carries out an operation.
func (c Config) Kernel(pair Pair, op string, counted bool) string {
	name := "hz_" + c.Variant() + "_" + pair.String() + "_" + op
	if counted {
		name += "_counted"
	}
	return name
}
