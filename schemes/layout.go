package schemes

import (
	"fmt"
	"math"
)

// Shape is what a user wants of a table. Exactly one of Capacity, N and Bytes
// says how large.
type Shape struct {
	Pair     Pair
	Host     bool    // the table lies in the host's memory
	Capacity uint64  // slots
	N        uint64  // pairs to hold, at ...
	Load     float64 // ... this load factor
	Bytes    uint64  // memory of the table
}

// Slots is the number of slots that the shape asks for, before a scheme rounds
// it to its buckets.
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

// Region is a piece of memory that a table needs.
type Region struct {
	Name  string
	Bytes int64
	Fill  byte // what it holds at first
	Table bool // it lies in the host's memory if the table does
}

// Layout is what a table needs and is.
type Layout struct {
	Regions  []Region // in the order of kernels.Table.Region
	Capacity uint64   // slots
	Buckets  uint64   // range of the hash functions
}

// Bytes is the memory of all regions.
func (l Layout) Bytes() int64 {
	var sum int64
	for _, r := range l.Regions {
		sum += r.Bytes
	}
	return sum
}

// SlotArray is the layout of schemes whose table is one array of slots, in
// buckets: every slot starts as all ones, the empty pair.
func SlotArray(s Shape, bucket int64) (Layout, error) {
	slots, err := s.Slots()
	if err != nil {
		return Layout{}, err
	}
	buckets := (slots + uint64(bucket) - 1) / uint64(bucket)
	if s.Bytes > 0 {
		buckets = max(1, slots/uint64(bucket)) // never more memory than was allowed
	}
	if buckets >= 1<<32 {
		return Layout{}, fmt.Errorf("capacity is %d: %d buckets of %d slots, and hash functions range over fewer than 2^32; take larger buckets",
			slots, buckets, bucket)
	}
	capacity := buckets * uint64(bucket)
	return Layout{
		Regions:  []Region{{Name: "slots", Bytes: int64(capacity) * int64(s.Pair.Bytes()), Fill: 0xff, Table: true}},
		Capacity: capacity,
		Buckets:  buckets,
	}, nil
}
