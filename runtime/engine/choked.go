package engine

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
)

// ChokedError says that erased pairs occupy almost all slots. Walks end at unused slots, so inserts would be slow.
type ChokedError struct {
	Scheme           string
	Op               string
	N                uint64
	Erased, Capacity uint64
}

func (e *ChokedError) Error() string {
	return fmt.Sprintf("scheme %s: %d operations %s, and erased pairs still occupy %d of %d slots, which leaves too few unused; hint: t:flush() frees them",
		e.Scheme, e.N, e.Op, e.Erased, e.Capacity)
}

// Choked refuses a batch that adds pairs for which the table has room only after a flush.
func (t *Table) Choked(in *Input) error {
	var n uint64
	if in.Op == "insert" { // which keys of the others are new is not known
		n = in.N
	}
	adds := anyOf(append(slices.Clone(in.mixed), in.Op), func(op kernels.Operation) bool { return op.Adds })
	if in.N == 0 || !adds || t.hung != nil || !t.crowded(n) {
		return nil
	}
	erased, err := t.erased()
	t.taken = t.size + erased
	if err != nil || !t.crowded(n) {
		return err
	}
	return &ChokedError{t.spec.Config.Name, in.Op, in.N, erased, t.layout.Capacity}
}

// crowded reports whether n more pairs fit, and may leave less than a thousandth of the slots unused.
func (t *Table) crowded(n uint64) bool {
	slots := t.layout.Capacity
	return t.taken+n > slots-slots/1000 && float64(t.size+n) <= t.MaxLoad()*float64(slots) && t.keepsErased()
}

// keepsErased reports whether the slots of erased pairs are free only after a flush, and a gauge counts them.
func (t *Table) keepsErased() bool {
	c := t.spec.Config
	moves := c.Scheme.Moves != nil && c.Scheme.Moves(c)
	return c.Caps.Has("flush") && c.Caps.Stable && !moves && t.slotUse() >= 0
}

func (t *Table) slotUse() int {
	return slices.IndexFunc(t.spec.Config.Gauges, func(g schemes.Gauge) bool { return g.Name == "slots" })
}

func (t *Table) erased() (n uint64, err error) {
	r, err := t.spec.Config.Gauges[t.slotUse()].Look(t)
	for _, bar := range r.Bars {
		if bar.Label == "erased" {
			n = uint64(bar.Value)
		}
	}
	return n, err
}
