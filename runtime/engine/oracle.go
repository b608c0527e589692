package engine

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/schemes"
)

// oracle is what a table must hold: a Go map, which shares nothing with the
// kernels. Where the outcome of a batch legitimately depends on the order in
// which its operations were carried out (two updates of one key), the oracle
// keeps every value that may have won, until the table shows which.
type oracle struct {
	pairs    map[uint64]uint64
	possible map[uint64][]uint64 // keys with more than one possible value
}

func newOracle() *oracle {
	return &oracle{pairs: map[uint64]uint64{}, possible: map[uint64][]uint64{}}
}

// notAsked is the outcome of an operation that belongs to another phase.
const notAsked = ""

// answers are the keys of one batch with what the table did about each.
type answers struct {
	keys, values []uint64 // input
	outcomes     []string // one of kernels.Outcomes, or notAsked
	out          []uint64 // what finds gave
	leftKeys     []uint64 // pairs that were handed back
	leftValues   []uint64
	counts       schemes.Counts
	pair         schemes.Pair
}

// allowed are the outcomes that an operation can have on a key that is allowed.
var allowed = map[string][]string{
	"insert": {"ok", "failed"},
	"find":   {"ok", "missing"},
	"update": {"ok", "missing"},
	"erase":  {"ok", "missing"},
}

// apply carries out the batch on the map and compares.
func (o *oracle) apply(op string, a answers) error {
	carryOut := map[string]func(answers) error{"insert": o.insert, "find": o.find, "update": o.update, "erase": o.erase}[op]
	if carryOut == nil {
		return fmt.Errorf("the oracle has no operation %s", op)
	}
	if err := a.plausible(op); err != nil {
		return err
	}
	return carryOut(a)
}

// plausible checks what holds whatever is in the table: which outcomes an
// operation can have, that exactly the reserved keys are rejected, and that the
// counters say the same as the outcomes.
func (a answers) plausible(op string) error {
	tally := map[string]uint64{}
	for i, key := range a.keys {
		outcome := a.outcomes[i]
		if outcome == notAsked {
			continue
		}
		tally[outcome]++
		expected := allowed[op]
		if key >= a.pair.ErasedKey() {
			expected = []string{"rejected"}
		}
		if !slices.Contains(expected, outcome) {
			return wrong(op, i, key, "outcome %s instead of one of %v", outcome, expected)
		}
		if op == "find" && outcome != "ok" && a.out[i] != a.pair.NoValue() {
			return wrong(op, i, key, "outcome %s, and it gave %#x", outcome, a.out[i])
		}
	}
	for _, outcome := range []string{"ok", "failed", "missing", "rejected"} {
		if counted := a.counts.Get(outcome); counted != tally[outcome] {
			return fmt.Errorf("%s: %d counted as %s, and %d have that outcome", op, counted, outcome, tally[outcome])
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

// insert adds all pairs, then takes away those that were handed back. Which pair
// is handed back does not matter, but it must be one that was there.
func (o *oracle) insert(a answers) error {
	asked := uint64(0)
	err := a.each(func(i int, key uint64) error {
		asked++
		if _, there := o.pairs[key]; there {
			return wrong("insert", i, key, "the key is inserted for the second time, which this scheme does not allow")
		}
		o.pairs[key] = a.values[i]
		return nil
	})
	if err != nil {
		return err
	}
	failed, left := a.counts.Get("failed"), uint64(len(a.leftKeys))
	if failed != min(left, asked) {
		return fmt.Errorf("insert: %d of %d failed, and %d pairs were handed back", failed, asked, left)
	}
	for i, key := range a.leftKeys {
		if !o.matches(key, a.leftValues[i]) {
			return fmt.Errorf("insert: the pair %#x, %#x was handed back: it was never put in, or was handed back before",
				key, a.leftValues[i])
		}
		o.forget(key)
	}
	return nil
}

func (o *oracle) find(a answers) error {
	return a.each(func(i int, key uint64) error {
		_, there := o.pairs[key]
		switch {
		case there != (a.outcomes[i] == "ok"):
			return wrong("find", i, key, "outcome %s, and the key is there: %v", a.outcomes[i], there)
		case there && !o.matches(key, a.out[i]):
			return wrong("find", i, key, "gave %#x instead of %#x", a.out[i], o.pairs[key])
		}
		return nil
	})
}

// update: of several updates of one key, any may be the last.
func (o *oracle) update(a answers) error {
	written := map[uint64][]uint64{}
	err := a.each(func(i int, key uint64) error {
		if _, there := o.pairs[key]; there != (a.outcomes[i] == "ok") {
			return wrong("update", i, key, "outcome %s, and the key is there: %v", a.outcomes[i], there)
		} else if there {
			written[key] = append(written[key], a.values[i])
		}
		return nil
	})
	for key, values := range written {
		o.forget(key)
		o.pairs[key] = values[0]
		if len(values) > 1 {
			o.possible[key] = values
		}
	}
	return err
}

// erase: of several erases of one key, exactly one may succeed.
func (o *oracle) erase(a answers) error {
	asked, done := map[uint64]bool{}, map[uint64]int{}
	err := a.each(func(i int, key uint64) error {
		asked[key] = true
		if a.outcomes[i] == "ok" {
			done[key]++
		}
		return nil
	})
	for key := range asked {
		want := 0
		if _, there := o.pairs[key]; there {
			want = 1
		}
		if done[key] != want {
			return fmt.Errorf("erase of key %#x: succeeded %d times instead of %d", key, done[key], want)
		}
		o.forget(key)
	}
	return err
}

// matches says whether a key may have this value, and remembers that it has.
func (o *oracle) matches(key, value uint64) bool {
	if candidates := o.possible[key]; candidates != nil {
		if !slices.Contains(candidates, value) {
			return false
		}
		o.pairs[key] = value
		delete(o.possible, key)
		return true
	}
	have, there := o.pairs[key]
	return there && have == value
}

func (o *oracle) forget(key uint64) {
	delete(o.pairs, key)
	delete(o.possible, key)
}

// holds compares the contents of a table with the map.
func (o *oracle) holds(keys, values []uint64) error {
	if len(keys) != len(o.pairs) {
		return fmt.Errorf("the table holds %d pairs instead of %d", len(keys), len(o.pairs))
	}
	seen := make(map[uint64]bool, len(keys))
	for i, key := range keys {
		if seen[key] {
			return fmt.Errorf("the table holds key %#x twice", key)
		}
		seen[key] = true
		if !o.matches(key, values[i]) {
			return fmt.Errorf("the table holds the pair %#x, %#x, which was never put in", key, values[i])
		}
	}
	return nil
}

func wrong(op string, i int, key uint64, format string, args ...any) error {
	return fmt.Errorf("%s %d, key %#x: %s", op, i, key, fmt.Sprintf(format, args...))
}
