package engine

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// oracle is what a table must hold: a Go map, which shares no code with the kernels. Where
// the contents depend on the order of a batch's operations (two updates of one key), it keeps
// every possible value until the table shows which one won.
type oracle struct {
	duplicates bool                // a key may have several pairs
	shards     bool                // several tables fail for themselves
	pairs      map[uint64]uint64   // keys with one pair whose value is known
	several    map[uint64]multiple // the other keys
}

// multiple is how many pairs a key has, and the values that they have or may have.
type multiple struct {
	n      int
	values []uint64
	any    bool // they may have others: there were too many to list
}

func newOracle(duplicates, shards bool) *oracle {
	return &oracle{duplicates, shards, map[uint64]uint64{}, map[uint64]multiple{}}
}

func (o *oracle) get(key uint64) multiple {
	if v, ok := o.pairs[key]; ok {
		return multiple{n: 1, values: []uint64{v}}
	}
	return o.several[key]
}

func (o *oracle) set(key uint64, m multiple) {
	if m.n == 1 && len(m.values) > 1 {
		m.values = slices.Compact(slices.Sorted(slices.Values(m.values)))
	}
	if m.n == 1 && len(m.values) == 1 && !m.any {
		o.pairs[key] = m.values[0]
		delete(o.several, key)
		return
	}
	delete(o.pairs, key)
	delete(o.several, key)
	if m.n > 0 {
		o.several[key] = m
	}
}

// matches reports whether a key may have this value, and remembers that it has.
func (o *oracle) matches(key, value uint64) bool {
	m := o.get(key)
	if !slices.Contains(m.values, value) && !m.any {
		return false
	}
	if m.n == 1 {
		o.set(key, multiple{n: 1, values: []uint64{value}})
	}
	return true
}

// learn takes over the values of a key that the table has shown.
func (o *oracle) learn(key uint64, values []uint64) error {
	m := o.get(key)
	if v, ok := m.have(values); !ok {
		return fmt.Errorf("key %#x has the value %#x, which was never put in, or was taken out", key, v)
	}
	if len(values) == m.n {
		o.set(key, multiple{n: m.n, values: slices.Clone(values)})
	}
	return nil
}

// have reports whether different pairs may have these values, or which one is too many.
func (m multiple) have(values []uint64) (uint64, bool) {
	if m.any {
		return 0, true
	}
	rest := slices.Sorted(slices.Values(m.values))
	for _, v := range slices.Sorted(slices.Values(values)) {
		i, found := slices.BinarySearch(rest, v)
		if !found {
			return v, false
		}
		rest = rest[i+1:]
	}
	return 0, true
}

// without removes one pair of a value. If that is uncertain, the others may still have it.
func (m multiple) without(value uint64) multiple {
	m.n--
	if len(m.values) == m.n+1 && !m.any {
		i := slices.Index(m.values, value)
		m.values = slices.Delete(slices.Clone(m.values), i, i+1)
	}
	return m
}

// holds compares the contents of a table with the map.
func (o *oracle) holds(keys, values []uint64) error {
	total := len(o.pairs)
	for _, m := range o.several {
		total += m.n
	}
	if len(keys) != total {
		return fmt.Errorf("the table holds %d pairs instead of %d", len(keys), total)
	}
	for key, group := range byKey(keys) {
		v, known := o.pairs[key]
		switch {
		case known && len(group) == 1 && values[group[0]] == v:
			continue
		case known && len(group) == 1:
			return fmt.Errorf("the table holds the pair %#x, %#x, which was never put in", key, values[group[0]])
		}
		if m := o.get(key); len(group) > m.n {
			return fmt.Errorf("the table holds key %#x %d times instead of %d", key, len(group), m.n)
		}
		if err := o.learn(key, lists.Map(group, func(i int) uint64 { return values[i] })); err != nil {
			return err
		}
	}
	return nil
}
