package schemes

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// Shape is the table that a user asks for. Exactly one of Capacity, N and Bytes determines its size.
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
	known := false
	if *p, known = FindPair(string(text)); known {
		return nil
	}
	return nearest.Check("pair", string(text), PairNames())
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

// PairNames returns the names of Pairs, sorted.
func PairNames() []string { return slices.Sorted(maps.Keys(Pairs())) }

// FindPair returns the one of Pairs that has a name. For those of most schemes it reads no manifest: a program that
// needs one scheme starts in half the time if it does not read all.
func FindPair(name string) (Pair, bool) {
	for _, pair := range []Pair{Pair4, Pair8} {
		if name == pair.String() {
			return pair, true
		}
	}
	pair, known := Pairs()[name]
	return pair, known
}

// Slots returns the number of slots that the shape asks for, before a scheme rounds it to its buckets.
func (s Shape) Slots() (slots uint64, _ error) {
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
	Raw   bool // AllocRegion does not fill it, because a kernel writes all of it
}

// Layout is the memory and the dimensions of a table.
type Layout struct {
	Regions  []Region // in the order of kernels.Table.Region
	Capacity uint64   // slots
	Buckets  uint64   // range of the hash functions
}

// Bytes returns the total size of all regions.
func (l Layout) Bytes() int64 { return lists.Sum(l.Regions, func(r Region) int64 { return r.Bytes }) }

// Pair is a key width and a value width, in bytes. A value width of 0 means that a table
// holds only keys; a value of more than 8 bytes is wide (kernels/pair.h).
type Pair struct{ Key, Value int }

// The pairs of most schemes.
var (
	Pair4 = Pair{4, 4}
	Pair8 = Pair{8, 8}
)

// String returns the pair's name in kernel names and on the command line.
func (p Pair) String() string { return fmt.Sprintf("k%dv%d", p.Key, p.Value) }

// Bytes returns the size of a pair.
func (p Pair) Bytes() int { return p.Key + p.Value }

// SlotBytes returns the size of a pair in an array of pairs, with the alignment of C++.
func (p Pair) SlotBytes() uint64 {
	align := max(p.Key, min(p.Value, 8))
	return uint64((p.Bytes() + align - 1) / align * align)
}

// EmptyKey marks a slot that was never used; tables do not accept it as a key.
func (p Pair) EmptyKey() uint64 { return ^uint64(0) >> (64 - 8*p.Key) }

// ErasedKey marks a slot whose pair was erased.
func (p Pair) ErasedKey() uint64 { return p.EmptyKey() - 1 }

// SlotText is a slot as vectors show it.
func (p Pair) SlotText(key, value uint64) string {
	switch {
	case key == p.EmptyKey():
		return "."
	case key == p.ErasedKey():
		return "x"
	case p.Value == 0:
		return fmt.Sprint(key)
	}
	return fmt.Sprintf("%d=%d", key, value)
}

// NoValue is the answer of a find for an absent key.
func (p Pair) NoValue() uint64 { return ^uint64(0) >> (64 - 8*min(p.AnswerBytes(), 8)) }

// LargestValue returns the largest value of a pair; 0 if it has none.
func (p Pair) LargestValue() uint64 { return lists.Either(p.Value == 0, 0, p.NoValue()) }

// AnswerBytes returns the size of an operation's answer: a value, or a number if tables hold only keys.
func (p Pair) AnswerBytes() int { return lists.Either(p.Value == 0, 4, p.Value) }
