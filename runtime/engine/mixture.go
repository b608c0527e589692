package engine

import (
	"maps"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
)

// mixture holds the operations of a launch that combine values with those of a key's pairs.
type mixture struct {
	parts []combination
	most  uint64 // the largest value
}

// combination is an operation that combines values, and its value.
type combination struct {
	op    kernels.Operation
	value uint64
}

// mostTried bounds the work of listing possible values.
const mostTried = 1 << 16

// all returns the possible values after all of the operations. If they are of one kind, their order does not matter.
func (x mixture) all(m multiple) multiple {
	if len(x.parts) == 0 {
		return m
	}
	if !x.commutes() {
		return x.listed(m, true)
	}
	m.values = slices.Clone(m.values)
	for i := range m.values {
		for _, c := range x.parts {
			m.values[i] = x.made(m.values[i], c)
		}
	}
	return m
}

// some returns the possible values after any number of the operations, in any order.
func (x mixture) some(m multiple) multiple { return x.listed(m, false) }

func (x mixture) listed(m multiple, all bool) multiple {
	var list []uint64
	tried := 0
	for _, first := range m.values {
		reached, ok := map[uint64]bool{first: true}, false
		if x.commutes() {
			ok = x.spread(reached, &tried)
		} else {
			reached, ok = x.ordered(first, all, &tried)
		}
		if !ok {
			return multiple{n: m.n, any: true}
		}
		list = slices.AppendSeq(list, maps.Keys(reached))
	}
	m.values = list
	return m
}

// spread adds to the values reached their results under operations of one kind, unless that is too much work.
func (x mixture) spread(reached map[uint64]bool, tried *int) bool {
	for _, c := range x.parts {
		if *tried += len(reached); *tried > mostTried {
			return false
		}
		for _, v := range slices.Collect(maps.Keys(reached)) {
			reached[x.made(v, c)] = true
		}
	}
	return true
}

// ordered lists the results of operations of several kinds on a value: all of them or some, in any order.
func (x mixture) ordered(first uint64, all bool, tried *int) (map[uint64]bool, bool) {
	type state struct{ value, done uint64 } // done: a bit for each operation
	if len(x.parts) > 64 {
		return nil, false
	}
	seen, next, reached := map[state]bool{}, []state{{first, 0}}, map[uint64]bool{}
	for len(next) > 0 {
		s := next[0]
		next = next[1:]
		if !all || s.done == ^uint64(0)>>(64-len(x.parts)) {
			reached[s.value] = true
		}
		for i, c := range x.parts {
			after := state{x.made(s.value, c), s.done | 1<<i}
			if s.done>>i&1 != 0 || seen[after] {
				continue
			}
			if *tried++; *tried > mostTried {
				return nil, false
			}
			seen[after] = true
			next = append(next, after)
		}
	}
	return reached, true
}

func (x mixture) made(value uint64, c combination) uint64 { return c.op.Made(value, c.value, x.most) }

// commutes reports whether the order of the operations does not matter.
func (x mixture) commutes() bool {
	return !slices.ContainsFunc(x.parts, func(c combination) bool { return c.op.Becomes != x.parts[0].op.Becomes })
}
