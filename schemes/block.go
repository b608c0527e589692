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
			t.Arg[args] = uint64(c.Effective(p.Name, l))
			args++
		}
	}
	return t
}

// Effective returns a parameter's value for a table: 0 may stand for an automatic value.
func (c Config) Effective(param string, l Layout) int64 {
	i := c.index(param)
	if p := c.Params[i]; p.Auto != nil && c.values[i] == 0 {
		return p.Auto(l)
	}
	return c.values[i]
}

// family returns the family of hash functions.
func (c Config) family() int64 {
	i := slices.IndexFunc(c.Params, func(p Param) bool { return p.Role == HashFamily })
	if i < 0 {
		return kernels.Fast
	}
	return c.values[i]
}

// Kernel returns the name of the kernel that carries out an operation.
func (c Config) Kernel(pair Pair, op string, counted bool) string {
	name := "hz_" + c.Variant() + "_" + pair.String() + "_" + op
	if counted {
		name += "_counted"
	}
	return name
}
