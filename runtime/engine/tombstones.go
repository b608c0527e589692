package engine

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// TombstoneError says that erased pairs occupy almost all slots. Walks end at unused slots, so inserts would be slow.
type TombstoneError struct {
	Scheme           string
	Op               string
	N                uint64
	Erased, Capacity uint64
}

func (e *TombstoneError) Error() string {
	return fmt.Sprintf("scheme %s: %d operations %s, and erased pairs still occupy %d of %d slots, which leaves too few unused; hint: t:flush() frees them",
		e.Scheme, e.N, e.Op, e.Erased, e.Capacity)
}

// CheckTombstones refuses a batch that adds pairs for which the table has room only after a flush.
func (t *Table) CheckTombstones(in *Input) error {
	share := in.N / uint64(len(t.shards))
	if !anyOf(append(slices.Clone(in.mixed), in.Op), func(op kernels.Operation) bool { return op.Adds }) {
		return nil
	}
	return lists.Each(t.shards, func(s *shard) error { return s.checkTombstones(in.Op, share) })
}

func (t *shard) checkTombstones(op string, share uint64) error {
	var n uint64
	if op == "insert" { // which keys of the others are new is not known
		n = share
	}
	if share == 0 || t.hung != nil || !t.crowded(n) {
		return nil
	}
	erased, err := t.erased()
	t.taken = t.size + erased
	if err != nil || !t.crowded(n) {
		return err
	}
	return &TombstoneError{t.spec.Config.Name, op, share, erased, t.layout.Capacity}
}

// crowded reports whether n more pairs fit, and may leave less than a thousandth of the slots unused.
func (t *shard) crowded(n uint64) bool {
	slots, c := t.layout.Capacity, t.spec.Config
	full := t.taken+n > slots-slots/1000 && float64(t.size+n) <= t.maxLoad()*float64(slots)
	moves := c.Scheme.Moves != nil && c.Scheme.Moves(c) // else only a flush frees the slots of erased pairs
	return full && c.Caps.Has("flush") && c.Caps.Stable && !moves && t.slotUse() >= 0
}

func (t *shard) slotUse() int {
	return slices.IndexFunc(t.spec.Config.Gauges, func(g schemes.Gauge) bool { return g.Name == "slots" })
}

func (t *shard) erased() (n uint64, err error) {
	r, err := t.spec.Config.Gauges[t.slotUse()].Look(t)
	for _, bar := range r.Bars {
		if bar.Label == "erased" {
			n = uint64(bar.Value)
		}
	}
	return n, err
}
