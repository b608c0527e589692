package engine

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"
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

// set replaces the pairs of a key. It may sort the values, and does not keep their memory.
func (c *contained) set(key uint64, m multiple) {
	if m.n == 1 && len(m.values) > 1 {
		slices.Sort(m.values)
		m.values = slices.Compact(m.values)
	}
	if m.n == 1 && len(m.values) == 1 && !m.any {
		c.pairs[key] = m.values[0]
		delete(c.several, key)
		return
	}
	delete(c.pairs, key)
	delete(c.several, key)
	if m.n > 0 {
		m.values = slices.Clone(m.values)
		c.several[key] = m
	}
}

// matches reports whether a key may have this value, and records that it has.
func (c *contained) matches(key, value uint64) bool {
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
		c.set(key, multiple{n: m.n, values: values})
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
	fill := func(r *row, i int) { *r = row{key: keys[i], value: values[i], i: uint32(i)} }
	return o.eachKey(&sorter{}, keys, fill, (*contained).holds)
}

// holds compares the pairs of a key with the expected ones.
func (c *contained) holds(_ *history, group []row) error {
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

// The operations of a launch run in any order, so the oracle checks what holds in every order, by counting: a key has as
// many pairs as were added and not removed, a value that was found was put in, a key that was missed was absent at some
// time. That is exact if all operations are of one kind. For small histories of several kinds, workloads/check decides
// whether an order exists.

// history is the evidence of one launch about one key.
type history struct {
	before     multiple
	one        [1]uint64 // the value of a single pair before
	displacing bool      // failed operations also insert pairs, and may evict others

	added, removed int      // pairs
	gone           []uint64 // values of evicted pairs
	fresh          int      // of those added: by operations that had looked for the key
	came           []uint64 // values of added pairs
	over           []uint64 // values that replaced others
	mixed          mixture  // values that were combined with others
	displaced      []uint64 // values of failed operations, if displacing

	absent  string // an operation during which the key was absent
	present string // one that found the key

	found        []uint64   // values found
	lists        [][]uint64 // values of all pairs, as listed
	refused      []uint64   // values of failed operations, unless displacing
	rejected     []uint64   // values of pairs that were handed back
	all          []uint64   // memory of had
	now          action     // the operation
	fewest, most int        // pairs listed, by the answers
}

// write adds an operation that changed the value of an existing pair.
func (h *history) write(op *kernels.Operation, value uint64) {
	if op.Combines() {
		h.mixed.parts = append(h.mixed.parts, combination{op, value})
		return
	}
	h.over = append(h.over, value)
}

// apply carries out the operations of one launch on the map, and compares.
func (o *oracle) apply(ops []string, a *answers) error {
	for _, op := range ops {
		if kernels.Op(op).Kind != kernels.OnKeys {
			return fmt.Errorf("the oracle has no operation %s", op)
		}
	}
	if err := a.plausible(ops); err != nil {
		return err
	}
	given, err := a.given()
	if err != nil {
		return err
	}
	displacing := len(ops) == 1 && kernels.Op(ops[0]).Blind()
	most := a.pair.LargestValue()
	var unmatched atomic.Uint64
	keys := append(a.keys, a.leftKeys...)
	a.keys = keys[:len(a.keys)] // and the memory for the next batch
	err = o.eachKey(&a.sorter, keys, a.fill, func(c *contained, h *history, group []row) error {
		key := group[0].key
		h.begin()
		h.before, h.displacing, h.mixed.most = c.into(&h.one, key), displacing, most
		for i := range group {
			h.tell(a, &group[i], given)
		}
		if n := h.matchRejected(); n > 0 {
			unmatched.Add(uint64(n))
			if a.counts.Get("evicted") == 0 {
				return fmt.Errorf("the pair %#x, %#x was handed back, and no operation with it failed", key, h.gone[0])
			}
		}
		if err := c.record(key, h, o.duplicates); err != nil {
			return fmt.Errorf("%s of key %#x: %w", strings.Join(ops, "+"), key, err)
		}
		return c.removeRejected(key, h)
	})
	return cmp.Or(o.rejectedAgree(a, displacing, unmatched.Load()), err)
}

// begin forgets the evidence about the last key.
func (h *history) begin() {
	h.added, h.removed, h.fresh, h.absent, h.present, h.fewest, h.most = 0, 0, 0, "", "", math.MaxInt, 0
	h.gone, h.came, h.over, h.mixed.parts, h.displaced = h.gone[:0], h.came[:0], h.over[:0], h.mixed.parts[:0], h.displaced[:0]
	h.found, h.lists, h.refused, h.rejected = h.found[:0], h.lists[:0], h.refused[:0], h.rejected[:0]
}

func (h *history) tell(a *answers, r *row, given *given) {
	if int(r.i) >= len(a.keys) {
		h.rejected = append(h.rejected, r.value)
		return
	}
	if r.outcome == notAsked || r.key >= a.pair.ErasedKey() {
		return
	}
	is := &meanings[r.op]
	h.now = action{op: is.Name, value: r.value, most: h.mixed.most, Given: Given{kernels.Outcomes[r.outcome], r.out}}
	if given != nil {
		h.now.found = given.by(int(r.i))
	}
	if r.outcome == isFailed && !h.displacing {
		h.refused = append(h.refused, r.value)
	}
	is.tell(h, &h.now)
}

func (c *contained) record(key uint64, h *history, duplicates bool) error {
	if err := h.legal(duplicates); err != nil {
		return err
	}
	if len(h.came)+len(h.over)+len(h.mixed.parts)+len(h.displaced) == 0 && h.removed == 0 {
		return c.recordRead(key, h)
	}
	if err := h.values(); err != nil {
		return err
	}
	c.set(key, h.after())
	return nil
}

// legal returns an error if no order of the operations explains their outcomes.
func (h *history) legal(duplicates bool) error {
	n := h.before.n
	switch left := n + h.added - h.removed; {
	case left < 0:
		return fmt.Errorf("there were %d pairs, %d came in, and %d went out", n, h.added, h.removed)
	case left > 1 && !duplicates:
		return fmt.Errorf("there were %d pairs, %d came in, and %d went out: it is there more than once, which this scheme does not allow",
			n, h.added, h.removed)
	case h.absent != "" && h.removed < n:
		return fmt.Errorf("%s missed it, and of %d pairs that were there all the time %d went out", h.absent, n, h.removed)
	case h.present != "" && n+h.added == 0:
		return fmt.Errorf("%s found it, and it was never there", h.present)
	case h.fresh > 1 && h.fresh > 1+h.removed-n:
		return fmt.Errorf("%d operations found it missing and added it, and %d pairs went out", h.fresh, h.removed)
	case h.most > n+h.added || h.fewest < n-h.removed:
		return fmt.Errorf("%d to %d pairs were found, and %d were there, %d came in, and %d went out", h.fewest, h.most, n, h.added, h.removed)
	}
	return nil
}

func (c *contained) recordRead(key uint64, h *history) error {
	for _, v := range h.found {
		if m := h.before; !(m.n == 1 && len(m.values) == 1 && !m.any && m.values[0] == v) && !c.matches(key, v) {
			return fmt.Errorf("gave %#x instead of one of %#x", v, c.get(key).values)
		}
	}
	return lists.Each(h.lists, func(list []uint64) error { return c.learn(key, list) })
}

func (h *history) values() error {
	if len(h.found)+len(h.gone)+len(h.lists) == 0 {
		return nil
	}
	had := h.had()
	for _, v := range h.gone {
		if _, ok := slices.BinarySearch(had.values, v); !ok && !had.any {
			return fmt.Errorf("was handed back with %#x, which it never had", v)
		}
	}
	for _, v := range h.found {
		if _, ok := slices.BinarySearch(had.values, v); !ok && !had.any {
			return fmt.Errorf("gave %#x, which the key never had", v)
		}
	}
	for _, list := range h.lists {
		if v, ok := had.have(list); !ok {
			return fmt.Errorf("gave %#x, which the key never had, or not so often", v)
		}
	}
	return nil
}

// had returns every value that the key may have had at some time, sorted.
func (h *history) had() multiple {
	h.all = append(append(append(h.all[:0], h.before.values...), h.came...), h.over...)
	m := h.mixed.some(multiple{values: h.all, any: h.before.any})
	slices.Sort(m.values)
	return m
}

func (h *history) after() multiple {
	n := h.before.n + h.added - h.removed + len(h.displaced)
	first := multiple{n, h.before.values, h.before.any} // the first value of a single pair that stays
	if h.before.n == 0 {
		first.values = h.came
	}
	switch stays := n == 1 && h.removed == 0 && len(h.displaced) == 0; {
	case n == 0:
		return multiple{}
	case stays && len(h.over) == 0 && len(h.came) <= 1:
		return h.mixed.all(first)
	case stays && h.before.n == 1: // it was there all the time, and was written over
		return h.mixed.some(multiple{n, h.over, false})
	default:
		m := h.had()
		return multiple{n, append(m.values, h.displaced...), m.any}
	}
}

// matchRejected takes the pairs of operations that failed out of those that were handed back, and returns the number of
// the others: they were evicted.
func (h *history) matchRejected() int {
	if h.displacing || len(h.rejected) == 0 {
		return 0
	}
	slices.Sort(h.refused)
	slices.Sort(h.rejected)
	rest := h.refused
	for _, v := range h.rejected {
		i, found := slices.BinarySearch(rest, v)
		if rest = rest[i:]; found {
			rest = rest[1:]
		} else {
			h.gone = append(h.gone, v)
		}
	}
	h.removed += len(h.gone)
	return len(h.gone)
}

// removeRejected removes the pairs that a displacing launch handed back: any that were in the table.
func (c *contained) removeRejected(key uint64, h *history) error {
	if !h.displacing {
		return nil
	}
	return lists.Each(h.rejected, func(value uint64) error {
		if !c.matches(key, value) {
			return fmt.Errorf("the pair %#x, %#x was handed back: it was never put in, or was handed back before", key, value)
		}
		c.set(key, c.get(key).without(value))
		return nil
	})
}

// rejectedAgree compares the numbers of pairs that were handed back and of operations. If more were rejected than were
// inserted, all inserts failed, on each shard by itself.
func (o *oracle) rejectedAgree(a *answers, displacing bool, unmatched uint64) error {
	failed, evicted, left := a.counts.Get("failed"), a.counts.Get("evicted"), uint64(len(a.leftKeys))
	asked := a.counts.Get("ok") + failed
	switch most := min(left, asked); {
	case displacing && failed != most && !(o.shards && failed < most && failed > 0):
		return fmt.Errorf("%d of %d failed, and %d pairs were handed back", failed, asked, left)
	case displacing || evicted == 0 && unmatched > 0:
		return nil // a key has the error, if there is one
	case failed+unmatched != left:
		return fmt.Errorf("%d operations failed, and %d pairs were handed back", failed, left-unmatched)
	case evicted != unmatched:
		return fmt.Errorf("%d operations evicted a pair, and %d pairs were handed back", evicted, unmatched)
	}
	return nil
}
