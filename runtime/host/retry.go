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

// repeatWhileFewerFail is the host side of operations that fail only because they race with each other. What one of
// them held is free when the launch ends, so another launch helps until one has helped none.
func repeatWhileFewerFail(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	before := b.N + 1
	return Repeat(t, b, func(failed uint64) (bool, error) {
		helps := failed < before
		before = failed
		return helps, nil
	})
}

// onlyFailed returns a batch of the failed operations.
func onlyFailed(t schemes.Table, b schemes.Batch) (schemes.Batch, error) {
	if b.Block.Ops == 0 {
		return SelectFailed(b), nil
	}
	return onlyFailedOf(t, b)
}

// onlyFailedOf does so for a batch with several operations; a number that no kernel knows replaces those that did not fail.
func onlyFailedOf(t schemes.Table, b schemes.Batch) (schemes.Batch, error) {
	status, err := Read[byte](t, b.Block.Status, b.N)
	if err != nil {
		return b, err
	}
	ops, err := Read[byte](t, b.Block.Ops, b.N)
	if err != nil {
		return b, err
	}
	failed := byte(slices.Index(kernels.Outcomes, "failed"))
	for i := range ops {
		if status[i] != failed || b.Block.Select>>ops[i]&1 == 0 { // others may have failed in an earlier phase
			ops[i] = 0xff
		}
	}
	at, err := t.Scratch(int64(b.N), 0)
	if err != nil {
		return b, err
	}
	b.Block.Ops = uint64(at)
	return b, t.Write(at, ops)
}
