package zoo_test

import (
	"math"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// sized returns the layout of a table.
func sized(t *testing.T, scheme string, s schemes.Shape) (schemes.Layout, error) {
	t.Helper()
	c := must.Get(schemes.Parse(scheme))(t)
	return c.Size(c, s)
}

func TestArraysOfSlots(t *testing.T) {
	for _, c := range []struct {
		shape    schemes.Shape
		scheme   string
		capacity uint64
	}{
		{schemes.Shape{Capacity: 1}, "1cht", 1},
		{schemes.Shape{Capacity: 1}, "bcht:bucket=16", 16},
		{schemes.Shape{Capacity: 17}, "bcht:bucket=16", 32},
		{schemes.Shape{N: 100, Load: 1}, "1cht", 100},
		{schemes.Shape{N: 100, Load: 0.8}, "1cht", 125},
		{schemes.Shape{N: 100, Load: 0.8}, "bcht:bucket=8", 128},
		{schemes.Shape{N: 1, Load: 0.3}, "1cht", 4},
		{schemes.Shape{Capacity: 100, N: 100}, "1cht", 100},
		{schemes.Shape{Bytes: 1000}, "1cht", 125},
		{schemes.Shape{Bytes: 1000}, "bcht:bucket=16", 112}, // never more than was allowed
		{schemes.Shape{Capacity: 1<<32 - 1}, "1cht", 1<<32 - 1},
	} {
		c.shape.Pair = schemes.Pair4
		l, err := sized(t, c.scheme, c.shape)
		must.Hold(t, err == nil && l.Capacity == c.capacity && l.Bytes() == int64(8*l.Capacity),
			"%s %+v: %+v, %v, want capacity %d", c.scheme, c.shape, l, err, c.capacity)
		must.Hold(t, len(l.Regions) == 1 && l.Regions[0].Fill == 0xff, "%s %+v: regions %+v", c.scheme, c.shape, l.Regions)
	}
	wide, err := sized(t, "1cht", schemes.Shape{Capacity: 10, Pair: schemes.Pair8})
	must.Hold(t, err == nil && wide.Bytes() == 160, "10 slots of 8+8 bytes take %d bytes, %v", wide.Bytes(), err)
}

func TestSizesThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		shape schemes.Shape
		want  string
	}{
		{schemes.Shape{}, "capacity is 0: it takes at least 1; give capacity, or n and a load factor, or bytes"},
		{schemes.Shape{Bytes: 7}, "capacity is 0"},
		{schemes.Shape{N: 5}, "load factor is 0: it takes more than 0 and at most 1"},
		{schemes.Shape{N: 5, Load: 1.5}, "load factor is 1.5"},
		{schemes.Shape{N: 5, Load: math.NaN()}, "load factor is NaN"},
		{schemes.Shape{Capacity: 4, N: 5}, "capacity is 4: too small for n = 5"},
		{schemes.Shape{Capacity: 1 << 32}, "fewer than 2^32; take larger buckets"},
		{schemes.Shape{N: math.MaxUint64, Load: 0.5}, "fewer than 2^32"},
		{schemes.Shape{Bytes: math.MaxUint64}, "fewer than 2^32"},
	} {
		c.shape.Pair = schemes.Pair4
		must.Say(t, must.Err(sized(t, "1cht", c.shape)), c.want, c.shape)
	}
	must.Say(t, must.Err(sized(t, "bcht:bucket=16", schemes.Shape{Pair: schemes.Pair4, Bytes: 100})), "100 bytes are too few: the smallest table takes 128")
	must.Say(t, must.Err(sized(t, "chained", schemes.Shape{Pair: schemes.Pair4, Capacity: 1 << 31})), "capacity is 2147483648: tables have at most 2147483647 slots")
}
