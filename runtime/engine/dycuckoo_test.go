package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// Invariants of a DyCuckoo table after every batch: the filled factor is between its bounds, or the table is the
// smallest that its pairs fit into; no subtable is more than twice another; nothing is lost.
func TestDycuckooBounds(t *testing.T) {
	texts := func(t *rapid.T) (string, uint64) {
		return fmt.Sprintf("dycuckoo:pairs=%s,subtables=%d,alpha=%d,beta=%d,places=%s,hash=%s",
			rapid.SampledFrom([]string{"whole", "apart", "apart,coordination=voter", "apart,coordination=spin"}).Draw(t, "pairs"), rapid.IntRange(2, 5).Draw(t, "subtables"), rapid.IntRange(0, 45).Draw(t, "alpha"),
			rapid.IntRange(70, 95).Draw(t, "beta"), rapid.SampledFrom([]string{"two", "all"}).Draw(t, "places"),
			rapid.SampledFrom([]string{"fast", "universal"}).Draw(t, "hash")), rapid.OneOf(rapid.Uint64Range(1, 5000), rapid.Uint64Range(1, 300000)).Draw(t, "capacity")
	}
	walkDynamic(t, texts, nil, (*dynamic).holds)
}

// walkDynamic does random batches on tables of random parameters and capacities; other are more kinds of batches, and holds
// checks what must be so after each.
func walkDynamic(t *testing.T, draw func(*rapid.T) (text string, capacity uint64), other []string, holds func(*dynamic, *rapid.T)) {
	devs := map[int]device.Device{1: openCPU(t, 1), 2: openCPU(t, 2)}
	rapid.Check(t, func(t *rapid.T) {
		d := drawDynamic(t, devs, draw)
		defer d.Close()
		actions := map[string]func(*rapid.T){
			"insert": func(t *rapid.T) { d.insert(t, "insert", d.next) },
			"upsert": func(t *rapid.T) { d.insert(t, "upsert", rapid.Uint64Range(0, d.next).Draw(t, "first")) },
			"erase":  d.erase,
			"find":   func(t *rapid.T) { d.batch(t, Batch{Op: "find", Keys: d.some(t, 0)}) },
			"mix":    d.mix,
			"":       func(t *rapid.T) { holds(d, t) },
		}
		for _, op := range append(other, "resize") {
			actions[op] = func(t *rapid.T) { d.batch(t, Batch{Op: op}) }
		}
		t.Repeat(actions)
	})
}

// dynamic is a table of the keys 0 to next-1, some of which were erased.
type dynamic struct {
	*Table
	next uint64
}

func drawDynamic(t *rapid.T, devs map[int]device.Device, draw func(*rapid.T) (string, uint64)) *dynamic {
	text, capacity := draw(t)
	config := must.Get(schemes.Parse(text))(t)
	made, err := New(devs[rapid.IntRange(1, 2).Draw(t, "threads")], Spec{
		Config: config, Seed: rapid.Uint64().Draw(t, "seed"), Verify: true,
		Shape: schemes.Shape{Pair: rapid.SampledFrom(few(config.Caps.Pairs)).Draw(t, "pair"), Capacity: capacity},
	})
	must.OK(t, err)
	return &dynamic{made, 0}
}

// some are keys with a step, from any key on that is below next or a little above.
func (d *dynamic) some(t *rapid.T, first uint64) List {
	keys := List{}
	step := rapid.Uint64Range(1, 7).Draw(t, "step")
	for key := first; key < d.next+100; key += step {
		keys = append(keys, key)
	}
	return keys
}

func (d *dynamic) insert(t *rapid.T, op string, first uint64) {
	n := rapid.Uint64Range(0, 3000).Draw(t, "n")
	keys := from(first, int(n))
	d.next = max(d.next, first+n)
	d.batch(t, Batch{Op: op, Keys: keys, Values: keys})
}

func (d *dynamic) erase(t *rapid.T) {
	d.batch(t, Batch{Op: "erase", Keys: d.some(t, rapid.Uint64Range(0, d.next).Draw(t, "first"))})
}

// mix inserts new keys, and upserts and erases those that were there before.
func (d *dynamic) mix(t *rapid.T) {
	n := rapid.Uint64Range(0, 500).Draw(t, "n")
	keys, ops := List{}, List{}
	for key := range d.next + n {
		op := "insert"
		if key < d.next {
			op = []string{"erase", "find", "upsert", "find"}[key%4]
		}
		keys, ops = append(keys, key), append(ops, opCode(op))
	}
	d.next += n
	d.batch(t, Batch{Op: Mix, Keys: keys, Values: keys, Ops: ops})
}

