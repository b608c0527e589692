package gomap

import (
	"runtime"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
)

// What a table books is near what Go's maps take, however they came to their size.
func TestBooks(t *testing.T) {
	const stripes = 8
	for _, c := range []struct{ made, pairs uint64 }{{8, 8}, {100, 10_000}, {10_000, 10_000}, {8, 300_000}, {300_000, 300_000}} {
		var books uint64
		before := live()
		table := newTable[uint64](c.made, stripes, &books)
		w, insert := worker[uint64]{table: table}, &acts[kernels.OpNumber("insert")]
		for key := range c.pairs {
			w.carryOut(insert, key, key)
		}
		took := float64(live() - before)
		runtime.KeepAlive(table)
		if ratio := float64(books) / took; c.pairs >= 10_000 && (ratio < 0.75 || ratio > 1.35) {
			t.Errorf("a table for %d pairs with %d takes %.0f bytes, and its books say %d", c.made, c.pairs, took, books)
		}
		if least := 16 * c.pairs; books < least {
			t.Errorf("%d bytes are fewer than those of %d pairs", books, c.pairs)
		}
	}
}

// live is the number of bytes of the objects that are in use.
func live() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
