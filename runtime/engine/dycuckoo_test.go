package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// Invariants of a DyCuckoo table after every batch: the filled
// factor is between its bounds, or the table is the smallest; no subtable is more than
// twice another; nothing is lost.
func TestDycuckooBounds(t *testing.T) {
	devs := map[int]device.Device{1: openCPU(t, 1), 2: openCPU(t, 2)}
	rapid.Check(t, func(t *rapid.T) {
		d := drawDynamic(t, devs)
		defer d.Close()
		t.Repeat(map[string]func(*rapid.T){
			"insert": func(t *rapid.T) { d.insert(t, "insert", d.next) },
			"upsert": func(t *rapid.T) { d.insert(t, "upsert", rapid.Uint64Range(0, d.next).Draw(t, "first")) },
			"erase":  d.erase,
			"find":   func(t *rapid.T) { d.batch(t, Batch{Op: "find", Keys: d.some(t, 0)}) },
			"mix":    d.mix,
			"resize": func(t *rapid.T) { d.batch(t, Batch{Op: "resize"}) },
			"":       d.holds,
		})
	})
}

// dynamic is a table of the keys 0 to next-1, some of which were erased.
type dynamic struct {
	*Table
	next uint64
}

func drawDynamic(t *rapid.T, devs map[int]device.Device) *dynamic {
	text := fmt.Sprintf("dycuckoo:pairs=%s,subtables=%d,alpha=%d,beta=%d,places=%s,hash=%s",
		rapid.SampledFrom([]string{"whole", "apart", "apart,coordination=voter", "apart,coordination=spin"}).Draw(t, "pairs"), rapid.IntRange(2, 5).Draw(t, "subtables"), rapid.IntRange(0, 45).Draw(t, "alpha"),
		rapid.IntRange(70, 95).Draw(t, "beta"), rapid.SampledFrom([]string{"two", "all"}).Draw(t, "places"),
		rapid.SampledFrom([]string{"fast", "universal"}).Draw(t, "hash"))
	config, err := schemes.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	made, err := New(devs[rapid.IntRange(1, 2).Draw(t, "threads")], Spec{
		Config: config, Seed: rapid.Uint64().Draw(t, "seed"), Verify: true,
		Shape: schemes.Shape{
			Pair:     rapid.SampledFrom(config.Caps.Pairs).Draw(t, "pair"),
			Capacity: rapid.OneOf(rapid.Uint64Range(1, 5000), rapid.Uint64Range(1, 300000)).Draw(t, "capacity"),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
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
	keys := make(List, n)
	for i := range keys {
		keys[i] = first + uint64(i)
	}
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
	in, err := Load(d.dev, d.Pair(), b)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Release()
	s, err := d.Run(in)
	if err != nil {
		t.Fatal(err)
	}
	if s.Counts.Get("failed") > 0 || s.Notes != nil {
		t.Fatalf("%d of %d failed, notes %v", s.Counts.Get("failed"), s.N, s.Notes)
	}
}

func (d *dynamic) holds(t *rapid.T) {
	if _, err := d.Contents(); err != nil {
		t.Fatal(err)
	}
	levels := d.block.Arg[5 : 5+d.block.Hashes]
	least, most := slices.Min(levels), slices.Max(levels)
	if most > least+1 {
		t.Fatalf("subtables are of %v doublings", levels)
	}
	if slots := slotsOf(d); slots != d.Capacity() {
		t.Fatalf("%d slots, and the capacity is %d", slots, d.Capacity())
	}
	alpha, beta := float64(d.Config().Get("alpha"))/100, float64(d.Config().Get("beta"))/100
	if d.Load() > beta || d.Load() < alpha && most > 0 && d.size+d.next > 0 {
		t.Fatalf("load factor %g with %d pairs in %d slots, subtables are of %v doublings", d.Load(), d.Size(), d.Capacity(), levels)
	}
}

// All rows of a few keys end soon, in a table that does not grow for them: most inserts fail, each with a pair.
func TestDycuckooDuplicates(t *testing.T) {
	keys := append(from(0, 1000), make(List, 100_000)...)
	for _, text := range []string{"dycuckoo", "dycuckoo:pairs=apart", "dycuckoo:pairs=apart,places=all,coordination=voter,duplicates=updated"} {
		on := table(t, openCPU(t, 2), Spec{Config: config(t, text), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 150_000}})
		s := run(t, on, insert(keys))
		if failed := s.Counts.Get("failed"); failed < 99_000 || s.Counts.Get("pairs") != failed || on.Capacity() > 300_000 {
			t.Errorf("%s: %d of %d fail, %d pairs handed back, %d slots", text, failed, len(keys), s.Counts.Get("pairs"), on.Capacity())
		}
	}
}

// With duplicates=updated, an insert that meets its key updates it and hands back the old pair.
func TestDycuckooUpdatesDuplicates(t *testing.T) {
	on := table(t, openCPU(t, 2), Spec{Config: config(t, "dycuckoo:pairs=apart,duplicates=updated"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 5000}, Verify: true})
	run(t, on, insert(from(0, 2000)))
	s := run(t, on, Batch{Op: "insert", Keys: from(0, 2000), Values: from(7, 2000)})
	if s.Counts.Get("failed") != 2000 || on.Size() != 2000 {
		t.Errorf("%v, %d pairs", s.Counts.Named(), on.Size())
	}
	contents(t, on)
}

// Without memory to grow, pairs are handed back; without memory to shrink, the table
// stays as it was. Nothing is lost, and later it does what it could not do.
func TestDycuckooWithoutMemory(t *testing.T) {
	for _, text := range []string{"dycuckoo", "dycuckoo:subtables=5", "dycuckoo:places=all,max_chain=3"} {
		config := config(t, text)
		for most := int64(1 << 9); most <= 1<<14; most *= 4 {
			dev := &poor{Device: openCPU(t, 2)}
			growPoor(t, dev, config, most, schemes.Shape{Pair: schemes.Pair4, Capacity: 1000})
		}
		dev := &poor{Device: openCPU(t, 2)}
		growPoor(t, dev, config, 0, schemes.Shape{Pair: schemes.Pair4, Capacity: 1000, Host: true})
		if dev.host < 20000*8 {
			t.Errorf("%s: %d bytes of the host were taken for 20000 pairs", text, dev.host)
		}
		shrinkPoor(t, config)
	}
}

func shrinkPoor(t *testing.T, config schemes.Config) {
	dev := &poor{Device: openCPU(t, 2)}
	on := table(t, dev, Spec{Config: config, Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1000}, Verify: true})
	run(t, on, insert(from(0, 20000)))
	in := load(t, dev, schemes.Pair4, Batch{Op: "erase", Keys: from(0, 15000)})
	if err := in.results(true); err != nil {
		t.Fatal(err)
	}
	for _, most := range []int64{1 << 9, 1 << 13, 1 << 14, 1 << 15, 0} {
		dev.most = most
		s, err := on.Run(in)
		dev.most = 0
		if err != nil {
			t.Fatal(err)
		}
		contents(t, on)
		if tight := s.Notes != nil; tight != (on.Load() < 0.4) || most == 0 && tight {
			t.Errorf("%v with blocks of %d bytes: load factor %g, notes %q", config, most, on.Load(), s.Notes)
		}
	}
	if s := run(t, on, find(from(0, 20000))); s.Counts.Get("ok") != 5000 {
		t.Errorf("%v: %d of 5000 pairs are there", config, s.Counts.Get("ok"))
	}
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

// A table that cannot grow does not upsert in small pieces, each of which would wait
// for operations that find no room.
func TestDycuckooUpsertsWithoutMemory(t *testing.T) {
	dev := &poor{Device: openCPU(t, 2)}
	upserts := &counting{Device: dev, part: "_upsert"}
	on := table(t, upserts, Spec{Config: config(t, "dycuckoo"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1000}, Verify: true})
	in := load(t, upserts, schemes.Pair4, Batch{Op: "upsert", Keys: from(0, 4000), Values: from(0, 4000)})
	if err := in.results(true); err != nil {
		t.Fatal(err)
	}
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
