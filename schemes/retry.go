package schemes

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// Operations that failed can be carried out again, when there is room, or when what
// they raced with is over.

// remembered is the batch with a record of what became of each operation.
func remembered(t Table, b Batch) (Batch, error) {
	if b.Block.Status != 0 || b.N == 0 {
		return b, nil
	}
	status, err := t.Scratch(int64(b.N), 0)
	b.Block.Status = uint64(status)
	return b, err
}

// retryFailed carries out those operations of a batch again that failed.
func retryFailed(t Table, b Batch, done *Result) error {
	again, err := onlyFailed(t, b)
	if err != nil {
		return err
	}
	more, err := t.Launch(again)
	if err != nil {
		return err
	}
	done.with(more.Counts)
	return nil
}

// with adds what the operations that had failed have come to since.
func (r *Result) with(more Counts) {
	r.Counts.Set("failed", 0)
	r.Counts.Set("pairs", 0)
	r.Counts.Add(more)
}

// onlyFailed is a batch with the operations that failed and no others.
func onlyFailed(t Table, b Batch) (Batch, error) {
	ops, err := failedOps(t, b)
	if err != nil {
		return b, err
	}
	at, err := t.Scratch(int64(b.N), 0)
	if err != nil {
		return b, err
	}
	b.Block.Ops = uint64(at)
	if b.Op != MixOp {
		b.Block.Select = 1 << slices.Index(kernels.Ops, b.Op)
	}
	return b, t.Write(at, ops)
}

// failedOps lists the operations of a batch that failed; those that did not are
// none that a kernel knows.
func failedOps(t Table, b Batch) ([]byte, error) {
	status, ops := make([]byte, b.N), make([]byte, b.N)
	if err := t.Read(status, device.Addr(b.Block.Status)); err != nil {
		return nil, err
	}
	selected := b.Block.Select
	if b.Block.Ops != 0 {
		if err := t.Read(ops, device.Addr(b.Block.Ops)); err != nil {
			return nil, err
		}
	} else {
		op := byte(slices.Index(kernels.Ops, b.Op))
		selected = 1 << op
		for i := range ops {
			ops[i] = op
		}
	}
	failed := outcome("failed")
	for i := range ops {
		if status[i] != failed || selected>>ops[i]&1 == 0 { // others may have failed in a phase before
			ops[i] = 0xff
		}
	}
	return ops, nil
}

// carryOutTwice is the host side of operations that may fail only because many of them
// race: those that did are carried out again when the others are done.
func carryOutTwice(t Table, b Batch) (Result, error) {
	again, err := remembered(t, b)
	if err != nil {
		return Result{}, err
	}
	done, err := t.Launch(again)
	done.Batch = b
	if err != nil || done.Counts.Get("failed") == 0 {
		return done, err
	}
	if again, err = onlyFailed(t, again); err != nil {
		t.Note(fmt.Sprintf("failures are not tried again: %v", err))
		return done, nil
	}
	more, err := t.Launch(again)
	done.with(more.Counts)
	return done, err
}
