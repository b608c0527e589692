package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashzoo/hashzoo/schemes"
)

// oracle is what a table must hold: a Go map, which shares nothing with the
// kernels. Where the outcome of a batch legitimately depends on the order in
// which its operations were carried out (two updates of one key), the oracle
// keeps every value that may have won, until the table shows which.
type oracle struct {
	duplicates bool                // a key may be there more than once
	pairs      map[uint64]uint64   // keys with one pair, whose value is known
	several    map[uint64]multiple // the other keys
}

// multiple is what is known of a key with several pairs, or with one whose value may
// be one of several: how many pairs it has, and values that are theirs or may be.
type multiple struct {
	n      int
	values []uint64
}

func newOracle(duplicates bool) *oracle {
	return &oracle{duplicates, map[uint64]uint64{}, map[uint64]multiple{}}
}

// get returns what is known of a key.
func (o *oracle) get(key uint64) multiple {
	if m, ok := o.several[key]; ok {
		return m
	}
	if v, ok := o.pairs[key]; ok {
		return multiple{1, []uint64{v}}
	}
	return multiple{}
}

// set says what is known of a key from now on.
func (o *oracle) set(key uint64, m multiple) {
	o.forget(key)
	if m.n == 1 {
		m.values = slices.Compact(slices.Sorted(slices.Values(m.values)))
	}
	switch {
	case m.n == 1 && len(m.values) == 1:
		o.pairs[key] = m.values[0]
	case m.n > 0:
		o.several[key] = m
	}
}

func (o *oracle) forget(key uint64) {
	delete(o.pairs, key)
	delete(o.several, key)
}

func (o *oracle) has(key uint64) bool {
	if _, ok := o.pairs[key]; ok {
		return true
	}
	_, ok := o.several[key]
	return ok
}

// keys are those in the table, in no order.
func (o *oracle) keys() []uint64 {
	return slices.AppendSeq(slices.Collect(maps.Keys(o.pairs)), maps.Keys(o.several))
}

// matches says whether a key may have this value, and remembers that it has.
func (o *oracle) matches(key, value uint64) bool {
	if v, ok := o.pairs[key]; ok {
		return v == value
	}
	m := o.several[key]
	if !slices.Contains(m.values, value) {
		return false
	}
	if m.n == 1 {
		o.set(key, multiple{1, []uint64{value}})
	}
	return true
}

// without takes one pair of a value away: if the key has others, one of them may
// have had that value instead.
func (m multiple) without(value uint64) multiple {
	m.n--
	if len(m.values) == m.n+1 {
		i := slices.Index(m.values, value)
		m.values = slices.Delete(slices.Clone(m.values), i, i+1)
	}
	return m
}

// notAsked is the outcome of an operation that belongs to another launch.
const notAsked = ""

// answers are the keys of one batch with what the table did about each.
type answers struct {
	keys, values []uint64 // input
	ops          []string // one of kernels.Ops
	outcomes     []string // one of kernels.Outcomes, or notAsked
	out          []uint64 // what operations gave
	leftKeys     []uint64 // pairs that were handed back
	leftValues   []uint64
	foundOf      []uint64 // what find_all gave: for which operation
	foundValues  []uint64
	counts       schemes.Counts
	pair         schemes.Pair
}

// allowed are the outcomes that an operation can have on a key that is allowed.
var allowed = map[string][]string{
	"insert":    {"ok", "failed"},
	"upsert":    {"ok", "replaced", "failed"},
	"find":      {"ok", "missing"},
	"find_all":  {"ok", "missing"},
	"update":    {"ok", "missing"},
	"erase":     {"ok", "missing"},
	"erase_all": {"ok", "missing"},
}

// apply carries out the operations of one launch on the map and compares. If there
// are several, they may have been carried out in any order.
func (o *oracle) apply(ops []string, a answers) error {
	if err := a.plausible(ops); err != nil {
		return err
	}
	if len(ops) > 1 {
		return o.mixed(a)
	}
	carryOut := map[string]func(answers) error{
		"insert": o.insert, "upsert": o.upsert, "update": o.update, "erase": o.erase, "erase_all": o.eraseAll,
		"find": o.find, "find_all": o.findAll,
	}[ops[0]]
	if carryOut == nil {
		return fmt.Errorf("the oracle has no operation %s", ops[0])
	}
	return carryOut(a)
}

