package gomap

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// act is what an operation does: the columns of kernels.Operations, without texts to compare.
type act struct {
	kernels.Operation
	takes, answers, blind, removes, adds bool
}

var acts = lists.Map(kernels.Operations, func(op kernels.Operation) act {
	return act{op, op.Value, op.Answer == kernels.OneValue, op.Blind(), op.Removes == kernels.RemovesOne, op.Adds}
})

// kernelOf returns the kernel of an operation.
func kernelOf[W word](op string) kernels.Body {
	switch op {
	case "make":
		return makeTable[W]
	case "drop":
		return dropTable[W]
	case "count", "export":
		return sweep[W](op == "export")
	}
	kind, number := kernels.Op(op).Kind, byte(kernels.OpNumber(op))
	return func(block *kernels.Table, b *kernels.Batch, first, count uint64) {
		w := worker[W]{table: tableOf[W](block), batch: b, op: number, mixed: kind == kernels.Mixed, counts: make([]uint64, len(kernels.Counters))}
		if kind == kernels.Family {
			w.op = byte(b.Op)
		}
		for i := first; i < first+count; i++ {
			w.operation(i)
		}
		w.add()
	}
}

// worker is a goroutine's part of a batch.
type worker[W word] struct {
	table  *table[W]
	batch  *kernels.Batch
	op     byte // that it carries out
	mixed  bool // it carries out those of the batch instead
	counts []uint64
}

// outcome is what became of an operation, with its answer.
type outcome[W word] struct {
	status byte
	answer W
}

var (
	ok, failed, missing  = status("ok"), status("failed"), status("missing")
	rejected, replaced   = status("rejected"), status("replaced")
	added, removed, left = counter("added"), counter("removed"), counter("pairs")
	counterOf            = counters()
)

func status(name string) byte { return byte(slices.Index(kernels.Outcomes, name)) }
func counter(name string) int { return slices.Index(kernels.Counters, name) }

// counters are those of the outcomes.
func counters() (list []int) {
	for _, name := range kernels.Outcomes {
		list = append(list, counter(name))
	}
	return list
}

// operation carries out operation i of a batch, if it is one of those that take part.
func (w *worker[W]) operation(i uint64) {
	number := w.op
	if w.batch.Ops != 0 {
		listed := *at[byte](w.batch.Ops, i)
		if int(listed) >= len(acts) || w.batch.Select>>listed&1 == 0 {
			return
		}
		if w.mixed {
			number = listed
		}
	}
	op := &acts[number]
	key, value := *at[W](w.batch.Keys, i), W(1)
	if op.takes {
		value = *at[W](w.batch.Values, i)
	}
	done := outcome[W]{rejected, ^W(0)}
	if key < ^W(0)-1 {
		done = w.carryOut(op, key, value)
	}
	w.note(op, i, done, key, value)
}

// carryOut carries out one operation. A batch of finds alone takes no locks.
func (w *worker[W]) carryOut(op *act, key, value W) outcome[W] {
	s := w.table.at(key)
	switch {
	case op.answers && w.batch.Ops == 0:
		return found(s.pairs, key)
	case op.answers:
		s.RLock()
		defer s.RUnlock()
		return found(s.pairs, key)
	}
	s.Lock()
	defer s.Unlock()
	done := changed(s.pairs, op, key, value)
	if op.adds && done.status == ok {
		w.table.grown(s)
	}
	return done
}

// changed carries out an operation that may change a map.
func changed[W word](pairs map[W]W, op *act, key, value W) outcome[W] {
	switch there, isThere := pairs[key]; {
	case op.blind && isThere:
		return outcome[W]{failed, ^W(0)}
	case !isThere && !op.adds:
		return outcome[W]{missing, ^W(0)}
	case op.removes:
		delete(pairs, key)
	case isThere && op.adds:
		pairs[key] = W(op.Made(uint64(there), uint64(value), uint64(^W(0))))
		return outcome[W]{replaced, ^W(0)}
	default:
		pairs[key] = value
	}
	return outcome[W]{ok, ^W(0)}
}

func found[W word](pairs map[W]W, key W) outcome[W] {
	if value, there := pairs[key]; there {
		return outcome[W]{ok, value}
	}
	return outcome[W]{missing, ^W(0)}
}

// note writes what became of an operation, and counts it. The pair of an insert that failed is handed back.
func (w *worker[W]) note(op *act, i uint64, done outcome[W], key, value W) {
	if op.answers {
		*at[W](w.batch.Out, i) = done.answer
	}
	if w.batch.Status != 0 {
		*at[byte](w.batch.Status, i) = done.status
	}
	w.counts[counterOf[done.status]]++
	switch {
	case done.status == failed:
		handBack(w.batch, key, value)
	case done.status == ok && op.adds:
		w.counts[added]++
	case done.status == ok && op.removes:
		w.counts[removed]++
	}
}

// handBack writes a pair that leaves the table to the batch, if there is room.
func handBack[W word](b *kernels.Batch, key, value W) {
	if place := atomic.AddUint64(at[uint64](b.Counters, uint64(left)), 1) - 1; place < b.PairLimit {
		*at[W](b.PairKeys, place), *at[W](b.PairValues, place) = key, value
	}
}

// add adds the counters to those of the batch.
func (w *worker[W]) add() {
	for i, n := range w.counts {
		if n > 0 {
			atomic.AddUint64(at[uint64](w.batch.Counters, uint64(i)), n)
		}
	}
}

// sweep counts the pairs of a table, and may hand them back.
func sweep[W word](export bool) kernels.Body {
	return func(block *kernels.Table, b *kernels.Batch, first, _ uint64) {
		if first > 0 {
			return
		}
		for i := range tableOf[W](block).stripes {
			pairs := tableOf[W](block).stripes[i].pairs
			if !export {
				*at[uint64](b.Counters, uint64(left)) += uint64(len(pairs))
				continue
			}
			for key, value := range pairs {
				handBack(b, key, value)
			}
		}
	}
}

// at returns element i of an array in device memory, which Go's garbage collector does not know.
func at[T any](address, i uint64) *T {
	place := uintptr(address) + uintptr(i)*unsafe.Sizeof(*new(T))
	return *(**T)(unsafe.Pointer(&place))
}
