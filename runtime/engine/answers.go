package engine

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
)

// notAsked is the outcome of an operation that belongs to another launch.
const notAsked = 255

var (
	isOK     = outcomeNumber("ok")
	isFailed = outcomeNumber("failed")
)

func outcomeNumber(name string) byte { return byte(slices.Index(kernels.Outcomes, name)) }

// answers are the keys of one batch with what the table did about each.
type answers struct {
	keys, values []uint64 // input
	ops          []byte   // indices into kernels.Ops
	outcomes     []byte   // indices into kernels.Outcomes, or notAsked
	out          []uint64 // the answers
	pair         schemes.Pair
	gave
}

// plausible checks what holds for any table: outcomes that exist, reserved keys rejected, counters that agree.
func (a *answers) plausible(ops []string) error {
	var with [256]uint64 // operations by outcome
	var pairs moved
	for i, outcome := range a.outcomes {
		if outcome == notAsked {
			continue
		}
		if err := a.possible(i); err != nil {
			return err
		}
		with[outcome]++
		if outcome == isOK {
			pairs.add(&meanings[a.ops[i]], a.out[i])
		}
	}
	expect := map[string]uint64{"added": pairs.added, "removed": pairs.removed, "found": pairs.found}
	for _, outcome := range outcomes {
		expect[outcome] = with[outcomeNumber(outcome)]
	}
	for _, counter := range slices.Concat(outcomes, []string{"added", "removed", "found"}) {
		if counted := a.counts.Get(counter); counted != expect[counter] {
			return fmt.Errorf("%v: %d counted as %s, and %d have that outcome", ops, counted, counter, expect[counter])
		}
	}
	return nil
}

func (a *answers) possible(i int) error {
	op, key, outcome := &meanings[a.ops[i]], a.keys[i], outcomeName(a.outcomes[i])
	allowed := op.Outcomes
	if key >= a.pair.ErasedKey() {
		allowed = rejected
	}
	switch {
	case !slices.Contains(allowed, outcome):
		return wrong(op.Name, i, key, "outcome %s instead of one of %v", outcome, allowed)
	case op.Answer != kernels.NoAnswer && outcome != "ok" && a.out[i] != a.pair.NoValue():
		return wrong(op.Name, i, key, "outcome %s, and it gave %#x", outcome, a.out[i])
	case op.Counts() && outcome == "ok" && a.out[i] == 0:
		return wrong(op.Name, i, key, "outcome %s, and it is about no pair", outcome)
	}
	return nil
}

var rejected = []string{"rejected"} // the outcomes of operations on reserved keys

type moved struct{ added, removed, found uint64 }

func (m *moved) add(op *meaning, answer uint64) {
	if op.Adds {
		m.added++
	}
	switch op.Removes {
	case kernels.RemovesOne:
		m.removed++
	case kernels.RemovesAnswered:
		m.removed += answer
	}
	if op.Lists() {
		m.found += answer
	}
}

// lists reports whether operation i gives values apart from its answer.
func (a *answers) lists(i int) bool {
	return meanings[a.ops[i]].Lists() && a.outcomes[i] == isOK
}

// given returns the values that each operation gave apart from its answer, as many as it says; nil if there are none.
func (a *answers) given() ([][]uint64, error) {
	if len(a.foundOf) == 0 && a.counts.Get("found") == 0 {
		return nil, nil
	}
	given := make([][]uint64, len(a.keys))
	for i, of := range a.foundOf {
		if of >= uint64(len(a.keys)) || !a.lists(int(of)) {
			return nil, fmt.Errorf("a value was given for operation %d, which found none", of)
		}
		if meanings[a.ops[of]].Answer == kernels.Rows && i > 0 && a.foundOf[i-1] > of {
			return nil, fmt.Errorf("a value of operation %d comes before one of operation %d: they are to be in the order of the keys", a.foundOf[i-1], of)
		}
		given[of] = append(given[of], a.foundValues[i])
	}
	complete := uint64(len(a.foundOf)) == a.counts.Get("found") // there was room for all
	for i, list := range given {
		if complete && a.lists(i) && uint64(len(list)) != a.out[i] {
			return nil, wrong(opName(a.ops[i]), i, a.keys[i], "gave %d values, and said %d", len(list), a.out[i])
		}
	}
	return given, nil
}

// ownHandedBack checks that the pairs handed back are those of the operations that failed.
func (a *answers) ownHandedBack() error {
	type pair struct{ key, value uint64 }
	waiting := map[pair]int{}
	for i, outcome := range a.outcomes {
		if outcome == isFailed {
			waiting[pair{a.keys[i], a.brings(i)}]++
		}
	}
	for i, key := range a.leftKeys {
		p := pair{key, a.leftValues[i]}
		if waiting[p]--; waiting[p] < 0 {
			return fmt.Errorf("the pair %#x, %#x was handed back, and no operation with it failed", p.key, p.value)
		}
	}
	if failed := a.counts.Get("failed"); failed != uint64(len(a.leftKeys)) {
		return fmt.Errorf("%d operations failed, and %d pairs were handed back", failed, len(a.leftKeys))
	}
	return nil
}

// brings is the value that operation i has for its key.
func (a *answers) brings(i int) uint64 {
	var given uint64
	if a.values != nil {
		given = a.values[i]
	}
	return meanings[a.ops[i]].brings(given, a.pair)
}

func (a *answers) deed(i int) deed {
	d := deed{op: opName(a.ops[i]), Given: Given{Outcome: outcomeName(a.outcomes[i])}}
	d.value, d.most = a.brings(i), a.pair.LargestValue()
	if a.out != nil {
		d.Value = a.out[i]
	}
	return d
}

func wrong(op string, i int, key uint64, format string, args ...any) error {
	return fmt.Errorf("%s %d, key %#x: %s", op, i, key, fmt.Sprintf(format, args...))
}
