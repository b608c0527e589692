package engine

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// The peculiarities of slab hash (slab.h): slabs are allocated, given back and added.

// slabsOf are how many slabs each bucket has, and how many pairs.
func slabsOf(t *testing.T, table *Table) (slabs, pairs []int) {
	t.Helper()
	rows := must.Get(table.Config().Rows(table))(t)
	for _, row := range rows {
		bars, other := 0, 0
		for _, item := range row.Cells {
			switch item.Text {
			case "|":
				bars++
			case "x":
				other++
			}
		}
		slabs, pairs = append(slabs, bars+1), append(pairs, len(row.Cells)-bars-other)
	}
	return slabs, pairs
}

// noSpareSlabs holds that no bucket has more slabs than its pairs need.
func noSpareSlabs(t *testing.T, table *Table) {
	t.Helper()
	slabs, pairs := slabsOf(t, table)
	for bucket := range slabs {
		must.Need(t, slabs[bucket] == max(1, (pairs[bucket]+14)/15), "%v: bucket %d has %d pairs in %d slabs", table.Config(), bucket, pairs[bucket], slabs[bucket])
	}
}

// freeUnits are the slabs that can be allocated, in a table with alloc=light.
func freeUnits(t *testing.T, table *Table) (free int) {
	t.Helper()
	bitmaps := make([]byte, table.layout.Regions[2].Bytes)
	must.OK(t, table.dev.Read(bitmaps, device.Addr(table.block.Region[2])))
	for _, b := range bitmaps {
		free += bits.OnesCount8(b)
	}
	return free
}

func sum32(list []int) (total int) {
	for _, n := range list {
		total += n
	}
	return total
}

// Section III-C: the memory utilization over the average slab count. With this many
// buckets it is within a percent of what is expected; it never is above 15/16.
func TestSlabMemoryUtilizationFollowsTheAverageSlabCount(t *testing.T) {
	dev := openCPU(t, 2)
	const buckets uint64 = 2000
	for beta, want := range map[string]float64{"20": 0.1875, "70": 0.6143, "100": 0.6546, "200": 0.7642, "800": 0.8858} {
		b, _ := config(t, "slab").With("beta", beta)
		n := uint64(b.Get("beta")) * 15 * buckets / 100
		table := table(t, dev, Spec{
			Config:  config(t, "slab:beta="+beta),
			Shape:   schemes.Shape{Pair: schemes.Pair4, N: n, Load: 0.9375},
			Counted: true, Seed: 3,
		})
		counts(t, table, insert(from(1, int(n))), "failed", 0)
		must.Match(t, table.Layout().Buckets, buckets)
		slabs, _ := slabsOf(t, table)
		if free := freeUnits(t, table); sum32(slabs)+free != int(table.Capacity()/16) {
			t.Errorf("beta %s: %d slabs in lists, %d free, of %d", beta, sum32(slabs), free, table.Capacity()/16)
		}
		have := 8 * float64(n) / float64(128*sum32(slabs))
		must.Hold(t, math.Abs(have/want-1) <= 0.01 && have <= 15./16, "beta %s: memory utilization %.4f, want %.4f", beta, have, want)
	}
}

// After a flush no bucket has more slabs than its pairs need, all pairs are there, and
// slabs that were given back are allocated again.
func TestSlabFlush(t *testing.T) {
	for _, text := range []string{"slab:beta=100", "slab:alloc=super,beta=100"} {
		table := verified(t, openCPU(t, 2), text, 1<<14, 7)
		n := int(0.6 * float64(table.Capacity()))
		for round := range 6 {
			keys := from(uint64(round*n), n)
			counts(t, table, insert(keys), "failed", 0)
			gone := slices.DeleteFunc(slices.Clone(keys), func(key uint64) bool { return key%11 == uint64(round) })
			run(t, table, Batch{Op: "erase", Keys: gone})
			left := contents(t, table).N
			s := run(t, table, Batch{Op: "flush"})
			must.Hold(t, len(s.Notes) == 1 && strings.Contains(s.Notes[0], "slabs back"), "%s: the notes of a flush are %q", text, s.Notes)
			now := contents(t, table).N
			must.Need(t, now == left, "%s: a flush left %d pairs of %d", text, now, left)
			noSpareSlabs(t, table)
			run(t, table, Batch{Op: "erase", Keys: keys})
		}
	}
}