func (d *dynamic) batch(t *rapid.T, b Batch) {
	in := must.Get(Load(d.dev, d.Pair(), b))(t)
	defer in.Release()
	s := must.Get(d.Run(in))(t)
	must.Need(t, s.Counts.Get("failed") == 0 && s.Notes == nil, "%d of %d failed, notes %v", s.Counts.Get("failed"), s.N, s.Notes)
}

func (d *dynamic) holds(t *rapid.T) {
	must.Get(d.Contents())(t)
	levels := d.block.Arg[5 : 5+d.block.Hashes]
	least, most := slices.Min(levels), slices.Max(levels)
	must.Need(t, most <= least+1, "subtables are of %v doublings", levels)
	slots := slotsOf(d)
	must.Need(t, slots == d.Capacity(), "%d slots, and the capacity is %d", slots, d.Capacity())
	alpha, beta := float64(d.Config().Get("alpha"))/100, float64(d.Config().Get("beta"))/100
	if d.Load() > beta || d.Load() < alpha && most > 0 && d.size+d.next > 0 && d.fitsHalved(levels) {
		t.Fatalf("load factor %g with %d pairs in %d slots, subtables are of %v doublings", d.Load(), d.Size(), d.Capacity(), levels)
	}
}

// fitsHalved reports whether the pairs would fit if the last of the largest subtables was halved.
func (d *dynamic) fitsHalved(levels []uint64) bool {
	halved := slices.Clone(levels)
	last := len(halved) - 1
	for halved[last] < slices.Max(halved) {
		last--
	}
	halved[last]--
	return fit(d.Table, halved, d.oracle.keys())
}

// A place is a bucket of a subtable.
type place struct{ subtable, bucket uint64 }

// placesOf returns the places of a key if the subtables have the given levels. It shares no code with the kernels.
func placesOf(t *Table, levels []uint64, key uint64) (list []place) {
	b, width, d := t.block, t.Pair().Key, uint64(len(levels))
	b.Buckets = 1 << 32 // PlaceOf returns the hash
	layer := PlaceOf(b, len(b.Hash)-1, key, width) * d
	one := layer >> 32
	other := (one + 1 + layer&0xffffffff*(d-1)>>32) % d
	for i, level := range levels {
		if i := uint64(i); i == one || i == other || t.Config().Settings()["places"] == "all" {
			h, base := PlaceOf(b, int(i), key, width), b.Arg[4]
			bucket := h*base>>32 + base*(h&(1<<level-1))
			if b.Family == kernels.Universal {
				bucket = h % (base << level)
			}
			list = append(list, place{i, bucket})
		}
	}
	return list
}

// fit reports whether there is a slot for each key at one of its places.
func fit(t *Table, levels, keys []uint64) bool {
	most, held := slotsOfBucket(t), map[place][]uint64{}
	var put func(key uint64, tried map[place]bool) bool
	put = func(key uint64, tried map[place]bool) bool {
		for _, p := range placesOf(t, levels, key) {
			if tried[p] {
				continue
			}
			tried[p] = true
			if len(held[p]) < most {
				held[p] = append(held[p], key)
				return true
			}
			for i, other := range held[p] {
				if put(other, tried) {
					held[p][i] = key
					return true
				}
			}
		}
		return false
	}
	for _, key := range keys {
		if !put(key, map[place]bool{}) {
			return false
		}
	}
	return true
}

// pairOf is a pair for the settings of a table, or a wide one if its pairs are apart: tests share those kernels, which the
// program lacks.
func pairOf(settings string, pair schemes.Pair) schemes.Pair {
	if strings.Contains(settings, "pairs=apart") {
		return schemes.Pair{Key: 8, Value: 64}
	}
	return pair
}

