package schemes

import (
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// flushByRebuild is the flush of schemes that do not use the room of erased pairs
// again: all pairs are taken out, the table is emptied, and they are inserted anew,
// with the same hash functions. Their order is another one then: if walks are bounded
// and the table is nearly full, some may find no room and are handed back.
func flushByRebuild(t Table, b Batch) (Result, error) {
	none := Result{Counts: make(Counts, len(kernels.Counters)), Batch: b}
	all, err := t.TakeOut(none)
	if err != nil {
		return none, err
	}
	for i, r := range t.Layout().Regions {
		if err := t.Set(device.Addr(t.Block().Region[i]), r.Fill, r.Bytes); err != nil {
			return none, err
		}
	}
	done, err := t.Launch(all)
	return done, err
}
