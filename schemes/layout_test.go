package schemes

import (
	"math"
	"testing"
)

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
