package schemes

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// Shape is the table that a user asks for. Exactly one of Capacity, N and Bytes
// determines its size.
type Shape struct {
	Pair     Pair    `json:"pair"`
	Host     bool    `json:"host,omitempty"`     // the table is in host memory
	Capacity uint64  `json:"capacity,omitempty"` // slots
	N        uint64  `json:"n,omitempty"`        // pairs to hold, at the load factor Load
	Load     float64 `json:"load,omitempty"`     // load factor for N
	Bytes    uint64  `json:"bytes,omitempty"`    // memory of the table
}

// MarshalText is the pair's name, for JSON.
func (p Pair) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the name of a pair that a scheme supports.
func (p *Pair) UnmarshalText(text []byte) error {
	*p = Pairs()[string(text)]
	return nearest.Check("pair", string(text), slices.Sorted(maps.Keys(Pairs())))
}

// Pairs returns the pairs that some scheme supports, by name.
func Pairs() map[string]Pair {
	known := map[string]Pair{}
	for _, scheme := range All() {
		for _, pair := range scheme.Caps.Pairs {
			known[pair.String()] = pair
		}
	}
	return known
}

// Slots returns the number of slots that the shape asks for, before a scheme rounds it to
// its buckets.
func (s Shape) Slots() (uint64, error) {
	var slots uint64
	switch {
	case s.Capacity > 0:
		slots = s.Capacity
	case s.N > 0:
		if !(s.Load > 0 && s.Load <= 1) {
			return 0, fmt.Errorf("load factor is %v: it takes more than 0 and at most 1", s.Load)
		}
		slots = uint64(math.Ceil(float64(s.N) / s.Load))
	case s.Bytes > 0:
		slots = s.Bytes / uint64(s.Pair.Bytes())
	}
	if slots == 0 {
		return 0, fmt.Errorf("capacity is 0: it takes at least 1; give capacity, or n and a load factor, or bytes")
	}
	if s.Capacity > 0 && s.N > s.Capacity {
		return 0, fmt.Errorf("capacity is %d: too small for n = %d", s.Capacity, s.N)
	}
	return slots, nil
}

// Region is a piece of memory of a table.
type Region struct {
	Name  string
	Bytes int64
	Fill  byte // its initial contents
	Table bool // it is in host memory if the table is
}

// Layout is the memory and the dimensions of a table.
type Layout struct {
	Regions  []Region // in the order of kernels.Table.Region
	Capacity uint64   // slots
	Buckets  uint64   // range of the hash functions
}

// RegionNames returns the names of the regions.
func (l Layout) RegionNames() []string {
	return lists.Map(l.Regions, func(r Region) string { return r.Name })
}

// Moved returns the layout after regions were moved to memory that the host side allocated,
// which is counted as such.
func (l Layout) Moved(regions ...uint64) Layout {
	l.Regions = slices.Clone(l.Regions)
	for _, i := range regions {
		l.Regions[i].Bytes = 0
	}
	return l
}

// Bytes returns the total size of all regions.
func (l Layout) Bytes() int64 {
	var sum int64
	for _, r := range l.Regions {
		sum += r.Bytes
	}
	return sum
}
