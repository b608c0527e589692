package engine

import (
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
)

// effect says what an operation on keys means to the oracle, besides what the columns of
// kernels.Operations say.
type effect struct {
	// tell adds one operation to what a launch says about its key.
	tell func(h *history, d deed)
	// next lists what the values of the key's pairs may be after the operation: none if it
	// cannot have ended as it did. It is nil if the operation does not happen at one instant.
	next func(values []uint64, d deed) [][]uint64
}

// deed is one operation that was carried out.
type deed struct {
	op    string
	value uint64 // that it was given
	Given
	found []uint64 // the values that it gave apart from its answer
}

// effects are the meanings of the operations on keys.
var effects = map[string]effect{
	"insert": {
		tell: func(h *history, d deed) {
			switch {
			case d.Outcome == "ok":
				h.added++
				h.write(d.value)
			case h.displacing:
				h.displaced = append(h.displaced, d.value)
			}
		},
		next: func(values []uint64, d deed) [][]uint64 {
			if d.Outcome == "ok" {
				return only(append(slices.Clone(values), d.value))
			}
			return unless(len(values) == 0, values) // refused, because its key is there
		},
	},
	"upsert": {
		tell: func(h *history, d deed) {
			switch d.Outcome {
			case "ok":
				h.absent = d.op
				h.fresh++
				h.added++
				h.write(d.value)
			case "replaced":
				h.present = d.op
				h.write(d.value)
			default: // a key that is there needs no room
				h.absent = d.op
			}
		},
		next: func(values []uint64, d deed) [][]uint64 {
			switch {
			case d.Outcome == "replaced":
				return replaced(values, d.value)
			case d.Outcome == "ok" && len(values) == 0:
				return only([]uint64{d.value})
			}
			return nil
		},
	},
	"find": {
		tell: func(h *history, d deed) {
			if h.there(d) {
				h.found = append(h.found, d.Value)
			}
		},
		next: func(values []uint64, d deed) [][]uint64 {
			if d.Outcome == "ok" {
				return unless(!slices.Contains(values, d.Value), values)
			}
			return unless(len(values) > 0, values)
		},
	},
	"find_all": {tell: func(h *history, d deed) {
		if h.there(d) {
			h.most, h.fewest = max(h.most, int(d.Value)), min(h.fewest, int(d.Value))
			h.lists = append(h.lists, d.found)
		}
	}},
	"update": {
		tell: func(h *history, d deed) {
			if h.there(d) {
				h.write(d.value)
			}
		},
		next: func(values []uint64, d deed) [][]uint64 {
			if d.Outcome == "ok" {
				return replaced(values, d.value)
			}
			return unless(len(values) > 0, values)
		},
	},
	"erase": {
		tell: func(h *history, d deed) {
			if h.there(d) {
				h.removed++
			}
		},
		next: func(values []uint64, d deed) [][]uint64 {
			if d.Outcome != "ok" {
				return unless(len(values) > 0, values)
			}
			var states [][]uint64
			for i := range values {
				states = append(states, slices.Delete(slices.Clone(values), i, i+1))
			}
			return states
		},
	},
	// It removes pairs one by one, but none from the start is there when it ends.
	"erase_all": {tell: func(h *history, d deed) {
		if h.there(d) {
			h.removed += int(d.Value)
			h.absent = d.op
		}
	}},
}

// meaning is an operation with its effect, if it is one on keys.
type meaning struct {
	kernels.Operation
	effect
}

// meanings are the operations by number.
var meanings = func() (list []meaning) {
	for _, op := range kernels.Operations {
		list = append(list, meaning{op, effects[op.Name]})
	}
	return list
}()

// Next lists what the values of a key's pairs may be after one operation: none if it cannot
// have given that.
func Next(op string, values []uint64, value uint64, gave Given) [][]uint64 {
	return effects[op].next(values, deed{op: op, value: value, Given: gave})
}

// AtOnce lists the operations that take effect at one instant, for which Next holds.
func AtOnce() []string {
	return kernels.OpsThat(func(op kernels.Operation) bool { return effects[op.Name].next != nil })
}

// only is the one state that is possible.
func only(values []uint64) [][]uint64 { return [][]uint64{values} }

// unless is the same state as before, or none.
func unless(wrong bool, values []uint64) [][]uint64 {
	if wrong {
		return nil
	}
	return only(values)
}

// replaced are the states in which one of the pairs has another value.
func replaced(values []uint64, value uint64) [][]uint64 {
	var states [][]uint64
	for i := range values {
		other := slices.Clone(values)
		other[i] = value
		states = append(states, other)
	}
	return states
}
