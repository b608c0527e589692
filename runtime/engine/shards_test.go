package engine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/schemes"
)

func openGroup(t *testing.T, name string) device.Device {
	t.Helper()
	dev, err := devices.Open(name, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

func first(n int) List {
	list := make(List, n)
	for i := range list {
		list[i] = uint64(i)
	}
	return list
}

// traced has a table carry out batches of all of its operations, whole or in chunks, and returns the digests.
func traced(t *testing.T, dev device.Device, config schemes.Config, pair schemes.Pair, how Chunked) (list []string) {
	t.Helper()
	return tracedAs(t, dev, Spec{Config: config, Shape: schemes.Shape{Pair: pair}}, how)
}

// tracedAs is traced for a table of some size.
func tracedAs(t *testing.T, dev device.Device, spec Spec, how Chunked) (list []string) {
	t.Helper()
	cache := NewCache(dev, 0).Chunk(how)
	defer cache.Close()
	config, pair := spec.Config, spec.Shape.Pair
	spec.Shape.Capacity, spec.Seed, spec.Verify = 1<<13, 1, true
	table, err := New(dev, spec)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	do := func(op string, keys, ops List) {
		if op != Mix && !config.Caps.Has(op) {
			return
		}
		b := Batch{Op: op, Keys: keys, Values: keys}
		if ops != nil {
			b.Ops, b.Mixed = ops, []string{"find", "erase"}
		}
		in, err := cache.Load(pair, b)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // again in the same memory; the second insert of a key is an error
			s, err := table.Run(in)
			if err != nil {
				t.Fatalf("%s on %s: %v", op, dev.Info().Name, err)
			}
			list = append(list, fmt.Sprint(op, s.N, s.Input, s.Result, s.Size, s.Counts.Get("ok"), s.Counts.Get("missing"), s.Counts.Get("found")))
			if op == "insert" {
				break
			}
		}
	}
	keys := first(3000)
	do("insert", keys, nil)
	removes := func(op string) bool { return kernels.Op(op).Removes != kernels.RemovesNone }
	ops := append(slices.DeleteFunc(slices.Clone(Keyed), removes), "erase", "find", "erase_all")
	for _, op := range ops[1:] { // the first inserts
		do(op, slices.Concat(keys[1000:2500], List{1 << 20, 1<<20 + 1, pair.EmptyKey()}), nil)
	}
	if both := config.Caps.Has("find") && config.Caps.Has("erase"); both && len(spec.phases(Mix, []string{"find", "erase"})) == 2 {
		// No key is found if erases are the first phase, in any order of the batch.
		do(Mix, slices.Concat(keys[:900], keys[:900]), slices.Concat(slices.Repeat(List{opCode("find")}, 900), slices.Repeat(List{opCode("erase")}, 900)))
	} else if both {
		do(Mix, keys[:1800], slices.Repeat(List{opCode("find"), opCode("erase")}, 900))
	}
	c, err := table.Contents()
	if err != nil {
		t.Fatal(err)
	}
	return append(list, c.Digest)
}

// A table in shards gives the same digests as one on one device, for every scheme that ships.
func TestShardsAreOneTable(t *testing.T) {
	two, three, one := openGroup(t, "cpu*2"), openGroup(t, "cpu*3"), openCPU(t, 2)
	for _, s := range schemes.All() {
		config := s.Defaults()
		for _, pair := range few(config.Caps.Pairs) {
			want := traced(t, one, config, pair, Chunked{})
			for _, dev := range []device.Device{three, two}[:shorter(2, 1)] {
				if have := traced(t, dev, config, pair, Chunked{}); !slices.Equal(have, want) {
					t.Errorf("%s %v on %s: %v instead of %v", s.Name, pair, dev.Info().Name, have, want)
				}
			}
		}
	}
}

// The clocks of a batch add up to its service time, and every operation has an owner.
func TestSharing(t *testing.T) {
	dev := openGroup(t, "cpu*4")
	spec := Spec{Config: firstWith(t, "find"), Shape: schemes.Shape{Pair: schemes.Pair4, N: 10_000, Load: 0.5}}
	table, err := New(dev, spec)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	in, err := Load(dev, schemes.Pair4, Batch{Op: "insert", Keys: first(10_000), Values: first(10_000)})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Release()
	s, err := table.Run(in)
	if err != nil {
		t.Fatal(err)
	}
	sh := s.Sharing
	if sh == nil || sh.Service != s.Service || sh.Partition <= 0 || sh.Exchange <= 0 || sh.Operation <= 0 {
		t.Errorf("clocks %+v of %v", sh, s.Service)
	}
	var owned uint64
	for _, o := range in.routes.to {
		owned += o.N
	}
	if owned != in.N || sh.SkewOfKeys() < 1 || sh.SkewOfKeys() > 1.2 {
		t.Errorf("%d of %d operations have an owner, the fullest has %.3f times the mean", owned, in.N, sh.SkewOfKeys())
	}
	size := uint64(0)
	for _, shard := range table.shards {
		size += shard.Size()
	}
	if size != table.Size() || size != in.N-s.Counts.Get("failed") {
		t.Errorf("%d pairs in shards, %d in the table", size, table.Size())
	}
}

func firstWith(t *testing.T, op string) schemes.Config {
	t.Helper()
	for _, s := range schemes.All() {
		if s.Defaults().Caps.Has(op) {
			return s.Defaults()
		}
	}
	t.Fatalf("no scheme has %s", op)
	return schemes.Config{}
}
