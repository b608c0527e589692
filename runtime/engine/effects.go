package engine

import (
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
)

// This file says what each operation on keys means to the oracle. What the columns of
// kernels.Operations say is not repeated here.

// effect is the meaning of an operation.
type effect interface {
	// tell adds one operation to what a launch says about its key.
	tell(h *history, d deed)
}

// moment is an effect that happens at one instant, so that a sequence of such operations
// can be checked for being in order.
type moment interface {
	effect
	// next lists what the values of the key's pairs may be after the operation, given
	// what they were: none if it cannot have ended as it did.
	next(values []uint64, d deed) [][]uint64
}

// meaning is an operation with its effect, if it is one on keys.
type meaning struct {
	kernels.Operation
	effect
}

// meanings are the operations by number.
var meanings = func() []meaning {
	list := make([]meaning, len(kernels.Operations))
	for i, op := range kernels.Operations {
		list[i] = meaning{op, effects[op.Name]}
	}
	return list
}()

// deed is one operation that was carried out.
type deed struct {
	op    string
	value uint64 // that it was given
	Given
	found []uint64 // the values that it gave apart from its answer
}

// effects are the meanings of the operations on keys.
var effects = map[string]effect{
	"insert": opInsert{}, "upsert": opUpsert{}, "update": opUpdate{}, "find": opFind{}, "find_all": opFindAll{},
	"erase": opErase{}, "erase_all": opEraseAll{},
}

// Next lists what the values of a key's pairs may be after one operation: none if it cannot
// have given that.
func Next(op string, values []uint64, value uint64, gave Given) [][]uint64 {
	return effects[op].(moment).next(values, deed{op: op, value: value, Given: gave})
}

// AtOnce lists the operations that take effect at one instant, for which Next holds.
func AtOnce() []string {
	return kernels.OpsThat(func(op kernels.Operation) bool { _, ok := effects[op.Name].(moment); return ok })
}

// opInsert adds a pair without looking for its key.
type opInsert struct{}

func (opInsert) tell(h *history, d deed) {
	switch {
	case d.Outcome == "ok":
		h.add(d.value)
	case h.displacing:
		h.displaced = append(h.displaced, d.value)
	}
}

func (opInsert) next(values []uint64, d deed) [][]uint64 {
	if d.Outcome == "ok" {
		return only(append(slices.Clone(values), d.value))
	}
	return unless(len(values) == 0, values) // refused, because its key is there
}

// opUpsert gives a key a value, whether it is there or not.
type opUpsert struct{}

func (opUpsert) tell(h *history, d deed) {
	switch d.Outcome {
	case "ok":
		h.missed(d.op)
		h.fresh++
		h.add(d.value)
	case "replaced":
		h.met(d.op)
		h.write(d.value)
	default: // a key that is there needs no room
		h.missed(d.op)
	}
}

func (opUpsert) next(values []uint64, d deed) [][]uint64 {
	switch {
	case d.Outcome == "replaced":
		return replaced(values, d.value)
	case d.Outcome == "ok" && len(values) == 0:
		return only([]uint64{d.value})
	}
	return nil
}

// opFind gives the value of a key.
type opFind struct{}

func (opFind) tell(h *history, d deed) {
	if h.there(d) {
		h.found = append(h.found, d.Value)
	}
}

func (opFind) next(values []uint64, d deed) [][]uint64 {
	if d.Outcome == "ok" {
		return unless(!slices.Contains(values, d.Value), values)
	}
	return unless(len(values) > 0, values)
}

// opFindAll gives the values of all pairs of a key.
type opFindAll struct{}

func (opFindAll) tell(h *history, d deed) {
	if h.there(d) {
		h.most, h.fewest = max(h.most, int(d.Value)), min(h.fewest, int(d.Value))
		h.lists = append(h.lists, d.found)
	}
}

// opUpdate changes the value of a key that is there.
type opUpdate struct{}

func (opUpdate) tell(h *history, d deed) {
	if h.there(d) {
		h.write(d.value)
	}
}

func (opUpdate) next(values []uint64, d deed) [][]uint64 {
	if d.Outcome == "ok" {
		return replaced(values, d.value)
	}
	return unless(len(values) > 0, values)
}

// opErase removes one pair of a key.
type opErase struct{}

func (opErase) tell(h *history, d deed) {
	if h.there(d) {
		h.removed++
	}
}

func (opErase) next(values []uint64, d deed) [][]uint64 {
	if d.Outcome != "ok" {
		return unless(len(values) > 0, values)
	}
	var states [][]uint64
	for i := range values {
		states = append(states, slices.Delete(slices.Clone(values), i, i+1))
	}
	return states
}

// opEraseAll removes all pairs of a key, one after the other: none that was there from the
// start is there when it ends.
type opEraseAll struct{}

func (opEraseAll) tell(h *history, d deed) {
	if h.there(d) {
		h.removed += int(d.Value)
		h.missed(d.op)
	}
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