// crowd is a table of two subtables and keys for 5/2 buckets. They fit into 4 buckets of each subtable: all
// belong to one of the first subtable, and to two of the second, which are one if that is halved.
func crowd(t *testing.T, settings string) (on *Table, keys List) {
	spec := Spec{Config: config(t, "dycuckoo:subtables=2,alpha=39,beta=70"+settings), Seed: 3, Verify: true,
		Shape: schemes.Shape{Pair: pairOf(settings, schemes.Pair8), Capacity: 1}}
	buckets := uint64(2)
	if spec.Config.Settings()["resize"] == "manual" {
		buckets = 8
	}
	bucket := uint64(8)
	if spec.Config.Settings()["pairs"] == "apart" {
		bucket = 16
	}
	spec.Shape.Capacity = buckets * bucket
	on = table(t, openCPU(t, 2), spec)
	left := map[place]uint64{{1, 0}: bucket * 5 / 4, {1, 2}: bucket * 5 / 4}
	for key := uint64(0); uint64(len(keys)) < bucket*5/2; key++ {
		at := placesOf(on, []uint64{2, 2}, key)
		if (at[0] == place{0, 0}) && left[at[1]] > 0 {
			left[at[1]]--
			keys = append(keys, key)
		}
	}
	if fit(on, []uint64{2, 1}, keys) || !fit(on, []uint64{2, 2}, keys) {
		t.Fatalf("%v: keys %v fit into 6 buckets, or do not fit into 8", on.Config(), keys)
	}
	return on, keys
}

// A table whose pairs do not fit into one that alpha allows is larger, so that all find room. It does not halve and
// double without end.
func TestDycuckooBelowAlpha(t *testing.T) {
	for _, settings := range []string{"", ",hash=universal", ",places=all", ",pairs=apart", ",pairs=apart,hash=universal"} {
		for _, op := range []string{"insert", "upsert", "add"} {
			on, keys := crowd(t, settings)
			crowded(t, on, keys, run(t, on, Batch{Op: op, Keys: keys, Values: keys}))
		}
		on, keys := crowd(t, settings)
		run(t, on, insert(from(1_000_000, 1000)))
		run(t, on, Batch{Op: "insert", Keys: keys, Values: keys})
		crowded(t, on, keys, run(t, on, Batch{Op: "erase", Keys: from(1_000_000, 1000)}))

		on, keys = crowd(t, settings+",resize=manual")
		run(t, on, Batch{Op: "insert", Keys: keys, Values: keys})
		crowded(t, on, keys, run(t, on, Batch{Op: "resize", Capacity: 1}))
	}
}

func crowded(t *testing.T, on *Table, keys List, s Sample) {
	t.Helper()
	levels := on.block.Arg[5:7]
	if s.Counts.Get("failed") > 0 || s.Notes != nil || !slices.Equal(levels, []uint64{2, 2}) {
		t.Errorf("%v: after %s, %d failed, notes %v, subtables are of %v doublings", on.Config(), s.Op, s.Counts.Get("failed"), s.Notes, levels)
	}
	counts(t, on, find(keys), "ok", uint64(len(keys)))
	contents(t, on)
}

// A table that grows for a batch of new keys is not filled to its bound, where each takes many probes.
func TestDycuckooGrowsAhead(t *testing.T) {
	on := table(t, openCPU(t, 1), Spec{Config: config(t, "dycuckoo"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1440}, Seed: 1, Counted: true})
	probes := run(t, on, Batch{Op: "tally", Keys: from(1, 100_000)}).PerOp("probes")
	must.Hold(t, probes <= 2.5, "%.2f probes", probes)
}

// All rows of a few keys end soon, in a table that does not grow for them: most inserts fail, each with a pair.
func TestDycuckooDuplicates(t *testing.T) {
	keys := append(from(0, 1000), make(List, 100_000)...)
	for _, text := range []string{"dycuckoo", "dycuckoo:pairs=apart", "dycuckoo:pairs=apart,places=all,coordination=voter,duplicates=updated"} {
		on := table(t, openCPU(t, 2), Spec{Config: config(t, text), Shape: schemes.Shape{Pair: pairOf(text, schemes.Pair4), Capacity: 150_000}})
		s := run(t, on, insert(keys))
		if failed := s.Counts.Get("failed"); failed < 99_000 || s.Counts.Get("pairs") != failed || on.Capacity() > 300_000 {
			t.Errorf("%s: %d of %d fail, %d pairs handed back, %d slots", text, failed, len(keys), s.Counts.Get("pairs"), on.Capacity())
		}
	}
}

// With duplicates=updated, an insert that meets its key updates it and hands back the old pair.
func TestDycuckooUpdatesDuplicates(t *testing.T) {
	const text = "dycuckoo:pairs=apart,duplicates=updated"
	on := table(t, openCPU(t, 2), Spec{Config: config(t, text), Shape: schemes.Shape{Pair: pairOf(text, schemes.Pair4), Capacity: 5000}, Verify: true})
	run(t, on, insert(from(0, 2000)))
	counts(t, on, Batch{Op: "insert", Keys: from(0, 2000), Values: from(7, 2000)}, "failed", 2000)
	must.Match(t, on.Size(), 2000)
	contents(t, on)
}

