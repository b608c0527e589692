package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// Invariants of a growing linear-probing table after every batch: nothing fails, no more
// than beta of the slots are in use, nothing is lost.
func TestLinearGrows(t *testing.T) {
	texts := func(t *rapid.T) (string, uint64) {
		return fmt.Sprintf("linear:resize=auto,bucket=%d,alpha=%d,beta=%d,hash=%s", rapid.SampledFrom(few([]int{8, 4, 16, 32, 1})).Draw(t, "bucket"),
				rapid.IntRange(0, 47).Draw(t, "alpha"), rapid.IntRange(10, 95).Draw(t, "beta"), rapid.SampledFrom([]string{"fast", "universal"}).Draw(t, "hash")),
			rapid.Uint64Range(1, 5000).Draw(t, "capacity")
	}
	walkDynamic(t, texts, []string{"flush"}, func(g *dynamic, t *rapid.T) {
		must.Get(g.Contents())(t)
		if beta := float64(g.Config().Get("beta")) / 100; g.Load() > beta || g.Bytes() != int64(g.Capacity())*int64(g.Pair().Bytes()) {
			t.Fatalf("%d pairs in %d slots of %d bytes", g.Size(), g.Capacity(), g.Bytes())
		}
	})
}

// Keys that are there already, again and again, make no table grow, nor be moved, if there
// were room for as many others.
func TestLinearGrowsForNoDuplicates(t *testing.T) {
	dev := &counting{Device: openCPU(t, 2), part: "_export"}
	on := table(t, dev, Spec{Config: config(t, "linear:resize=auto"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1000}, Verify: true})
	run(t, on, insert(from(0, 450)))
	for range 5 {
		s := run(t, on, insert(from(0, 450)))
		if s.Counts.Get("failed") != 450 || on.Capacity() != 1000 || s.Notes != nil {
			t.Errorf("%d fail, %d slots, notes %q", s.Counts.Get("failed"), on.Capacity(), s.Notes)
		}
		run(t, on, Batch{Op: "upsert", Keys: from(0, 450), Values: from(5, 450)})
	}
	must.Hold(t, dev.launches == 0, "the pairs were taken out %d times", dev.launches)
}

// A batch in which new keys are among old ones, and come several times: of each key one
// insert succeeds. Inserts alone make the table grow before them, for all of them; where they
// are among other operations, it grows for those that find no room.
func TestLinearGrowsForWhatIsNew(t *testing.T) {
	keys := append(append(from(0, 400), from(200, 300)...), from(0, 100)...)
	ops := make(List, len(keys))
	for i := range ops {
		ops[i] = opCode("insert")
	}
	for _, c := range []struct {
		batch Batch
		slots uint64
	}{{insert(keys), 2048}, {Batch{Op: Mix, Keys: keys, Values: keys, Ops: ops}, 1024}} {
		on := table(t, openCPU(t, 2), Spec{Config: config(t, "linear:resize=auto"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 64}, Verify: true})
		run(t, on, insert(from(0, 40)))
		s := run(t, on, c.batch)
		if s.Counts.Get("ok") != 460 || s.Counts.Get("failed") != 340 || s.Counts.Get("pairs") != 340 || on.Size() != 500 || on.Capacity() != c.slots {
			t.Errorf("%s: %v, %d pairs in %d slots", c.batch.Op, s.Counts.Named(), on.Size(), on.Capacity())
		}
		contents(t, on)
	}
}

// Markers of erased pairs are dropped before more slots are taken.
func TestLinearUsesRoomOfErasedPairs(t *testing.T) {
	on := table(t, openCPU(t, 2), Spec{Config: config(t, "linear:resize=auto,alpha=0"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1000}, Verify: true})
	for i := range uint64(20) {
		run(t, on, insert(from(1000*i, 700)))
		must.Need(t, on.Capacity() == 1000, "%d slots after %d rounds", on.Capacity(), i)
		run(t, on, Batch{Op: "erase", Keys: from(1000*i, 700)})
	}
}

