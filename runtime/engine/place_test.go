package engine

import (
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
)

// The definitions themselves, on numbers that can be done by hand.
func TestDefinitionsOfTheHashFunctions(t *testing.T) {
	table := kernels.Table{Buckets: 10, Family: kernels.Universal}
	table.Hash[0] = kernels.Hash{A: 3, B: 4, C: 5}
	for _, c := range []struct {
		key   uint64
		width int
		want  uint64
	}{
		{7, 4, 5},             // 25 mod 10
		{7 + 2<<32, 8, 5},     // 21 + 10 + 4 = 35
		{Prime - 1, 4, 1},     // -3 + 4 = 1 modulo p
		{Prime - 2, 4, 9},     // -6 + 4 = p - 2 = 4294967289
		{Prime<<32 | 1, 8, 7}, // p counts for nothing: 3 + 4
	} {
		if have := PlaceOf(table, 0, c.key, c.width); have != c.want {
			t.Errorf("key %#x goes to %d, want %d", c.key, have, c.want)
		}
	}
}
