package host

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
)

// Failed operations can be repeated once there is room, or once the race they lost is over.

// Remembered returns the batch with a record of each operation's outcome.
func Remembered(t schemes.Table, b schemes.Batch) (schemes.Batch, error) {
	if b.Block.Status != 0 || b.N == 0 {
		return b, nil
	}
	status, err := t.Scratch(int64(b.N), 0)
	b.Block.Status = uint64(status)
	return b, err
}

// Repeat carries out a batch, and repeats the operations that failed as long as `more`, which
// may make room, says that it helps.
func Repeat(t schemes.Table, b schemes.Batch, more func(failed uint64) (bool, error)) (schemes.Result, error) {
	remembered, err := Remembered(t, b)
	if err != nil {
		return schemes.Result{}, err
	}
	done, err := t.Launch(remembered)
	done.Batch = b
	for helps := true; err == nil && helps && done.Counts.Get("failed") > 0; {
		if helps, err = more(done.Counts.Get("failed")); err == nil && helps {
			helps, err = repeatFailed(t, remembered, &done)
		}
	}
	return done, err
}

// repeatFailed carries out the failed operations of a batch again, if there is memory to select them.
func repeatFailed(t schemes.Table, b schemes.Batch, done *schemes.Result) (bool, error) {
	again, err := onlyFailed(t, b)
	if errors.Is(err, schemes.ErrNoMemory) {
		t.Note(fmt.Sprintf("failures are not tried again: %v", err))
		return false, nil
	}
	if err != nil {
		return false, err
	}
	more, err := t.Launch(again)
	if err != nil {
		return false, err
	}
	done.Counts.Set("failed", 0)
	done.Counts.Set("pairs", 0)
	done.Counts.Add(more.Counts)
	return true, nil
}

// carryOutTwice is the host side of operations that fail only because they race with each other.
func carryOutTwice(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	first := true
	return Repeat(t, b, func(uint64) (bool, error) {
		repeat := first
		first = false
		return repeat, nil
	})
}

// onlyFailed returns a batch of the failed operations; a number that no kernel knows replaces the others.
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
