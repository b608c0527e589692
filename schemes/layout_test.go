package schemes

import (
	"math"
	"strings"
	"testing"
)

func TestSlotArray(t *testing.T) {
	for _, c := range []struct {
		shape    Shape
		bucket   int64
		capacity uint64
	}{
		{Shape{Capacity: 1}, 1, 1},
		{Shape{Capacity: 1}, 16, 16},
		{Shape{Capacity: 17}, 16, 32},
		{Shape{N: 100, Load: 1}, 1, 100},
		{Shape{N: 100, Load: 0.8}, 1, 125},
		{Shape{N: 100, Load: 0.8}, 8, 128},
		{Shape{N: 1, Load: 0.3}, 1, 4},
		{Shape{Capacity: 100, N: 100}, 1, 100},
		{Shape{Bytes: 1000}, 1, 125},
		{Shape{Bytes: 1000}, 16, 112}, // never more than was allowed
		{Shape{Bytes: 100}, 16, 16},   // but for the smallest table there is
		{Shape{Capacity: 1<<32 - 1}, 1, 1<<32 - 1},
	} {
		c.shape.Pair = Pair4
		l, err := SlotArray(c.shape, c.bucket)
		if err != nil || l.Capacity != c.capacity || l.Buckets*uint64(c.bucket) != l.Capacity || l.Bytes() != int64(8*l.Capacity) {
			t.Errorf("%+v in buckets of %d: %+v, %v, want capacity %d", c.shape, c.bucket, l, err, c.capacity)
		}
		if len(l.Regions) != 1 || l.Regions[0].Fill != 0xff {
			t.Errorf("%+v: regions %+v", c.shape, l.Regions)
		}
	}
	wide, err := SlotArray(Shape{Capacity: 10, Pair: Pair8}, 1)
	if err != nil || wide.Bytes() != 160 {
		t.Errorf("10 slots of 8+8 bytes take %d bytes, %v", wide.Bytes(), err)
	}
}

func TestSizesThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		shape Shape
		want  string
	}{
		{Shape{}, "capacity is 0: it takes at least 1; give capacity, or n and a load factor, or bytes"},
		{Shape{Bytes: 7}, "capacity is 0"},
		{Shape{N: 5}, "load factor is 0: it takes more than 0 and at most 1"},
		{Shape{N: 5, Load: -0.5}, "load factor is -0.5"},
		{Shape{N: 5, Load: 1.5}, "load factor is 1.5"},
		{Shape{N: 5, Load: math.NaN()}, "load factor is NaN"},
		{Shape{Capacity: 4, N: 5}, "capacity is 4: too small for n = 5"},
		{Shape{Capacity: 1 << 32}, "fewer than 2^32; take larger buckets"},
		{Shape{N: math.MaxUint64, Load: 0.5}, "fewer than 2^32"},
		{Shape{Bytes: math.MaxUint64}, "fewer than 2^32"},
	} {
		c.shape.Pair = Pair4
		if _, err := SlotArray(c.shape, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.shape, err, c.want)
		}
	}
}

func TestPairs(t *testing.T) {
	for _, c := range []struct {
		pair                   Pair
		name                   string
		empty, erased, noValue uint64
	}{
		{Pair4, "k4v4", 0xffffffff, 0xfffffffe, 0xffffffff},
		{Pair8, "k8v8", math.MaxUint64, math.MaxUint64 - 1, math.MaxUint64},
		{Pair{8, 4}, "k8v4", math.MaxUint64, math.MaxUint64 - 1, 0xffffffff},
	} {
		p := c.pair
		if p.String() != c.name || p.EmptyKey() != c.empty || p.ErasedKey() != c.erased || p.NoValue() != c.noValue || p.Bytes() != p.Key+p.Value {
			t.Errorf("%v: %s, keys %#x and %#x, no value %#x", c, p, p.EmptyKey(), p.ErasedKey(), p.NoValue())
		}
	}
}
