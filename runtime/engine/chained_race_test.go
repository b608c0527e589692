package engine

import (
	"testing"

	"github.com/hashzoo/hashzoo/schemes"
)

// Many workers bring in the same new keys at once, and each of them takes a node. The pool has one for each key, so
// nodes that were not needed must come back before the last keys are in.
func TestNodesThatLoseARaceAreUsedAgain(t *testing.T) {
	const groups, rows = 1000, 20_000
	keys := make(List, rows)
	for i := range keys {
		keys[i] = uint64(i*7919) % groups
	}
	dev := openCPU(t, 64)
	for seed := range uint64(100) {
		table := table(t, dev, Spec{
			Config: config(t, "chained"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: groups}, Seed: seed, Verify: true,
		})
		s := run(t, table, Batch{Op: "tally", Keys: keys})
		if failed := s.Counts.Get("failed"); failed != 0 || table.Size() != groups {
			t.Fatalf("seed %d: %d of %d adds failed, and the table has %d of %d groups", seed, failed, rows, table.Size(), groups)
		}
		if _, err := table.Contents(); err != nil {
			t.Fatal(err)
		}
	}
}
