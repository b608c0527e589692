package engine

import (
	"errors"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
)

// With Spec.Launch, a larger batch is a stream of launches: the host submits one after the other without waiting, and the
// clock runs from the first to the last. The rate is that of an application that sends many small batches. All launches add
// to the same counters and write to the arrays of one batch, so counts and digests are those of one launch.

// MostLaunch bounds Spec.Launch: larger launches need no stream. It is below the size from which a GPU pre-aggregates
// (preaggregate.go) all rows of a batch or none.
const MostLaunch = 1 << 20

// notCut is the note of a sample whose launches are not cut.
const notCut = "its launches are not cut"

// launchSize returns how many operations a launch has: all, unless it is cut.
func (t *shard) launchSize(b schemes.Batch) uint64 {
	size := t.spec.Launch
	// Rest of the batch does not have the addresses of found values and of notes of a host side.
	more := kernels.Op(b.Op).Lists() || kernels.Op(t.current.Op).Lists() || b.Moved || b.Block.FoundOf != 0 || b.Block.FoundAt != 0
	switch {
	case size == 0 || size >= b.N || !t.keyed(b):
		return b.N
	case !more:
		return size
	case !slices.Contains(t.sample.Notes, notCut):
		t.Note(notCut)
	}
	return b.N
}

// keyed reports whether each item of a launch is an operation of the current batch.
func (t *shard) keyed(b schemes.Batch) bool {
	op := kernels.Op(b.Op)
	inside := b.Block.Keys-t.current.Block.Keys < t.current.N*uint64(t.Pair().Key) // below, the difference wraps around
	return t.inBatch && (b.Keyed || op.Kind == kernels.OnKeys || op.Kind == kernels.Mixed) && (b.Moved || inside)
}

// errLate ends a stream that runs out of time.
var errLate = errors.New("late")

// stream calls the kernel piece by piece.
func (l *kernelLaunch) stream() error {
	end := time.Now().Add(l.t.spec.Timeout)
	return l.t.dev.Sequence(func() error { // without an event after each launch
		b := l.batch
		for ; b.N > l.size; b = b.Rest(l.t.Pair(), l.size) {
			if time.Now().After(end) {
				return errLate
			}
			piece := b
			piece.N = l.size
			if err := l.call(piece); err != nil {
				return err
			}
		}
		return l.call(b)
	})
}
