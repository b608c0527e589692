package host

import (
	"errors"
	"fmt"

	"github.com/hashzoo/hashzoo/schemes"
)

// insertOrRebuild is the host side of inserts for schemes that can start over: when inserts find no room, all pairs,
// including evicted ones, are inserted again with other hash functions, up to a limit.
func insertOrRebuild(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	done, err := t.Launch(b)
	c := t.Config()
	if report := c.Get("on_failure") == 0; err != nil || report || done.Counts.Get("failed") == 0 {
		return done, err
	}
	work, asked := done.Counts, done.Counts.Get("ok")+done.Counts.Get("failed")
	attempts := 0
	for ; done.Counts.Get("failed") > 0 && attempts < int(c.Get("rebuilds")); attempts++ {
		again, err := rebuild(t, done)
		if errors.Is(err, schemes.ErrNoMemory) {
			t.Note(fmt.Sprintf("no rebuild: %v", err))
			break
		}
		if err != nil {
			return done, err
		}
		done = again
		work.Add(done.Counts)
	}
	left := done.Counts.Get("failed")
	t.Note(fmt.Sprintf("rebuilt %d times; %d pairs found no room in the end", attempts, left))
	work.SetInserts(asked, left)
	return schemes.Result{Counts: work, Batch: done.Batch}, nil
}

// rebuild allocates memory first: without it, the table stays as it is.
func rebuild(t schemes.Table, failed schemes.Result) (schemes.Result, error) {
	all, err := t.TakeOut(failed)
	if err != nil {
		return failed, err
	}
	if err := t.Reseed(); err != nil {
		return failed, err
	}
	return t.Launch(all)
}