// plausible checks what holds whatever is in the table: which outcomes an
// operation can have, that exactly the reserved keys are rejected, that what gives
// nothing gave nothing, and that the counters say the same as the outcomes.
func (a answers) plausible(ops []string) error {
	expect := map[string]uint64{}
	for i, key := range a.keys {
		op, outcome := a.ops[i], a.outcomes[i]
		if outcome == notAsked {
			continue
		}
		expected := allowed[op]
		if key >= a.pair.ErasedKey() {
			expected = []string{"rejected"}
		}
		if !slices.Contains(expected, outcome) {
			return wrong(op, i, key, "outcome %s instead of one of %v", outcome, expected)
		}
		if givesAnswer[op] && outcome != "ok" && a.out[i] != a.pair.NoValue() {
			return wrong(op, i, key, "outcome %s, and it gave %#x", outcome, a.out[i])
		}
		if (op == "find_all" || op == "erase_all") && outcome == "ok" && a.out[i] == 0 {
			return wrong(op, i, key, "outcome %s, and it is about no pair", outcome)
		}
		expect[outcome]++
		if counter, n := a.counted(i); counter != "" {
			expect[counter] += n
		}
	}
	for _, counter := range slices.Concat(outcomes, []string{"added", "removed", "found"}) {
		if counted := a.counts.Get(counter); counted != expect[counter] {
			return fmt.Errorf("%v: %d counted as %s, and %d have that outcome", ops, counted, counter, expect[counter])
		}
	}
	return a.givenToWhoAsked()
}

// givesAnswer says which operations give a value or a number.
var givesAnswer = map[string]bool{"find": true, "find_all": true, "erase_all": true}

// counted is what operation i counts as besides its outcome, and how much of it.
func (a answers) counted(i int) (counter string, n uint64) {
	switch op := a.ops[i]; {
	case a.outcomes[i] != "ok":
		return "", 0
	case op == "insert" || op == "upsert":
		return "added", 1
	case op == "erase":
		return "removed", 1
	case op == "erase_all":
		return "removed", a.out[i]
	case op == "find_all":
		return "found", a.out[i]
	}
	return "", 0
}

// givenToWhoAsked checks that the values of find_all are those of operations that
// found as many.
func (a answers) givenToWhoAsked() error {
	given := make([]uint64, len(a.keys))
	for _, of := range a.foundOf {
		if of >= uint64(len(a.keys)) || a.ops[of] != "find_all" || a.outcomes[of] != "ok" {
			return fmt.Errorf("a value was given for operation %d, which found none", of)
		}
		given[of]++
	}
	for i, n := range given {
		if a.complete() && a.ops[i] == "find_all" && a.outcomes[i] == "ok" && n != a.out[i] {
			return wrong("find_all", i, a.keys[i], "gave %d values, and said %d", n, a.out[i])
		}
	}
	return nil
}

// each calls f for the operations that took part with a key that is allowed.
func (a answers) each(f func(i int, key uint64) error) error {
	for i, key := range a.keys {
		if a.outcomes[i] == notAsked || a.outcomes[i] == "rejected" {
			continue
		}
		if err := f(i, key); err != nil {
			return err
		}
	}
	return nil
}

// complete says whether all that find_all gave was written down.
func (a answers) complete() bool { return uint64(len(a.foundOf)) == a.counts.Get("found") }

// given are the values that find_all gave for each operation.
func (a answers) given() map[int][]uint64 {
	given := map[int][]uint64{}
	for i, of := range a.foundOf {
		given[int(of)] = append(given[int(of)], a.foundValues[i])
	}
	return given
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
	seen := map[uint64][]uint64{}
	for i, key := range keys {
		if v, ok := o.pairs[key]; ok && v != values[i] {
			return fmt.Errorf("the table holds the pair %#x, %#x, which was never put in", key, values[i])
		}
		seen[key] = append(seen[key], values[i])
	}
	for key, values := range seen {
		if m := o.get(key); len(values) > m.n {
			return fmt.Errorf("the table holds key %#x %d times instead of %d", key, len(values), m.n)
		}
		if err := o.learn(key, values); err != nil {
			return err
		}
	}
	return nil
}

// learn takes over the values of a key that the table has shown, if they may be its.
func (o *oracle) learn(key uint64, values []uint64) error {
	m := o.get(key)
	rest := slices.Clone(m.values)
	for _, v := range values {
		i := slices.Index(rest, v)
		if i < 0 {
			return fmt.Errorf("key %#x has the value %#x, which was never put in, or was taken out", key, v)
		}
		rest = slices.Delete(rest, i, i+1)
	}
	if len(values) == m.n {
		o.set(key, multiple{m.n, slices.Clone(values)})
	}
	return nil
}

func wrong(op string, i int, key uint64, format string, args ...any) error {
	return fmt.Errorf("%s %d, key %#x: %s", op, i, key, fmt.Sprintf(format, args...))
}
