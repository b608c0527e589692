package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

func openGroup(t *testing.T, name string) device.Device {
	t.Helper()
	dev := must.Get(devices.Open(name, device.Options{}))(t)
	t.Cleanup(func() {
		must.OK(t, dev.Close())
	})
	return dev
}

// traced returns the digests of batches of all operations on a table, carried out whole or in chunks.
func traced(t *testing.T, dev device.Device, spec Spec, how Chunked) (list []string) {
	t.Helper()
	cache := NewCache(dev, 0).Chunk(how)
	defer cache.Close()
	config, pair := spec.Config, spec.Shape.Pair
	spec.Shape.Capacity, spec.Seed, spec.Verify = 1<<13, 1, true
	table := must.Get(New(dev, spec))(t)
	defer table.Close()
	do := func(op string, keys, ops List) {
		if op != Mix && !config.Caps.Has(op) {
			return
		}
		b := Batch{Op: op, Keys: keys, Values: keys}
		if ops != nil {
			b.Ops, b.Mixed = ops, []string{"find", "erase"}
		}
		in := must.Get(cache.Load(pair, b))(t)
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
	keys := from(0, 3000)
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
	c := must.Get(table.Contents())(t)
	return append(list, c.Digest)
}

// A batch gives the digests of one piece on one device, for every scheme that ships, however it is carried out: in chunks, as
// a stream of launches, on shards, which get it in one stage or in several.
func TestEveryWayGivesTheSame(t *testing.T) {
	one, usual, groups := openCPU(t, 2), leastStage, map[int]device.Device{}
	for _, n := range []int{2, 3, 5} {
		groups[n] = openGroup(t, fmt.Sprint("cpu*", n))
	}
	ways := []struct {
		dev                  device.Device
		launch, chunk, stage uint64
	}{{one, 0, 700, 0}, {one, 300, 0, 0}, {one, 300, 700, 0}, {groups[2], 300, 0, 0}, {groups[2], 0, 700, 0}, {groups[3], 0, 0, 0}, {groups[5], 0, 0, 200},
		{groups[2], 0, 0, 0}, {groups[2], 0, 0, 200}}[:shorter(9, 7)]
	for i, s := range schemes.All() {
		pairs := few(s.Caps.Pairs)
		if testing.Short() { // the first of one scheme, the last of the next
			pairs = pairs[i%2*(len(pairs)-1):][:1]
		}
		for _, pair := range pairs {
			spec := Spec{Config: s.Defaults(), Shape: schemes.Shape{Pair: pair}}
			want := traced(t, one, spec, Chunked{})
			for _, way := range ways {
				inStages(t, cmp.Or(way.stage, usual))
				spec.Launch = way.launch
				if have := traced(t, way.dev, spec, Chunked{Most: way.chunk}); !slices.Equal(have, want) {
					t.Errorf("%s %v on %s, %+v: %v instead of %v", s.Name, pair, way.dev.Info().Name, way, have, want)
				}
			}
		}
	}
}

// The clocks of a batch add up to its service time, and every operation has an owner.
func TestSharing(t *testing.T) {
	dev := openGroup(t, "cpu*4")
	spec := Spec{Config: config(t, "bcht"), Shape: schemes.Shape{Pair: schemes.Pair4, N: 10_000, Load: 0.5}}
	table := must.Get(New(dev, spec))(t)
	defer table.Close()
	in := must.Get(Load(dev, schemes.Pair4, Batch{Op: "insert", Keys: from(0, 10_000), Values: from(0, 10_000)}))(t)
	defer in.Release()
	s := must.Get(table.Run(in))(t)
	sh := s.Sharing
	must.Hold(t, sh != nil && sh.Service == s.Service && sh.Partition > 0 && sh.Exchange > 0 && sh.Operation > 0, "clocks %+v of %v", sh, s.Service)
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
	must.Hold(t, size == table.Size() && size == in.N-s.Counts.Get("failed"), "%d pairs in shards, %d in the table", size, table.Size())
}

// inStages splits the batches of a test into stages of at least n operations of each part.
func inStages(t *testing.T, n uint64) {
	before := leastStage
	leastStage = n
	t.Cleanup(func() { leastStage = before })
}

// Every key has one owner, and gets there in the order of the batch: turn by turn, and in each part by part.
func TestPartition(t *testing.T) {
	const n = 300_001
	for name, turns := range map[string]int{"cpu*2": 1, "cpu*3": 8, "cpu*32": 4} {
		dev := openGroup(t, name)
		parts := len(device.PartsOf(dev))
		inStages(t, n/uint64(parts*turns))
		for _, pair := range []schemes.Pair{schemes.Pair4, schemes.Pair8} {
			table := must.Get(New(dev, Spec{Config: config(t, "bcht"), Shape: schemes.Shape{Pair: pair, N: n, Load: 0.5}, Results: true}))(t)
			in := must.Get(Load(dev, pair, Batch{Op: "insert", Keys: from(0, n), Values: from(0, n)}))(t)
			must.Get(table.Run(in))(t)
			checkOwned(t, in, turns)
			if err := in.Release(); err != nil {
				t.Error(err)
			}
			if err := table.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// checkOwned checks the owners of a batch with the keys 0, 1, 2 and so on, whose values are their keys.
func checkOwned(t *testing.T, in *Input, turns int) {
	t.Helper()
	seen, mean := make([]bool, in.N), int(in.N)/len(in.shares)
	for q, o := range in.routes.to {
		c := must.Get(o.Columns())(t)
		keys := numbers(c.Keys, in.pair.Key)
		if values := numbers(c.Values, in.pair.Value); !slices.Equal(values, keys) {
			t.Errorf("owner %d has other values than keys", q)
		}
		must.Hold(t, len(keys) >= mean*9/10 && len(keys) <= mean*11/10, "owner %d of %d has %d keys of %d", q, len(in.shares), len(keys), in.N)
		for _, key := range keys {
			if seen[key] {
				t.Fatalf("key %d has several owners", key)
			}
			seen[key] = true
		}
		for _, s := range in.routes.from {
			must.Hold(t, len(s.stages) == turns, "%d turns instead of %d", len(s.stages), turns)
			for _, turn := range s.stages {
				run := keys[turn.offsets[q]:][:turn.size(q)]
				from := s.first + turn.first
				if !slices.IsSorted(run) || len(run) > 0 && (run[0] < from || run[len(run)-1] >= from+turn.n) {
					t.Errorf("owner %d: keys of a turn from %d on are not in their order", q, from)
				}
			}
		}
	}
	must.Hold(t, !slices.Contains(seen, false), "a key has no owner")
}

func numbers(column []byte, width int) (list []uint64) {
	for i := range len(column) / width {
		list = append(list, Number(column, width, i))
	}
	return list
}

// When the kernel of one part hangs, the others do not wait for it for ever, and the table is given up.
func TestPipelineThatHangs(t *testing.T) {
	bad := &hanging{Device: openCPU(t, 1), end: make(chan struct{}), ended: make(chan struct{}),
		fails: errors.New("no more turns")} // whose copies would be from memory of a device that is closed
	group := device.NewGroup("two", []device.Device{openCPU(t, 1), &peer{bad}})
	inStages(t, 10)
	table := must.Get(New(group, Spec{Config: config(t, "1cht"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1000}, Timeout: 50 * time.Millisecond}))(t)
	in := must.Get(Load(group, schemes.Pair4, insert(from(1, 100))))(t)
	var hang *HangError
	for range 2 {
		_, err := table.Run(in)
		must.Need(t, errors.As(err, &hang) && hang.Op == "insert", "a batch that hangs: %v", err)
	}
	must.OK(t, errors.Join(in.Release(), table.Close()))
	close(bad.end)
	bounded.Wait(t, bad.ended)
}

// peer is a device that looks into another one and copies as that does.
type peer struct{ device.Device }

func (p *peer) Unwrap() device.Device { return device.Unwrapped(p.Device.(*hanging).Device) }

// A part that fails before its launch ends the batch for all, and no table has changed.
func TestPipelineThatFails(t *testing.T) {
	dev := openGroup(t, "cpu*3")
	opened := must.Get(New(dev, Spec{Config: config(t, "1cht"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1000}, Verify: true}))(t)
	defer opened.Close()
	table := opened
	in := must.Get(Load(dev, schemes.Pair4, insert(from(1, 100))))(t)
	defer in.Release()
	one := table.shards[1]
	one.dev = timeless{one.dev}
	if _, err := table.Run(in); err == nil || table.Size() != 0 {
		t.Errorf("%d pairs after a failure: %v", table.Size(), err)
	}
	one.dev = one.dev.(timeless).Device
	s, err := table.Run(in)
	must.Hold(t, err == nil && s.Counts.Get("ok") == 100, "%d inserts afterwards: %v", s.Counts.Get("ok"), err)
}

// timeless is a device whose clock does not work.
type timeless struct{ device.Device }

func (timeless) Time(func() error) (time.Duration, error) { return 0, errors.New("no clock") }

// Turns of a batch that is one launch overlap; one with a host side goes step by step, and both say where the time went.
func TestPipelineIsTimed(t *testing.T) {
	dev := openGroup(t, "cpu*2")
	inStages(t, 1000)
	for scheme, once := range map[string]bool{"chained": true, "bcht": false} {
		opened := must.Get(New(dev, Spec{Config: config(t, scheme), Shape: schemes.Shape{Pair: schemes.Pair4, N: 8000, Load: 0.5}}))(t)
		in := must.Get(Load(dev, schemes.Pair4, Batch{Op: "insert", Keys: from(0, 8000), Values: from(0, 8000)}))(t)
		s, err := opened.Run(in)
		if err != nil || opened.launchedOnce(in) != once || len(in.routes.to[0].cuts) != 5 {
			t.Errorf("%s: once %t, cuts %v: %v", scheme, opened.launchedOnce(in), in.routes.to[0].cuts, err)
		}
		longest := max(s.Sharing.Partition, s.Sharing.Exchange, s.Sharing.Operation, s.Sharing.Return)
		must.Hold(t, s.Service == s.Sharing.Service && s.Service >= longest && longest != 0, "%s: %v of which %+v", scheme, s.Service, s.Sharing)
		if err := errors.Join(in.Release(), opened.Close()); err != nil {
			t.Error(err)
		}
	}
}
