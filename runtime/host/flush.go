package host

import (
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// flushByRebuild takes all pairs out, empties the table, and inserts them again.
func flushByRebuild(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	none := nothing(b)
	all, err := t.TakeOut(none)
	if err != nil {
		return none, err
	}
	if err := empty(t); err != nil {
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

// nothing returns the result of a batch without any operation carried out.
func nothing(b schemes.Batch) schemes.Result {
	return schemes.Result{Counts: make(schemes.Counts, len(kernels.Counters)), Batch: b}
}

// empty restores the initial contents of every region of a table.
func empty(t schemes.Table) error {
	block := t.Block()
	for i, r := range t.Layout().Regions {
		if err := t.Set(device.Addr(block.Region[i]), r.Fill, r.Bytes); err != nil {
			return err
		}
	}
	return nil
}

// flushOrKeep is flushByRebuild for tables with bounded walks. Pairs come in another
// order than before, so one may find no room in a nearly full table. Then the table is
// put back as it was.
func flushOrKeep(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	at := device.Addr(t.Block().Region[0])
	before := make([]byte, t.Layout().Regions[0].Bytes)
	if err := t.Read(before, at); err != nil {
		return schemes.Result{}, err
	}
	done, err := flushByRebuild(t, b)
	left := done.Counts.Get("pairs")
	if err != nil || left == 0 {
		return done, err
	}
	t.Note(fmt.Sprintf("not flushed: %d pairs would have found no room within max_probes", left))
	return nothing(b), t.Write(at, before)
}
