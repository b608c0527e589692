package engine

import (
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// oracle holds the expected contents of a table in Go maps, which share no code with the kernels. Where contents depend on
// the order of a batch's operations (two updates of one key), it keeps every possible value until the table shows which
// one won.
type oracle struct {
	duplicates bool // a key may have several pairs
	shards     bool // each of several shards rejects pairs by itself
	parts      [parts]contained
	took       time.Duration // by all checks
}

// contained holds the keys of one part.
type contained struct {
	pairs   map[uint64]uint64   // keys with one pair whose value is known
	several map[uint64]multiple // the other keys
}

// multiple is the number of pairs of a key, and their possible values.
type multiple struct {
	n      int
	values []uint64
	any    bool // there were too many to list
}

func newOracle(duplicates, shards bool) *oracle {
	o := &oracle{duplicates: duplicates, shards: shards}
	o.clear()
	return o
}

// clear forgets all pairs.
func (o *oracle) clear() {
	for p := range o.parts {
		o.parts[p] = contained{map[uint64]uint64{}, map[uint64]multiple{}}
	}
}

// timed runs a check, and adds up the time.
func (o *oracle) timed(check func() error) error {
	defer func(began time.Time) { o.took += time.Since(began) }(time.Now())
	return check()
}

// of returns the part of a key.
func (o *oracle) of(key uint64) *contained   { return &o.parts[partOf(key)] }
func (c *contained) get(key uint64) multiple { return c.into(new([1]uint64), key) }

// into is get that puts a single value into the caller's memory.
func (c *contained) into(one *[1]uint64, key uint64) multiple {
	if v, ok := c.pairs[key]; ok {
		one[0] = v
		return multiple{n: 1, values: one[:]}
	}
	return c.several[key]
}

func (c *contained) set(key uint64, m multiple) {
	if m.n == 1 && len(m.values) > 1 {
		m.values = slices.Compact(slices.Sorted(slices.Values(m.values)))
	}
	if m.n == 1 && len(m.values) == 1 && !m.any {
		c.pairs[key] = m.values[0]
		delete(c.several, key)
		return
	}
	delete(c.pairs, key)
	delete(c.several, key)
	if m.n > 0 {
		c.several[key] = m
	}
}

// matches reports whether a key may have this value, and records that it has.
func (c *contained) matches(key, value uint64) bool {
	if v, known := c.pairs[key]; known {
		return v == value
	}
	m := c.get(key)
	if !slices.Contains(m.values, value) && !m.any {
		return false
	}
	if m.n == 1 {
		c.set(key, multiple{n: 1, values: []uint64{value}})
	}
	return true
}

// learn records the values of a key that the table has shown.
func (c *contained) learn(key uint64, values []uint64) error {
	if v, known := c.pairs[key]; known && len(values) == 1 && v == values[0] {
		return nil
	}
	m := c.get(key)
	if v, ok := m.have(values); !ok {
		return fmt.Errorf("key %#x has the value %#x, which was never put in, or was taken out", key, v)
	}
	if len(values) == m.n {
		c.set(key, multiple{n: m.n, values: slices.Clone(values)})
	}
	return nil
}

// have reports whether different pairs may have these values, or returns the first that none has.
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

// holds compares the contents of a table with the expected ones.
func (o *oracle) holds(keys, values []uint64) error {
	total := 0
	for _, c := range o.parts {
		total += len(c.pairs)
		for _, m := range c.several {
			total += m.n
		}
	}
	if len(keys) != total {
		return fmt.Errorf("the table holds %d pairs instead of %d", len(keys), total)
	}
	pair := func(i int) row { return row{key: keys[i], value: values[i]} }
	return eachPart(keys, pair, func(part int, list []row) error { return byKey(list, o.parts[part].holds) })
}

// holds compares the pairs of a key with the expected ones.
func (c *contained) holds(group []row) error {
	key, value := group[0].key, group[0].value
	switch v, known := c.pairs[key]; {
	case known && len(group) == 1 && value == v:
		return nil
	case known && len(group) == 1:
		return fmt.Errorf("the table holds the pair %#x, %#x, which was never put in", key, value)
	}
	if m := c.get(key); len(group) > m.n {
		return fmt.Errorf("the table holds key %#x %d times instead of %d", key, len(group), m.n)
	}
	return c.learn(key, lists.Map(group, func(r row) uint64 { return r.value }))
}

// Prime is p of the universal family.
const Prime = 4294967291

// PlaceOf returns the bucket of a key by a hash function, as the papers write it. It shares no code with the kernels.
func PlaceOf(t kernels.Table, function int, key uint64, width int) uint64 {
	h := t.Hash[function]
	if t.Family == kernels.Universal {
		low, high := key&0xffffffff, key>>32
		return (low*h.A%Prime + high*h.C%Prime + h.B) % Prime % t.Buckets
	}
	var mixed uint64
	if width == 4 {
		x := uint32(key)*uint32(h.A) + uint32(h.B)
		x = (x ^ x>>16) * 0x21f0aaad
		mixed = uint64((x ^ x>>15) * 0x735a2d97)
	} else {
		x := key*h.A + h.B
		x = (x ^ x>>32) * 0xe9846af9b1a615dd
		mixed = (x ^ x>>28) * 0x9e3779b97f4a7c15 >> 32
	}
	high, low := bits.Mul64(mixed, t.Buckets)
	return high<<32 | low>>32
}
