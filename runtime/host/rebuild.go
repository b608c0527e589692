package host

import (
	"errors"
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// insertOrRebuild is the host side of inserts for schemes that can start over: when inserts find no room, all pairs,
// including evicted ones, are inserted again with other hash functions, up to a limit.
func insertOrRebuild(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	done, err := launchBounded(t, b, t.Size()+b.N)
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
	return launchBounded(t, all, all.N)
}

// shortChain is the most evictions of an insert into a table that is filled beyond what it can hold.
const shortChain = 128

// launchBounded launches inserts that bring a table to the given number of pairs. Beyond its load factor many find no
// room, and with long chains each of those evicts a thousand pairs first: hundreds of millions, which looked like a hang.
func launchBounded(t schemes.Table, b schemes.Batch, pairs uint64) (schemes.Result, error) {
	c, block := t.Config(), t.Block()
	arg, evicts := c.ArgOf("max_chain")
	if !evicts || c.Get("max_chain") != 0 || float64(pairs) <= (c.MaxLoad(c)+0.02)*float64(block.Capacity) {
		return t.Launch(b)
	}
	block.Arg[arg] = min(shortChain, block.Arg[arg])
	b.As = &block
	return t.Launch(b)
}

func flushByRebuild(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	none := Nothing(b)
	all, err := t.TakeOut(none)
	if err != nil {
		return none, err
	}
	if err := Empty(t); err != nil {
		return none, err
	}
	done, err := t.Launch(all)
	if err != nil {
		return none, err
	}
	// The batch itself had no operations, so only the work and the left-over pairs count.
	for _, outcome := range append([]string{"added"}, kernels.Outcomes[1:]...) {
		done.Counts.Set(outcome, 0)
	}
	return done, nil
}

// Empty restores the initial contents of every region of a table.
func Empty(t schemes.Table) error {
	block := t.Block()
	for i, r := range t.Layout().Regions {
		if err := t.Set(device.Addr(block.Region[i]), r.Fill, r.Bytes); err != nil {
			return err
		}
	}
	return nil
}

// flushOrKeep is flushByRebuild for tables with bounded walks: a pair may find no room in the new order of a nearly
// full table, which is then put back.
func flushOrKeep(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	at := t.Block().Region[0]
	before, err := Read[byte](t, at, uint64(t.Layout().Regions[0].Bytes))
	if err != nil {
		return schemes.Result{}, err
	}
	done, err := flushByRebuild(t, b)
	left := done.Counts.Get("pairs")
	if err != nil || left == 0 {
		return done, err
	}
	t.Note(fmt.Sprintf("not flushed: %d pairs would have found no room within max_probes", left))
	return Nothing(b), t.Write(device.Addr(at), before)
}