// Without memory to shrink, the table stays as it was. Nothing is lost, and later it does what it could not do.
// (TestMemoryToGrow has tables that cannot grow.)
func TestDycuckooWithoutMemory(t *testing.T) {
	for _, text := range []string{"dycuckoo", "dycuckoo:subtables=5", "dycuckoo:places=all,max_chain=3"} {
		shrinkPoor(t, text)
	}
}

func shrinkPoor(t *testing.T, text string) {
	dev := &poor{Device: openCPU(t, 2)}
	on := table(t, dev, Spec{Config: config(t, text), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1000}, Verify: true})
	run(t, on, insert(from(0, 20000)))
	in := load(t, dev, schemes.Pair4, Batch{Op: "erase", Keys: from(0, 15000)})
	must.OK(t, in.results(true))
	for _, most := range []int64{1 << 9, 1 << 13, 1 << 14, 1 << 15, 0} {
		dev.most = most
		s, err := on.Run(in)
		dev.most = 0
		must.OK(t, err)
		contents(t, on)
		if tight := s.Notes != nil; tight != (on.Load() < 0.4) || most == 0 && tight {
			t.Errorf("%v with blocks of %d bytes: load factor %g, notes %q", text, most, on.Load(), s.Notes)
		}
	}
	counts(t, on, find(from(0, 20000)), "ok", 5000)
}

// counting is a device that counts the launches of a kernel.
type counting struct {
	device.Device
	part     string
	launches int
}

func (c *counting) Call(kernel string, table, batch []byte, n uint64) error {
	if strings.Contains(kernel, c.part) {
		c.launches++
	}
	return c.Device.Call(kernel, table, batch, n)
}

// A table that cannot grow does not upsert in small pieces, each of which would wait for operations that find no room.
func TestDycuckooUpsertsWithoutMemory(t *testing.T) {
	dev := &poor{Device: openCPU(t, 2)}
	upserts := &counting{Device: dev, part: "_upsert"}
	on := table(t, upserts, Spec{Config: config(t, "dycuckoo"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1000}, Verify: true})
	in := load(t, upserts, schemes.Pair4, Batch{Op: "upsert", Keys: from(0, 4000), Values: from(0, 4000)})
	must.OK(t, in.results(true))
	dev.most = 1 << 12 // less than a subtable
	s, err := on.Run(in)
	dev.most = 0
	failed := s.Counts.Get("failed")
	if err != nil || failed == 0 || on.Size()+failed != 4000 || len(s.Notes) == 0 || upserts.launches > 10 {
		t.Errorf("%d failed in %d launches, notes %q, %v", failed, upserts.launches, s.Notes, err)
	}
	contents(t, on)
}

// slotsOf asks the memory that is held.
func slotsOf(d *dynamic) uint64 {
	buckets := uint64(0)
	for i := range int(d.block.Hashes) {
		buckets += d.block.Arg[4] << d.block.Arg[5+i]
	}
	bucket := uint64(slotsOfBucket(d.Table))
	return uint64(d.Bytes()) / (buckets * (bucket*uint64(d.Pair().Bytes()) + 4)) * buckets * bucket
}

func slotsOfBucket(t *Table) int {
	if t.Config().For(t.Pair()).Settings()["pairs"] == "whole" {
		return 8
	}
	return 128 / t.Pair().Key
}

// A table neither grows for keys that are inserted many times, nor loses one of them.
func TestDycuckooAndRepeatedKeys(t *testing.T) {
	const keys = 10000
	var list List
	for key := range uint64(keys) {
		list = append(list, slices.Repeat(List{key}, int(keys/(key+1)))...)
	}
	for _, text := range []string{"dycuckoo", "dycuckoo:pairs=apart"} {
		on := table(t, openCPU(t, 2), Spec{Config: config(t, text), Shape: schemes.Shape{Pair: pairOf(text, schemes.Pair4), Capacity: 1000}})
		run(t, on, Batch{Op: "insert", Keys: list, Values: list})
		counts(t, on, find(from(0, keys)), "ok", keys)
		must.Hold(t, on.Capacity() <= 16*keys, "%s: %d slots", text, on.Capacity())
	}
}