// A batch that is much larger than its table costs a few probes for each operation: the table grows before it is full.
func TestLargeBatchesInSmallTables(t *testing.T) {
	for _, text := range []string{"linear:resize=auto", "dycuckoo"} {
		for _, op := range []string{"upsert", "tally", "insert"} {
			on := table(t, openCPU(t, 2), Spec{Config: config(t, text), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1000}, Counted: true, Verify: true})
			s := run(t, on, Batch{Op: op, Keys: from(0, 50000), Values: from(0, 50000)})
			probes := float64(s.Counts.Get("probes")) / 50000
			must.Hold(t, s.Counts.Get("failed") == 0 && probes <= 20, "%s: %s took %.1f probes, and %d failed", text, op, probes, s.Counts.Get("failed"))
		}
	}
}

// Erases halve a table that grew, down to alpha, and inserts into a table that is large on purpose do not.
func TestLinearShrinks(t *testing.T) {
	for _, text := range []string{"linear:resize=auto,alpha=30", "megakv:resize=auto,alpha=30"} {
		on := table(t, openCPU(t, 2), Spec{Config: config(t, text), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1024}, Verify: true})
		run(t, on, insert(from(0, 100)))
		must.Hold(t, on.Capacity() == 1024, "%s: %d slots after inserts", text, on.Capacity())
		run(t, on, insert(from(100, 6300)))
		run(t, on, Batch{Op: "erase", Keys: from(0, 6000)})
		must.Hold(t, on.Size() == 400 && on.Capacity() == 1024, "%s: %d pairs in %d slots after erases", text, on.Size(), on.Capacity())
		contents(t, on)
	}
}

// The finds of a mixed batch need no room.
func TestMixedBatchesGrowForTheirInserts(t *testing.T) {
	on := table(t, openCPU(t, 2), Spec{Config: config(t, "megakv:resize=auto,alpha=0"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1024}, Verify: true})
	run(t, on, insert(from(0, 100)))
	ops := slices.Repeat(List{opCode("find")}, 6000)
	ops[17] = opCode("insert")
	run(t, on, Batch{Op: Mix, Keys: from(100, 6000), Values: from(100, 6000), Ops: ops})
	must.Hold(t, on.Size() == 101 && on.Capacity() == 1024, "%d pairs in %d slots", on.Size(), on.Capacity())
}

// Keys that find no room for another reason than a full table do not make it grow for ever. Nor is it moved where pairs
// would find no room: in slots that are no multiple of those that there are, others share a bucket than before.
func TestLinearDoesNotGrowForEver(t *testing.T) {
	c := config(t, "linear:resize=auto,max_probes=1,bucket=1,hash=universal")
	on := table(t, openCPU(t, 2), Spec{Config: c, Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 64}, Verify: true})
	keys := from(1, 600)
	for i, key := range keys {
		keys[i] = key * key * key % 1_000_003
	}
	s := run(t, on, insert(keys))
	slots := on.Capacity()
	must.Hold(t, s.Counts.Get("failed") != 0 && slots <= 10*600 && slots >= 600, "%d fail, %d slots", s.Counts.Get("failed"), slots)
	for range 2 {
		s = run(t, on, Batch{Op: "resize", Capacity: slots + 1})
		if on.Capacity() != slots || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "pairs would have found no room within max_probes") {
			t.Errorf("%d slots after a resize from %d, notes %q", on.Capacity(), slots, s.Notes)
		}
		contents(t, on)
	}
}

// A resize gives what is asked for, but no less than beta demands.
func TestLinearResize(t *testing.T) {
	on := table(t, openCPU(t, 2), Spec{Config: config(t, "linear"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1000}, Verify: true})
	run(t, on, insert(from(0, 300)))
	for _, step := range []struct{ ask, want uint64 }{{4000, 4000}, {0, 376}, {1000, 1000}, {100, 376}, {377, 384}} {
		s := run(t, on, Batch{Op: "resize", Capacity: step.ask})
		if noted := len(s.Notes) > 0; on.Capacity() != step.want || noted != (step.ask == 100) {
			t.Errorf("resized to %d: %d slots, notes %q", step.ask, on.Capacity(), s.Notes)
		}
		contents(t, on)
	}
}
