package run

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// A run's memory does not grow with the number of batches of a call, on either side.
func TestMemoryOfBatchesIsBounded(t *testing.T) {
	const warm = maxSeries + 2000 // from then on, series are thinned
	dev := open(t, 1)
	tiny := func(t Table, from, to uint64) (heap, held int) {
		for i := from; i < to; i++ {
			if _, err := find(t, i, 1); err != nil {
				panic(err)
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc), len(dev.held)
	}
	p := plan(t, script{shape: small, prepare: func(table Table) error {
		heap, held := tiny(table, 0, warm)
		more, holds := tiny(table, warm, 2*warm)
		if more > heap+1_000_000 || holds > 5000 {
			t.Errorf("%d batches left %d bytes on the heap, and %d arrays on the device instead of %d", warm, more-heap, holds, held)
		}
		return nil
	}}, "bcht", "1cht")
	must.OK(t, Run(context.Background(), dev, p, func(Event) error { return nil }))
}

// Schemes are compared by all batches of a call, also by those that are not kept one by one.
func TestLateBatchesAreCompared(t *testing.T) {
	for late, want := range map[uint64]string{
		maxNamed - 1: "batch 1000 of prepare was find 1 (input ",
		maxNamed:     "a batch of prepare after the first 1000 differs on bcht and 1cht",
	} {
		p := plan(t, script{shape: small, prepare: func(t Table) error {
			for i := range uint64(maxNamed + 5) {
				from := uint64(0)
				if i == late && t.Scheme() == "1cht" {
					from = 1
				}
				if _, err := find(t, from, 1); err != nil {
					return err
				}
			}
			return nil
		}}, "bcht", "1cht")
		for _, row := range done(t, p).rows() {
			if !strings.HasPrefix(row.Compare, want) {
				t.Errorf("batch %d differs: %q, want %q", late+1, row.Compare, want)
			}
		}
	}
}