// A table that runs out of memory for slabs hands back what does not fit, says so, and is as usable as before.
func TestSlabWithoutMemory(t *testing.T) {
	for _, text := range []string{"slab", "slab:alloc=super"} {
		table := verified(t, openCPU(t, 2), text, 4096, 7)
		n := int(table.Capacity()) * 2
		s := run(t, table, insert(from(0, n)))
		if failed := s.Counts.Get("failed"); failed < uint64(n)/2 || failed != s.Counts.Get("pairs") || table.Size()+failed != uint64(n) {
			t.Errorf("%s: %d of %d inserts failed, %d pairs handed back, %d in the table", text, failed, n, s.Counts.Get("pairs"), table.Size())
		}
		must.Hold(t, len(s.Notes) == 1 && strings.Contains(s.Notes[0], "no memory for slabs"), "%s: notes %q", text, s.Notes)
		used := float64(table.Size()) / float64(table.Capacity())
		must.Hold(t, used >= 0.75, "%s: only %.3f of the memory was used", text, used)
		counts(t, table, find(from(0, n)), "ok", table.Size())
		counts(t, table, Batch{Op: "upsert", Keys: from(0, n), Values: from(1, n)}, "replaced", table.Size())
		run(t, table, Batch{Op: "erase", Keys: from(0, n)})
		notes := counts(t, table, insert(from(0, n/4)), "failed", 0).Notes
		must.Match(t, len(notes), 1, text, notes)
		contents(t, table)
	}
}

// Tables with super blocks grow, up to as many as are allowed, whatever the batch.
func TestSlabGrows(t *testing.T) {
	dev := openCPU(t, 2)
	table := verified(t, dev, "slab:alloc=super,super_blocks=3", 4096, 7)
	capacity, bytes := table.Capacity(), table.Bytes()
	keys := from(0, 3*int(capacity))
	ops := make(List, len(keys))
	for i := range ops {
		ops[i] = []uint64{opCode("upsert"), opCode("insert"), opCode("find")}[i%3]
	}
	s := counts(t, table, Batch{Op: Mix, Keys: keys, Values: keys, Ops: ops}, "failed", 0)
	must.Match(t, s.Counts.Get("added"), 2*uint64(len(keys))/3)
	if table.Capacity() != capacity+1024*16 || table.Bytes() <= bytes+1024*128 {
		t.Errorf("%d slots became %d, %d bytes %d", capacity, table.Capacity(), bytes, table.Bytes())
	}
	contents(t, table)
	more := int(table.Capacity()) + 1024*16
	s = run(t, table, insert(from(1<<20, more)))
	if s.Counts.Get("failed") == 0 || table.Capacity() != capacity+2*1024*16 {
		t.Errorf("three super blocks: %d failed, capacity %d of %d at first: %q", s.Counts.Get("failed"), table.Capacity(), capacity, s.Notes)
	}
	contents(t, table)
	if err := table.Clear(); err != nil || table.Capacity() != capacity || table.Bytes() != bytes {
		t.Errorf("cleared: %d slots, %d bytes, instead of %d and %d: %v", table.Capacity(), table.Bytes(), capacity, bytes, err)
	}
	run(t, table, insert(from(0, 100)))
	contents(t, table)
}

// While one insert has allocated the last free slab and not linked it yet, another that
// needs a slab in the same bucket waits for that one: it neither fails nor takes a slab.
func TestSlabInsertsAtTheEndOfOneListTakeOneSlab(t *testing.T) {
	for _, text := range []string{"slab:beta=200", "slab:beta=200,alloc=super"} {
		spec := Spec{Config: config(t, text), Shape: schemes.Shape{Pair: schemes.Pair4, N: 16, Load: 0.9375}, Counted: true}
		first, second := table(t, openCPU(t, 1), spec), table(t, openCPU(t, 1), spec)
		if slabs := first.Capacity() / 16; slabs != 2 || first.Layout().Buckets != 1 {
			t.Fatalf("%s: %d slabs in %d buckets", text, slabs, first.Layout().Buckets)
		}
		run(t, first, insert(from(0, 15)))
		second.block = first.block // the same table, on a thread of its own
		in, ended := load(t, second.dev, schemes.Pair4, insert(from(16, 1))), make(chan Sample, 1)
		if err := first.Watch(func(e Event) {
			if e.What != "allocate" {
				return
			}
			go func() {
				s, err := second.Run(in)
				must.Hold(t, err == nil, "%v", err)
				ended <- s
			}()
			time.Sleep(20 * time.Millisecond)
			must.Hold(t, len(ended) == 0, "%s: another insert ended before the slab was linked", text)
		}, false); err != nil {
			t.Fatal(err)
		}
		run(t, first, insert(from(15, 1)))
		s := bounded.Wait(t, ended)
		must.Hold(t, s.Counts.Get("ok") == 1, "%s: the other insert: %v, %q", text, s.Counts.Named(), s.Notes)
		must.OK(t, first.Watch(nil, false))
		if slabs, pairs := slabsOf(t, first); slabs[0] != 2 || pairs[0] != 17 {
			t.Errorf("%s: %d pairs in %d slabs", text, pairs[0], slabs[0])
		}
	}
}

