package host

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
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
	return repeat(t, again, done)
}

// repeat launches a batch of failed operations, and replaces their outcomes.
func repeat(t schemes.Table, again schemes.Batch, done *schemes.Result) error {
	more, err := t.Launch(again)
	if err == nil {
		done.Counts.Set("failed", 0)
		done.Counts.Set("pairs", 0)
		done.Counts.Add(more.Counts)
	}
	return err
}

// onlyFailed returns a batch of the failed operations. The others are replaced by a number
// that no kernel knows.
func onlyFailed(t schemes.Table, b schemes.Batch) (schemes.Batch, error) {
	status, err := Read[byte](t, b.Block.Status, b.N)
	if err != nil {
		return b, err
	}
	op := byte(slices.Index(kernels.Ops, b.Op))
	ops, selected := slices.Repeat([]byte{op}, int(b.N)), b.Block.Select
	if b.Block.Ops == 0 {
		selected = 1 << op
	} else if ops, err = Read[byte](t, b.Block.Ops, b.N); err != nil {
		return b, err
	}
	failed := byte(slices.Index(kernels.Outcomes, "failed"))
	for i := range ops {
		if status[i] != failed || selected>>ops[i]&1 == 0 { // others may have failed in an earlier phase
			ops[i] = 0xff
		}
	}
	if b.Op != schemes.MixOp {
		b.Block.Select = 1 << op
	}
	at, err := t.Scratch(int64(b.N), 0)
	if err != nil {
		return b, err
	}
	b.Block.Ops = uint64(at)
	return b, t.Write(at, ops)
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
	return done, repeat(t, again, &done)
}
