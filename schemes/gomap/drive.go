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
	answers, blind, removes bool
}

var acts = lists.Map(kernels.Operations, func(op kernels.Operation) act {
	return act{op, op.Answer == kernels.OneValue, op.Blind(), op.Removes == kernels.RemovesOne}
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

var (
	ok, failed, missing  = status("ok"), status("failed"), status("missing")
	rejected, replaced   = status("rejected"), status("replaced")
	added, removed, left = counter("added"), counter("removed"), counter("pairs")
	counterOf            = lists.Map(kernels.Outcomes, counter)
)

func status(name string) byte { return byte(slices.Index(kernels.Outcomes, name)) }
func counter(name string) int { return slices.Index(kernels.Counters, name) }

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
	if op.Value {
		value = *at[W](w.batch.Values, i)
	}
	status, answer := rejected, ^W(0)
	if key < ^W(0)-1 {
		status, answer = w.carryOut(op, key, value)
	}
	if op.answers {
		*at[W](w.batch.Out, i) = answer
	}
	if w.batch.Status != 0 {
		*at[byte](w.batch.Status, i) = status
	}
	w.count(op, status, key, value)
}

// carryOut carries out one operation. A batch of finds alone takes no locks.
func (w *worker[W]) carryOut(op *act, key, value W) (status byte, answer W) {
	s := w.table.at(key)
	switch {
	case op.answers && w.batch.Ops == 0:
	case op.answers:
		s.RLock()
		defer s.RUnlock()
	default:
		s.Lock()
		defer s.Unlock()
	}
	if status, answer = applied(s.pairs, op, key, value); op.Adds && status == ok {
		w.table.grown(s)
	}
	return status, answer
}

// applied carries out an operation on a map.
func applied[W word](pairs map[W]W, op *act, key, value W) (status byte, answer W) {
	switch there, isThere := pairs[key]; {
	case op.blind && isThere:
		return failed, ^W(0)
	case !isThere && !op.Adds:
		return missing, ^W(0)
	case op.answers:
		return ok, there
	case op.removes:
		delete(pairs, key)
	case isThere && op.Adds:
		pairs[key] = W(op.Made(uint64(there), uint64(value), uint64(^W(0))))
		return replaced, ^W(0)
	default:
		pairs[key] = value
	}
	return ok, ^W(0)
}

// count counts an operation. The pair of an insert that failed is handed back.
func (w *worker[W]) count(op *act, status byte, key, value W) {
	w.counts[counterOf[status]]++
	switch {
	case status == failed:
		handBack(w.batch, key, value)
	case status == ok && op.Adds:
		w.counts[added]++
	case status == ok && op.removes:
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
