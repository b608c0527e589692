package plugin

import (
	"fmt"
	"slices"
	"sort"

	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/schemes/plugin/expr"
)

// sizeNames are what expressions of sizes know besides parameters: those of what is
// asked for, and the two that the manifest gives.
var sizeNames = []string{"n", "load", "slots", "pair", "key", "value", "buckets", "capacity"}

// sizes are the expressions that say how large a table is.
type sizes struct {
	*declaration
	buckets, capacity *expr.Expr
	regions           []*expr.Expr
}

// sizing gives the scheme its functions of tables' sizes and of load factors.
func (d *declaration) sizing() error {
	s := &sizes{declaration: d}
	asked := sizeNames[:6]
	var err error
	if s.buckets, err = d.ofParams("size.buckets", d.manifest.buckets, slices.Clone(asked)...); err != nil {
		return err
	}
	if s.capacity, err = d.ofParams("size.capacity", d.manifest.capacity, append(slices.Clone(asked), "buckets")...); err != nil {
		return err
	}
	for _, r := range d.manifest.regions {
		e, err := d.ofParams("region."+r.name+".bytes", r.bytes, slices.Clone(sizeNames)...)
		if err != nil {
			return err
		}
		s.regions = append(s.regions, e)
	}
	d.scheme.Size = s.size
	return d.ofConfigs()
}

// ofConfigs gives the scheme what it says of configurations alone. It is tried with the
// defaults: what is wrong with a type shows there.
func (d *declaration) ofConfigs() error {
	most, err := d.ofParams("max_load", d.maxLoad)
	if err != nil {
		return err
	}
	d.scheme.MaxLoad = func(c schemes.Config) float64 {
		v, _ := most.Number(named(c)) // what is no number is no load factor either
		return v
	}
	if _, err := most.Number(named(d.scheme.Defaults())); err != nil {
		return d.wrong("max_load", err)
	}
	if d.moves == "" {
		return nil
	}
	moves, err := d.ofParams("can.moves", d.moves)
	if err != nil {
		return err
	}
	if _, err := moves.True(named(d.scheme.Defaults())); err != nil {
		return d.wrong("can.moves", err)
	}
	d.scheme.Moves = func(c schemes.Config) bool {
		yes, _ := moves.True(named(c))
		return yes
	}
	return nil
}

// size is the scheme's Size.
func (s *sizes) size(c schemes.Config, shape schemes.Shape) (schemes.Layout, error) {
	if shape.Capacity == 0 && shape.N == 0 && shape.Bytes > 0 {
		return s.within(c, shape)
	}
	slots, err := shape.Slots()
	if err != nil {
		return schemes.Layout{}, err
	}
	n, load := float64(slots), 1.0
	if shape.Capacity == 0 {
		n, load = float64(shape.N), shape.Load
	}
	return s.layout(c, shape.Pair, n, load, slots)
}

// within is the largest table that takes no more than the memory allowed. A table of
// more slots takes as much memory or more.
func (s *sizes) within(c schemes.Config, shape schemes.Shape) (schemes.Layout, error) {
	of := func(slots int) (schemes.Layout, error) {
		return s.layout(c, shape.Pair, float64(slots), 1, uint64(slots))
	}
	least, err := of(1)
	if err != nil {
		return least, err
	}
	most := int(shape.Bytes) // no slot takes less than a byte
	over := sort.Search(most, func(i int) bool {
		l, err := of(i + 1)
		return err != nil || uint64(l.Bytes()) > shape.Bytes
	})
	if over == 0 {
		return least, fmt.Errorf("%d bytes are too few: the smallest table takes %d", shape.Bytes, least.Bytes())
	}
	return of(over)
}

// layout evaluates the expressions for a table that is to have so many slots.
func (s *sizes) layout(c schemes.Config, pair schemes.Pair, n, load float64, slots uint64) (l schemes.Layout, err error) {
	names := named(c)
	for name, value := range map[string]float64{"n": n, "load": load, "slots": float64(slots),
		"pair": float64(pair.Bytes()), "key": float64(pair.Key), "value": float64(pair.Value)} {
		names[name] = value
	}
	if l.Buckets, err = s.whole("size.buckets", s.buckets, names); err != nil {
		return l, err
	}
	if l.Buckets == 0 || l.Buckets >= 1<<32 {
		return l, s.wrong("size.buckets", fmt.Errorf("is %d for %d slots: hash functions range over 1 to 2^32-1", l.Buckets, slots))
	}
	names["buckets"] = float64(l.Buckets)
	if l.Capacity, err = s.whole("size.capacity", s.capacity, names); err != nil {
		return l, err
	}
	if l.Capacity < slots {
		return l, s.wrong("size.capacity", fmt.Errorf("is %d where %d slots were asked for", l.Capacity, slots))
	}
	names["capacity"] = float64(l.Capacity)
	for i, r := range s.manifest.regions {
		bytes, err := s.whole("region."+r.name+".bytes", s.regions[i], names)
		if err != nil {
			return l, err
		}
		l.Regions = append(l.Regions, schemes.Region{Name: r.name, Bytes: int64(bytes), Fill: byte(r.fill), Table: r.table})
	}
	return l, nil
}

func (s *sizes) whole(key string, e *expr.Expr, names expr.Names) (uint64, error) {
	v, err := e.Whole(names)
	if err != nil {
		return 0, s.wrong(key, err)
	}
	return v, nil
}
