package engine

import (
	"maps"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// The meaning of each operation on keys to the oracle follows from the columns of kernels.Operations.

// effect is the meaning of an operation on keys.
type effect interface {
	// tell adds one operation to the history of its key.
	tell(h *history, d *action)
	// next lists the possible values of the key's pairs after an operation that takes effect at one instant: none if its
	// result is impossible.
	next(values []uint64, d action) [][]uint64
}

// meaning is an operation with its effect, if it is one on keys.
type meaning struct {
	kernels.Operation
	effect
	allowed       set // outcomes of operations whose key is not reserved
	counts, lists bool
	ones          bool // its value is one
}

// meanings are the operations by number.
var meanings = lists.Map(kernels.Operations, func(op kernels.Operation) meaning {
	return meaning{op, effectOf(op), setOf(op.Outcomes), op.Counts(), op.Lists(), op.Combines() && !op.Value}
})

func effectOf(op kernels.Operation) effect {
	switch {
	case op.Kind != kernels.OnKeys:
		return nil
	case op.Blind():
		return adding{}
	case op.Adds:
		return &replacing{op}
	}
	return &seeking{op}
}

// action is one operation with its result.
type action struct {
	op    string
	value uint64 // its argument
	most  uint64 // the largest value
	Given
	found []uint64 // the values that it listed
}

// Next lists the possible values of a key's pairs after an operation on one of them: none if its result is impossible.
func Next(pair schemes.Pair, op string, values []uint64, value uint64, gave Given) [][]uint64 {
	is := &meanings[kernels.OpNumber(op)]
	return is.next(values, action{op: op, value: is.brings(value, pair), most: pair.LargestValue(), Given: gave})
}

// brings returns the value of the pair that an operation would add.
func (m *meaning) brings(value uint64, pair schemes.Pair) uint64 {
	if m.ones {
		value = 1
	}
	return value & pair.LargestValue()
}

// adding is the effect of an operation that adds a pair without looking for its key.
type adding struct{}

func (adding) tell(h *history, d *action) {
	switch {
	case d.Outcome == "ok":
		h.added++
		h.came = append(h.came, d.value)
	case h.displacing:
		h.displaced = append(h.displaced, d.value)
	}
}

func (adding) next(values []uint64, d action) [][]uint64 {
	if d.Outcome == "ok" {
		return only(append(slices.Clone(values), d.value))
	}
	return unless(len(values) == 0, values) // refused, because its key is there
}

// replacing is the effect of an operation that sets the value of a key, present or not.
type replacing struct{ kernels.Operation }

func (op *replacing) tell(h *history, d *action) {
	switch d.Outcome {
	case "ok", "evicted":
		h.absent = d.op
		h.fresh++
		h.added++
		h.came = append(h.came, d.value)
	case "replaced":
		h.present = d.op
		h.write(&op.Operation, d.value)
	default: // a present key needs no room
		h.absent = d.op
	}
}

func (op *replacing) next(values []uint64, d action) [][]uint64 {
	switch {
	case d.Outcome != "replaced" && d.Outcome != "failed" && len(values) == 0:
		return only([]uint64{d.value})
	case d.Outcome != "replaced":
		return nil
	}
	return each(values, func(after []uint64, i int) []uint64 {
		after[i] = op.Made(after[i], d.value, d.most)
		return after
	})
}

// seeking is the effect of an operation that may read, change or remove the pairs of a present key.
type seeking struct{ kernels.Operation }

func (op *seeking) tell(h *history, d *action) {
	if d.Outcome != "ok" {
		h.absent = d.op
		return
	}
	h.present = d.op
	if op.Becomes != kernels.Keeps {
		h.write(&op.Operation, d.value)
	}
	switch op.Answer {
	case kernels.OneValue:
		h.found = append(h.found, d.Value)
	case kernels.Values, kernels.Rows:
		h.most, h.fewest = max(h.most, int(d.Value)), min(h.fewest, int(d.Value))
		h.lists = append(h.lists, d.found)
	}
	switch op.Removes {
	case kernels.RemovesOne:
		h.removed++
	case kernels.RemovesAnswered: // one after the other: none that was there from the start is left at its end
		h.removed += int(d.Value)
		h.absent = d.op
	}
}

func (op *seeking) next(values []uint64, d action) [][]uint64 {
	if d.Outcome != "ok" {
		return unless(len(values) > 0, values)
	}
	return each(values, func(after []uint64, i int) []uint64 {
		switch {
		case op.Answer == kernels.OneValue && after[i] != d.Value:
			return nil
		case op.Removes == kernels.RemovesOne:
			return slices.Delete(after, i, i+1)
		}
		after[i] = op.Made(after[i], d.value, d.most)
		return after
	})
}

func only(values []uint64) [][]uint64 { return [][]uint64{values} }

func unless(wrong bool, values []uint64) [][]uint64 {
	if wrong {
		return nil
	}
	return only(values)
}

// each lists the states after a change of one of the pairs; an impossible change gives nil.
func each(values []uint64, change func(after []uint64, i int) []uint64) (states [][]uint64) {
	for i := range values {
		if after := change(slices.Clone(values), i); after != nil {
			states = append(states, after)
		}
	}
	return states
}

// mixture holds the operations of a launch that combine values with those of a key's pairs.
type mixture struct {
	parts []combination
	most  uint64 // the largest value
}

// combination is an operation that combines values, and its value.
type combination struct {
	op    *kernels.Operation
	value uint64
}

// mostTried bounds the work of listing possible values.
const mostTried = 1 << 16

// all returns the possible values after all of the operations. If they are of one kind, their order does not matter.
func (x mixture) all(m multiple) multiple {
	if len(x.parts) == 0 || !x.commutes() {
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
	if len(x.parts) == 0 {
		return m
	}
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