// With erased=reused inserts take the places of erased pairs: a table with as many pairs as
// ever needs no flush, where one that marks them does. A flush gives back what is left over.
func TestSlabUsesPlacesOfErasedPairsAgain(t *testing.T) {
	for text, flushes := range map[string]bool{"slab:beta=100,erased=reused": false, "slab:beta=100,alloc=super": true} {
		table := verified(t, openCPU(t, 2), text, 1<<13, 7)
		n := int(0.4 * float64(table.Capacity()))
		run(t, table, insert(from(0, n)))
		notes := 0
		for round := range 8 {
			run(t, table, Batch{Op: "erase", Keys: from(uint64(round*n/2), n/2)})
			notes += len(counts(t, table, insert(from(uint64(n+round*n/2), n/2)), "failed", 0).Notes)
		}
		must.Hold(t, notes > 0 == flushes, "%s: %d notes of flushes", text, notes)
		run(t, table, Batch{Op: "erase", Keys: from(uint64(4*n), n*9/10)})
		run(t, table, Batch{Op: "flush"})
		noSpareSlabs(t, table)
		contents(t, table)
	}
}

// Uniqueness needs the order that erased=reused gives up.
func TestSlabThatReusesPlacesRefusesUpserts(t *testing.T) {
	table := verified(t, openCPU(t, 1), "slab:erased=reused", 100, 1)
	for _, op := range []string{"upsert", "add", "min", "max", "tally"} {
		must.Hold(t, !table.Config().Caps.Has(op) && !slices.Contains(table.Config().Caps.Concurrent, op), "it has %s", op)
	}
}

// SlabAlloc by itself: schemes/slab/alloc.h, with the kernels for it in alloc.cc. `hashzoo devices --allocators` measures it.

// noSlab is the address that an allocator returns when memory is full.
const noSlab = 1<<32 - 1

// allocator is a table of whose slabs nearly all are to be allocated.
type allocator struct {
	*Table
	name string
	out  device.Addr
}

func newAllocator(t testing.TB, dev device.Device, name string, units uint64) *allocator {
	t.Helper()
	a := &allocator{name: name, Table: table(t, dev, Spec{
		Config: config(t, "slab:alloc="+name), Shape: schemes.Shape{Pair: schemes.Pair4, N: 15 * (units + 1), Load: 0.9375},
	})}
	must.OK(t, dev.Prepare("hz_slab_"+name+"_allocate", "hz_slab_"+name+"_release"))
	a.out = must.Get(a.mem.alloc(4 * 2 * units))(t)
	return a
}

// launch allocates, or gives back what was allocated.
func (a *allocator) launch(t testing.TB, what string, n uint64) {
	t.Helper()
	block := kernels.Batch{Out: uint64(a.out), Keys: uint64(a.out)}
	must.OK(t, a.dev.Call("hz_slab_"+a.name+"_"+what, kernels.Bytes(&a.block), kernels.Bytes(&block), n))
}

// addresses are what was allocated last, in ascending order, those that failed last.
func (a *allocator) addresses(t testing.TB, n uint64) []uint64 {
	t.Helper()
	from := reader{dev: a.dev}
	list := from.numbers(nil, a.out, n, 4)
	must.Need(t, from.err == nil, "%v", from.err)
	slices.Sort(list)
	return list
}

// All units are handed out, each once, and no more; those that are given back are handed out again.
func TestSlabAlloc(t *testing.T) {
	for _, name := range []string{"light", "super"} {
		for _, units := range []uint64{1, 1000, 1024, 20_001} {
			a := newAllocator(t, openCPU(t, 2), name, units)
			have := a.Layout().Capacity/16 - a.Layout().Buckets
			n := have + have/2 + 1
			for round := range 3 {
				a.launch(t, "allocate", n)
				got := a.addresses(t, n)
				taken := slices.Compact(slices.Clone(got[:have]))
				if uint64(len(taken)) != have || taken[have-1] == noSlab || got[have] != noSlab {
					t.Fatalf("%s, round %d: %d different units of %d were handed out", name, round, len(taken), have)
				}
				must.Need(t, taken[0] >= a.Layout().Buckets, "%s: the base slab %d was handed out", name, taken[0])
				must.OK(t, a.dev.Write(a.out, List(taken).bytes(4)))
				a.launch(t, "release", have)
			}
		}
	}
}

// A super block comes when no unit is free or, with changes=N, after futile changes of a resident block,
// before memory is full. At the limit of super blocks, an allocation finds the last free units.
func TestSlabsAskForSuperBlocks(t *testing.T) {
	const pairs = 60_000
	for _, test := range []struct {
		config      string
		superBlocks int
	}{
		{"slab:alloc=super,super_blocks=3,beta=2000", 1},
		{"slab:alloc=super,super_blocks=3,beta=2000,changes=1000", 1},
		{"slab:alloc=super,super_blocks=3,beta=2000,changes=1", 2},
		{"slab:alloc=super,super_blocks=1,beta=2000,changes=1", 1},
	} {
		on := table(t, openCPU(t, 1), Spec{
			Config: config(t, test.config), Shape: schemes.Shape{Pair: schemes.Pair4, N: pairs, Load: 0.9}, Seed: 5, Verify: true,
		})
		for first := uint64(1); first < pairs; first += pairs / 10 {
			counts(t, on, insert(from(first, pairs/10)), "failed", 0)
		}
		bars := look(t, on, pairs)["allocated"]
		must.Hold(t, len(bars) == test.superBlocks, "%s: %d super blocks, not %d", test.config, len(bars), test.superBlocks)
	}
}
