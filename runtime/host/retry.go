package host

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// Failed operations can be repeated once there is room, or once the race they lost is
// over.

// Remembered returns the batch with a record of each operation's outcome.
func Remembered(t schemes.Table, b schemes.Batch) (schemes.Batch, error) {
	if b.Block.Status != 0 || b.N == 0 {
		return b, nil
	}
	status, err := t.Scratch(int64(b.N), 0)
	b.Block.Status = uint64(status)
	return b, err
}

// RetryFailed carries out the failed operations of a batch again.
func RetryFailed(t schemes.Table, b schemes.Batch, done *schemes.Result) error {
	again, err := onlyFailed(t, b)
	if err != nil {
		return err
	}
	more, err := t.Launch(again)
	if err != nil {
		return err
	}
	with(done, more.Counts)
	return nil
}

// with adds the outcomes of the repeated operations.
func with(r *schemes.Result, more schemes.Counts) {
	r.Counts.Set("failed", 0)
	r.Counts.Set("pairs", 0)
	r.Counts.Add(more)
}

// onlyFailed returns a batch of the failed operations.
func onlyFailed(t schemes.Table, b schemes.Batch) (schemes.Batch, error) {
	ops, err := failedOps(t, b)
	if err != nil {
		return b, err
	}
	at, err := t.Scratch(int64(b.N), 0)
	if err != nil {
		return b, err
	}
	b.Block.Ops = uint64(at)
	if b.Op != schemes.MixOp {
		b.Block.Select = 1 << slices.Index(kernels.Ops, b.Op)
	}
	return b, t.Write(at, ops)
}

// failedOps returns the operations of a batch with those that did not fail replaced by a
// number that no kernel knows.
func failedOps(t schemes.Table, b schemes.Batch) ([]byte, error) {
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
		if status[i] != failed || selected>>ops[i]&1 == 0 { // others may have failed in an earlier phase
			ops[i] = 0xff
		}
	}
	return ops, nil
}

// carryOutTwice is the host side of operations that fail only because they race with each
// other: failed ones are repeated after the others are done.
func carryOutTwice(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	again, err := Remembered(t, b)
	if err != nil {
		return schemes.Result{}, err
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
	with(&done, more.Counts)
	return done, err
}
