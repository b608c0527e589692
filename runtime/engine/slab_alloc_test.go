package engine

import (
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// SlabAlloc by itself: schemes/slab/alloc.h, with the kernels for it in alloc.cc. `hashzoo devices --allocators` measures it.

// noSlab is what is given for an address when there is no memory.
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
	var err error
	if a.out, err = a.mem.alloc(4 * 2 * units); err != nil {
		t.Fatal(err)
	}
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
	list := from.numbers(a.out, n, 4)
	if from.err != nil {
		t.Fatal(from.err)
	}
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
				if taken[0] < a.Layout().Buckets {
					t.Fatalf("%s: the base slab %d was handed out", name, taken[0])
				}
				must.OK(t, a.dev.Write(a.out, List(taken).bytes(4)))
				a.launch(t, "release", have)
			}
		}
	}
}

// A super block comes when no unit is free or, with changes=N, after futile changes of a resident block,
// before memory is full. When no more may come, the units that are left are found.
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
			if s := run(t, on, insert(from(first, pairs/10))); s.Counts.Get("failed") > 0 {
				t.Errorf("%s: %d inserts failed", test.config, s.Counts.Get("failed"))
			}
		}
		if bars := look(t, on, pairs)["allocated"]; len(bars) != test.superBlocks {
			t.Errorf("%s: %d super blocks, not %d", test.config, len(bars), test.superBlocks)
		}
	}
}
