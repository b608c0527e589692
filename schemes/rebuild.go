package schemes

import (
	"errors"
	"fmt"
)

// onFailure and rebuilds are the parameters of schemes that can start over with
// fresh hash functions when an insert finds no room.
var (
	onFailure = Param{
		Name: "on_failure", Role: HostOnly, Words: []string{"report", "rebuild"},
		Help: "when inserts find no room: report them, or rebuild the table with fresh hash functions",
	}
	rebuilds = Param{
		Name: "rebuilds", Role: HostOnly, Min: 1, Max: 100, Default: 10,
		Help: "how many rebuilds a batch may take before its failures are reported",
	}
)

// insertOrRebuild is the host side of inserts for schemes with these two parameters. When
// inserts find no room, all pairs, those that were pushed out included, are
// inserted again under new functions, until all are in or the limit is reached.
// What is left over then is reported, exactly.
func insertOrRebuild(t Table, b Batch) (Result, error) {
	done, err := t.Launch(b)
	c := t.Config()
	report := c.Get(onFailure.Name) == onFailure.Default
	if err != nil || report || done.Counts.Get("failed") == 0 {
		return done, err
	}
	work, asked := done.Counts, done.Counts.Get("ok")+done.Counts.Get("failed")
	attempts := 0
	for ; done.Counts.Get("failed") > 0 && attempts < int(c.Get(rebuilds.Name)); attempts++ {
		again, err := rebuild(t, done)
		if errors.Is(err, ErrNoMemory) {
			t.Note(fmt.Sprintf("no rebuild: %v", err))
			break
		}
		if err != nil {
			return done, err
		}
		done = again
		work.Add(done.Counts)
	}
	// More pairs may be left over than this batch has inserts, as a rebuild may
	// fare worse than the table that was there before.
	left := done.Counts.Get("failed")
	t.Note(fmt.Sprintf("rebuilt %d times; %d pairs found no room in the end", attempts, left))
	failed := min(left, asked)
	work.Set("ok", asked-failed)
	work.Set("added", asked-failed)
	work.Set("failed", failed)
	work.Set("pairs", left)
	return Result{Counts: work, Batch: done.Batch}, nil
}

// rebuild takes memory first: if there is none, the table stays as it is.
func rebuild(t Table, failed Result) (Result, error) {
	all, err := t.TakeOut(failed)
	if err != nil {
		return failed, err
	}
	if err := t.Reseed(); err != nil {
		return failed, err
	}
	return t.Launch(all)
}
