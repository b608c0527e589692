package host

import (
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

func flushByRebuild(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	none := Nothing(b)
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
