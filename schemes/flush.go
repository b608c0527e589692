package schemes

import (
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// flushByRebuild is the flush of schemes that do not use the room of erased pairs again:
// all pairs are taken out, the table is emptied, and they are inserted anew.
func flushByRebuild(t Table, b Batch) (Result, error) {
	none := Result{Counts: make(Counts, len(kernels.Counters)), Batch: b}
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
	// No operation of the batch was carried out: what counts is the work, and what is left.
	for _, outcome := range append([]string{"added"}, kernels.Outcomes[1:]...) {
		done.Counts.Set(outcome, 0)
	}
	return done, nil
}

// empty writes into every region of a table what it holds at first.
func empty(t Table) error {
	block := t.Block()
	for i, r := range t.Layout().Regions {
		if err := t.Set(device.Addr(block.Region[i]), r.Fill, r.Bytes); err != nil {
			return err
		}
	}
	return nil
}
