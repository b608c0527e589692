package engine

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// notAsked is the outcome of an operation that belongs to another launch.
const notAsked = 255

var (
	isOK      = outcomeNumber("ok")
	isFailed  = outcomeNumber("failed")
	isEvicted = outcomeNumber("evicted")

	counterOf                   = lists.Map(kernels.Outcomes, counterNumber)
	isAdded, isRemoved, isFound = counterNumber("added"), counterNumber("removed"), counterNumber("found")
)

func counterNumber(name string) int  { return slices.Index(kernels.Counters, name) }
func outcomeNumber(name string) byte { return byte(slices.Index(kernels.Outcomes, name)) }

// answers are the operations of a batch with their results.
type answers struct {
	keys, values []uint64 // input
	ops          []byte   // indices into kernels.Ops
	outcomes     []byte   // indices into kernels.Outcomes, or notAsked
	out          []uint64 // the answers
	pair         schemes.Pair
	sorter       sorter
	phaseResult
}

// plausible checks properties of any table: outcomes that exist, reserved keys rejected, counters that agree.
func (a *answers) plausible(ops []string) error {
	sums := make([]schemes.Counts, len(pieces(len(a.outcomes))))
	err := inPieces(len(a.outcomes), func(p int, of span) (err error) {
		sums[p], err = a.tally(of)
		return err
	})
	if err != nil {
		return err
	}
	expect := schemes.NewCounts()
	for _, part := range sums {
		expect.Add(part)
	}
	for _, counter := range slices.Concat(outcomes, []string{"added", "removed", "found"}) {
		if counted, seen := a.counts.Get(counter), expect.Get(counter); counted != seen {
			return fmt.Errorf("%v: %d counted as %s, and %d have that outcome", ops, counted, counter, seen)
		}
	}
	return nil
}

// tally checks operations one by one, and counts them and their pairs as kernels do.
func (a *answers) tally(of span) (schemes.Counts, error) {
	t := schemes.NewCounts()
	for i := of.from; i < of.to; i++ {
		outcome := a.outcomes[i]
		if outcome == notAsked {
			continue
		}
		if err := a.possible(i); err != nil {
			return t, err
		}
		t[counterOf[outcome]]++
		switch outcome {
		case isOK:
			countPairs(t, &meanings[a.ops[i]], a.out[i])
		case isEvicted:
			t[isAdded], t[isRemoved] = t[isAdded]+1, t[isRemoved]+1
		}
	}
	return t, nil
}

// countPairs counts the pairs of an ok operation.
func countPairs(t schemes.Counts, op *meaning, answer uint64) {
	if op.Adds {
		t[isAdded]++
	}
	switch op.Removes {
	case kernels.RemovesOne:
		t[isRemoved]++
	case kernels.RemovesAnswered:
		t[isRemoved] += answer
	}
	if op.lists {
		t[isFound] += answer
	}
}

func (a *answers) possible(i int) error {
	op, key, outcome := &meanings[a.ops[i]], a.keys[i], a.outcomes[i]
	switch allowed := lists.Either(key >= a.pair.ErasedKey(), onlyRejected, op.allowed); {
	case allowed>>outcome&1 == 0:
		names := lists.Filter(kernels.Outcomes, func(name string) bool { return allowed>>outcomeNumber(name)&1 != 0 })
		return wrong(op.Name, i, key, "outcome %s instead of one of %v", outcomeName(outcome), names)
	case op.Answer != kernels.NoAnswer && outcome != isOK && a.out[i] != a.pair.NoValue():
		return wrong(op.Name, i, key, "outcome %s, and it gave %#x", outcomeName(outcome), a.out[i])
	case op.counts && outcome == isOK && a.out[i] == 0:
		return wrong(op.Name, i, key, "outcome %s, and it is about no pair", outcomeName(outcome))
	}
	return nil
}

// set has a bit for each outcome.
type set uint64

var onlyRejected = setOf([]string{"rejected"}) // the outcomes of operations on reserved keys

func setOf(names []string) (s set) {
	for _, name := range names {
		s |= 1 << outcomeNumber(name)
	}
	return s
}

// lists reports whether operation i listed values.
func (a *answers) lists(i int) bool { return meanings[a.ops[i]].lists && a.outcomes[i] == isOK }

// given are the values that operations listed.
type given struct {
	end    []int // by operation: the end of its values, where those of the next begin
	values []uint64
}

// by returns the values that operation i listed.
func (g *given) by(i int) []uint64 {
	start := 0
	if i > 0 {
		start = g.end[i-1]
	}
	return g.values[start:g.end[i]]
}

// given sorts the listed values by operation, and checks their numbers; nil if there are none.
func (a *answers) given() (*given, error) {
	if len(a.foundOf) == 0 && a.counts.Get("found") == 0 {
		return nil, nil
	}
	g := &given{make([]int, len(a.keys)+1), make([]uint64, len(a.foundOf))}
	for i, of := range a.foundOf {
		if of >= uint64(len(a.keys)) || !a.lists(int(of)) {
			return nil, fmt.Errorf("a value was given for operation %d, which found none", of)
		}
		if meanings[a.ops[of]].Answer == kernels.Rows && i > 0 && a.foundOf[i-1] > of {
			return nil, fmt.Errorf("a value of operation %d comes before one of operation %d: they are to be in the order of the keys", a.foundOf[i-1], of)
		}
		g.end[of+1]++
	}
	for i := range a.keys {
		g.end[i+1] += g.end[i]
	}
	for i, of := range a.foundOf {
		g.values[g.end[of]] = a.foundValues[i]
		g.end[of]++
	}
	complete := uint64(len(a.foundOf)) == a.counts.Get("found") // there was room for all
	for i := range a.keys {
		if n := len(g.by(i)); complete && a.lists(i) && uint64(n) != a.out[i] {
			return nil, wrong(opName(a.ops[i]), i, a.keys[i], "gave %d values, and said %d", n, a.out[i])
		}
	}
	return g, nil
}

// fill writes operation i into a row, or after the operations a pair that was handed back.
func (a *answers) fill(r *row, i int) {
	if left := i - len(a.keys); left >= 0 {
		*r = row{key: a.leftKeys[left], value: a.leftValues[left], i: uint32(i)}
		return
	}
	r.key, r.value, r.out, r.i, r.op, r.outcome = a.keys[i], 0, 0, uint32(i), a.ops[i], a.outcomes[i]
	if len(a.values) > 0 {
		r.value = a.values[i]
	}
	r.value = meanings[r.op].brings(r.value, a.pair)
	if len(a.out) > 0 {
		r.out = a.out[i]
	}
}

func wrong(op string, i int, key uint64, format string, args ...any) error {
	return fmt.Errorf("%s %d, key %#x: %s", op, i, key, fmt.Sprintf(format, args...))
}
