package manifest

import (
	"fmt"
	"maps"
	"sort"

	"github.com/hashzoo/hashzoo/schemes"
)

// size is the scheme's Size.
func (m *Manifest) size(c schemes.Config, shape schemes.Shape) (schemes.Layout, error) {
	if err := m.unsized(shape); err != nil {
		return schemes.Layout{}, err
	}
	slots, err := shape.Slots()
	if err != nil {
		return schemes.Layout{}, err
	}
	switch {
	case shape.Capacity > 0:
		return m.layout(c, shape.Pair, float64(slots), 1, slots)
	case shape.N > 0:
		return m.layout(c, shape.Pair, float64(shape.N), shape.Load, slots)
	}
	return m.within(c, shape)
}

// within returns the largest table that fits into the memory allowed. Memory never
// decreases with the number of slots.
func (m *Manifest) within(c schemes.Config, shape schemes.Shape) (schemes.Layout, error) {
	of := func(slots int) (schemes.Layout, error) {
		return m.layout(c, shape.Pair, float64(slots), 1, uint64(slots))
	}
	least, err := of(1)
	if err != nil {
		return least, err
	}
	most := int(min(shape.Bytes, 1<<53)) // a slot takes at least a byte
	over := sort.Search(most, func(i int) bool {
		l, err := of(i + 1)
		return err != nil || uint64(l.Bytes()) > shape.Bytes
	})
	if over == 0 {
		return least, fmt.Errorf("%d bytes are too few: the smallest table takes %d", shape.Bytes, least.Bytes())
	}
	if over < most { // the limit may be something other than memory
		if l, err := of(over + 1); err != nil {
			return l, err
		}
	}
	return of(over)
}

// layout evaluates the expressions for a table of at least `slots` slots.
func (m *Manifest) layout(c schemes.Config, pair schemes.Pair, n, load float64, slots uint64) (l schemes.Layout, err error) {
	if slots > 1<<52 {
		return l, fmt.Errorf("capacity is %d: hash functions range over fewer than 2^32 buckets", slots)
	}
	names := valuesOf(c)
	maps.Copy(names, values{"n": n, "load": load, "slots": float64(slots), "pair": float64(pair.Bytes()),
		"key": float64(pair.Key), "value": float64(pair.Value), "slot": float64(pair.SlotBytes())})
	if l.Buckets, err = m.Size.Buckets.Whole(names); err != nil {
		return l, err
	}
	names["buckets"] = float64(l.Buckets)
	if l.Capacity, err = m.Size.Capacity.Whole(names); err != nil {
		return l, err
	}
	if err := m.bounded(l, slots); err != nil {
		return l, err
	}
	names["capacity"] = float64(l.Capacity)
	for _, r := range m.Regions {
		bytes, err := r.Bytes.Whole(names)
		if err != nil {
			return l, err
		}
		l.Regions = append(l.Regions, schemes.Region{Name: r.Name, Bytes: int64(bytes), Fill: byte(r.Fill), Table: r.Table})
	}
	return l, nil
}

func (m *Manifest) bounded(l schemes.Layout, slots uint64) error {
	most := uint64(m.Size.Most)
	switch {
	case l.Buckets == 0:
		return m.Wrong("size.buckets", "is 0 for %d slots: hash functions range over 1 to 2^32-1", slots)
	case l.Capacity < slots:
		return m.Wrong("size.capacity", "is %d, fewer than the %d slots requested", l.Capacity, slots)
	case l.Buckets >= 1<<32:
		return fmt.Errorf("capacity is %d: %d buckets, and hash functions range over fewer than 2^32; take larger buckets", slots, l.Buckets)
	case most > 0 && l.Capacity > most:
		return fmt.Errorf("capacity is %d: tables of scheme %s have at most %d slots", slots, m.Name, most)
	}
	return nil
}
