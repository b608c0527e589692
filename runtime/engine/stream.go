package engine

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
)

// With Spec.Launch, a larger batch is a stream of launches: the host submits one after the other without waiting, and the
// clock runs from the first to the last. The rate is that of an application that sends many small batches. All launches add
// to the same counters and write to the arrays of one batch, so counts and digests are those of one launch.

// MostLaunch bounds Spec.Launch: larger launches need no stream. It is below the size from which a GPU launches a second
// kernel ahead of one that combines values (kernels/ahead.h), which carries out all rows of a batch or none.
const MostLaunch = 1 << 20

func checkLaunch(size uint64) error {
	if size > MostLaunch {
		return fmt.Errorf("launches of %d operations: a stream has launches of 1 to %d; hint: 0 is one launch", size, uint64(MostLaunch))
	}
	return nil
}

// notCut is what a sample notes of launches that are not cut.
const notCut = "its launches are not cut"

// launchSize returns how many operations a launch has: all, unless it is cut. What flows to a shard is not.
func (t *Table) launchSize(b schemes.Batch, conduct conductor) uint64 {
	size := t.spec.Launch
	switch {
	case size == 0 || size >= b.N || conduct != nil || !t.keyed(b):
		return b.N
	case t.divisible(b):
		return size
	case !slices.Contains(t.sample.Notes, notCut):
		t.Note(notCut)
	}
	return b.N
}

// keyed reports whether each item of a launch is an operation of the batch that is carried out.
func (t *Table) keyed(b schemes.Batch) bool {
	op := kernels.Op(b.Op)
	inside := b.Block.Keys-t.doing.Block.Keys < t.doing.N*uint64(t.Pair().Key) // below, the difference wraps around
	return t.busy && (b.Keyed || op.Kind == kernels.OnKeys || op.Kind == kernels.Mixed) && (b.Moved || inside)
}

// divisible reports whether all that a kernel reads and writes for an operation is where Rest of the batch has it. Places of
// found values and notes of a host side are not.
func (t *Table) divisible(b schemes.Batch) bool {
	lists := kernels.Op(b.Op).Lists() || kernels.Op(t.doing.Op).Lists()
	return !lists && !b.Moved && b.Block.FoundOf == 0 && b.Block.FoundAt == 0
}

// errLate ends a stream that the watchdog gives up.
var errLate = errors.New("late")

// stream calls the kernel for `size` operations at a time.
func (t *Table) stream(b schemes.Batch, size uint64, call func(schemes.Batch) error) error {
	if size == b.N {
		return call(b)
	}
	end := time.Now().Add(t.spec.Timeout)
	all := func() error {
		for ; b.N > size; b = b.Rest(t.Pair(), size) {
			if time.Now().After(end) {
				return errLate
			}
			piece := b
			piece.N = size
			if err := call(piece); err != nil {
				return err
			}
		}
		return call(b)
	}
	return t.dev.Sequence(all) // without an event after each launch
}
