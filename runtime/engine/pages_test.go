package engine

import (
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// A pair of the last page, if that is cut off, may have one bucket twice. It must still evict from the others, or a
// bucket of such pairs has nowhere to go.
func TestTablesFillThoughTheirLastPageIsCutOff(t *testing.T) {
	for _, buckets := range []uint64{512 + 1, 512 + 95, 64*512 + 16} {
		on := verified(t, openCPU(t, 2), "bcht:bulk=always", 8*buckets, 1)
		keys := from(1, int(8*buckets*97/100))
		s := passing(t, on, insert(keys))
		must.Hold(t, s.Counts.Get("failed") == 0, "%d buckets: %d inserts fail", buckets, s.Counts.Get("failed"))
		found := passing(t, on, find(keys))
		must.Hold(t, found.Counts.Get("missing") == 0, "%d buckets: %d keys are missing", buckets, found.Counts.Get("missing"))
	}
}
