package engine

import (
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

func TestBatchesThatMakeNoSense(t *testing.T) {
	dev := openCPU(t, 1)
	three, two := from(1, 3), from(1, 2)
	for _, c := range []struct {
		batch Batch
		want  string
	}{
		{Batch{Op: "isnert", Keys: three}, "did you mean insert?"},
		{Batch{Op: "count", Keys: three}, "unknown operation of a batch"},
		{Batch{Op: "find"}, "without keys"},
		{Batch{Op: "insert", Keys: three}, "without values"},
		{Batch{Op: "insert", Keys: three, Values: two}, "3 keys and 2 values"},
		{Batch{Op: Mix, Keys: three, Values: three}, "goes with mix"},
		{Batch{Op: "find", Keys: three, Ops: three}, "goes with mix"},
		{Batch{Op: Mix, Keys: three, Values: three, Ops: two}, "3 keys and 2 ops"},
	} {
		must.Say(t, must.Err(Load(dev, schemes.Pair4, c.batch)), c.want, c.batch)
	}
}

// What zoo.TestSizesThatCannotBe has, with the scheme's name, and a table that the device has no memory for.
func TestTablesThatCannotBe(t *testing.T) {
	for want, capacity := range map[string]uint64{": capacity is 0": 0, " bytes, and device cpu has ": 1<<36 - 16} {
		_, err := New(openCPU(t, 1), Spec{Config: config(t, "bcht:bucket=16"), Shape: schemes.Shape{Pair: schemes.Pair8, Capacity: capacity}})
		must.Say(t, err, want)
		must.Begin(t, err, "scheme bcht")
	}
}

func TestPairWidthsAreKeptApart(t *testing.T) {
	dev := openCPU(t, 1)
	on := verified(t, dev, "bcht", 64, 1)
	must.Say(t, must.Err(on.Run(load(t, dev, schemes.Pair8, insert(from(1, 4))))), "k8v8")
}

// A list is cut to the width of keys, as a stream is.
func TestListsAreCutToTheirWidth(t *testing.T) {
	on := verified(t, openCPU(t, 1), "bcht", 64, 1)
	run(t, on, Batch{Op: "insert", Keys: List{1<<32 + 5}, Values: List{1<<40 + 7}})
	c := contents(t, on)
	must.Hold(t, slices.Equal(c.Keys, []uint64{5}) && slices.Equal(c.Values, []uint64{7}), "the table holds %v, %v, want 5, 7", c.Keys, c.Values)
}

// A mixed batch is carried out as phases, in the order of kernels.Ops, whatever the order of its operations.
func TestMixedBatchesRunInPhases(t *testing.T) {
	on := verified(t, openCPU(t, 2), "bcht", 64, 1)
	s := run(t, on, Batch{
		Op:     Mix,
		Keys:   List{1, 1, 1, 1, 2, 3},
		Values: List{0, 0, 11, 10, 20, 0},
		Ops:    List{opCode("erase"), opCode("find"), opCode("update"), opCode("insert"), opCode("insert"), opCode("find")},
	})
	want := []string{"insert", "find", "update", "erase", "retrieve", "put", "get"}
	must.Hold(t, slices.Equal(s.Phases, want), "phases %v, want %v", s.Phases, want)
	if s.Counts.Get("ok") != 5 || s.Counts.Get("missing") != 1 || s.Size != 1 {
		t.Errorf("%d ok, %d missing, size %d, want 5, 1 and 1", s.Counts.Get("ok"), s.Counts.Get("missing"), s.Size)
	}
	c := contents(t, on)
	must.Hold(t, slices.Equal(c.Keys, []uint64{2}), "the table holds %v, want key 2", c.Keys)
}

// Only the phases are run that a batch is said to have operations of. That changes no
// result, and operations that were not named, or that the scheme lacks, are not dropped in silence.
func TestMixedBatchesWithoutPhases(t *testing.T) {
	b := Batch{Op: Mix, Keys: List{1, 2, 3}, Values: List{7, 8, 0}, Ops: List{opCode("insert"), opCode("update"), opCode("insert")}}
	results := map[string]bool{}
	for _, named := range [][]string{nil, {"update", "insert"}, {"find", "insert", "update"}} {
		b.Mixed = named
		on := verified(t, openCPU(t, 2), "bcht", 64, 1)
		s := run(t, on, b)
		must.Hold(t, (named == nil || len(s.Phases) == len(named)) && s.Phases[0] == "insert", "phases %v of a batch that has %v", s.Phases, named)
		results[s.Result] = true
	}
	must.Hold(t, len(results) == 1, "%d different results", len(results))
	b.Mixed = []string{"insert"}
	on := verified(t, openCPU(t, 1), "bcht", 64, 1)
	must.Say(t, must.Err(on.Run(load(t, on.dev, schemes.Pair4, b))), "of which 2 are one of insert: the batch was said")
	must.OK(t, on.Clear())
	for _, code := range []uint64{opCode("count"), 99} {
		in := load(t, on.dev, schemes.Pair4, Batch{Op: Mix, Keys: List{1, 2}, Values: List{1, 2}, Ops: List{opCode("insert"), code}})
		must.Say(t, must.Err(on.Run(in)), "of which 1 are one of insert, find, update, erase", code)
		must.OK(t, on.Clear())
	}
}

// A rebuild keeps what earlier batches put in, and its outcomes agree with its counts.
func TestRebuildKeepsEarlierPairs(t *testing.T) {
	dev := openCPU(t, 2)
	rebuilt := 0
	for seed := uint64(1); seed <= 40; seed++ {
		on := verified(t, dev, "1cht:hashes=3,max_chain=20,on_failure=rebuild,rebuilds=100", 128, seed)
		run(t, on, insert(from(1, 60)))
		s := run(t, on, insert(from(100, 35)))
		if s.Notes != nil {
			rebuilt++
		}
		must.Hold(t, s.Counts.Get("failed") == 0 && s.Size == 95, "seed %d: %d failed, size %d, notes %v", seed, s.Counts.Get("failed"), s.Size, s.Notes)
		c := contents(t, on)
		must.Hold(t, c.N == 95, "seed %d: the table holds %d pairs", seed, c.N)
		counts(t, on, find(from(1, 60)), "ok", 60)
	}
	must.Hold(t, rebuilt != 0, "no table was rebuilt: the test shows nothing")
}

// Pairs that no rebuild finds room for are reported exactly, even if they are more than the batch that caused it.
func TestRebuildThatCannotSucceed(t *testing.T) {
	dev := openCPU(t, 1)
	more := false
	for seed := uint64(1); seed <= 20; seed++ {
		on := verified(t, dev, "1cht:hashes=2,max_chain=5,on_failure=rebuild,rebuilds=3", 64, seed)
		before := run(t, on, insert(from(1, 62))).Size
		s := run(t, on, insert(from(100, 3)))
		left := s.Counts.Get("pairs")
		must.Hold(t, s.Size == before+3-left, "seed %d: size %d after %d and 3 more with %d left over", seed, s.Size, before, left)
		more = more || left > 3
		contents(t, on)
	}
	must.Hold(t, more, "no rebuild fared worse than the table before: the test shows nothing")
}

// Failures that a rebuild has made good are no failures any more.
func TestSettle(t *testing.T) {
	on := verified(t, openCPU(t, 1), "1cht", 64, 1)
	code := func(outcome string) byte { return byte(slices.Index(kernels.Outcomes, outcome)) }
	ok, failed, rejected, none := code("ok"), code("failed"), code("rejected"), code("none")
	for _, c := range []struct {
		failed uint64
		want   []byte
	}{
		{0, []byte{ok, ok, rejected, ok, none}},
		{1, []byte{ok, failed, rejected, ok, none}},
		{2, []byte{ok, failed, rejected, failed, none}},
		{3, []byte{failed, failed, rejected, failed, none}},
	} {
		if have := settled(t, on, c.failed, []byte{ok, failed, rejected, failed, none}, nil); !slices.Equal(have, c.want) {
			t.Errorf("%d failed: %v, want %v", c.failed, have, c.want)
		}
	}
	have := settled(t, on, 0, []byte{failed, ok, failed, ok}, []byte{1, 1, 0, 0})
	must.Hold(t, slices.Equal(have, []byte{failed, ok, ok, ok}), "with those of another launch: %v", have)
}

// settled returns outcomes made to agree with a count of failures, in a batch whose launch selected operation 0.
func settled(t *testing.T, on *Table, failed uint64, outcomes, ops []byte) []byte {
	t.Helper()
	status, chosen := filled(t, on.dev, outcomes), device.Addr(0)
	if ops != nil {
		chosen = filled(t, on.dev, ops)
	}
	counts := schemes.NewCounts()
	counts.Set("failed", failed)
	on.launched = launchTotals{launches: 2}
	n := uint64(len(outcomes))
	must.OK(t, on.settle(n, kernels.Batch{Status: uint64(status), Ops: uint64(chosen), Select: 1}, counts))
	have := make([]byte, n)
	must.OK(t, on.dev.Read(have, status))
	return have
}

// filled returns memory of the device that holds bytes.
func filled(t *testing.T, dev device.Device, bytes []byte) device.Addr {
	t.Helper()
	at := must.Get(dev.Alloc(int64(len(bytes))))(t)
	t.Cleanup(func() { _ = dev.Release(at) })
	must.OK(t, dev.Write(at, bytes))
	return at
}

func TestSupports(t *testing.T) {
	find := must.Get(schemes.Find("bcht"))(t)
	without := *find
	without.Name, without.Caps.Ops = "less", []string{"insert", "find"}
	must.OK(t, Supports(find.Defaults(), "erase"))
	err := Supports(without.Defaults(), "erase")
	must.Begin(t, err, "scheme less has no operation erase: it has insert, find; try")
	err = Supports(without.Defaults(), "sort")
	must.Say(t, err, "no scheme of this zoo has sort")
}

// dirty is a device whose fresh memory holds whatever was there before, as a GPU's does.
type dirty struct {
	device.Device
	rubbish byte
}

func (d *dirty) Alloc(bytes int64) (device.Addr, error) {
	at, err := d.Device.Alloc(bytes)
	if err != nil {
		return at, err
	}
	d.rubbish += 0x11
	return at, d.Device.Set(at, d.rubbish, bytes)
}

func TestResultsDoNotDependOnWhatMemoryHeld(t *testing.T) {
	dev := &dirty{Device: openCPU(t, 1)}
	seen := map[string]bool{}
	for range 3 {
		on := verified(t, dev, "bcht:bucket=4", 64, 1)
		run(t, on, Batch{Op: "insert", Keys: List{1, 2, 3, 4}, Values: List{5, 6, 7, 8}})
		sample := run(t, on, Batch{Op: Mix, Keys: List{9, 1, 2, 77}, Values: List{10, 0, 0, 0}, Ops: List{opCode("insert"), opCode("find"), opCode("erase"), opCode("find")}})
		seen[sample.Result] = true
	}
	must.Need(t, len(seen) == 1, "one batch gave %d different digests of results", len(seen))
}

// Of many erases of one key, one succeeds; which one is a matter of luck, and the
// digest of the results does not depend on it.
func TestResultsDoNotDependOnWhoWasFirst(t *testing.T) {
	same := make(List, 1<<15)
	for i := range same {
		same[i] = 7
	}
	seen := map[string]bool{}
	for range 8 {
		on := verified(t, openCPU(t, 4), "bcht:bucket=4", 64, 1)
		run(t, on, Batch{Op: "insert", Keys: List{7}, Values: List{1}})
		seen[run(t, on, Batch{Op: "erase", Keys: same}).Result] = true
	}
	must.Need(t, len(seen) == 1, "one batch gave %d different digests of results", len(seen))
}

// The definitions themselves, on numbers that can be done by hand.
func TestDefinitionsOfTheHashFunctions(t *testing.T) {
	table := kernels.Table{Buckets: 10, Family: kernels.Universal}
	table.Hash[0] = kernels.Hash{A: 3, B: 4, C: 5}
	for _, c := range []struct {
		key   uint64
		width int
		want  uint64
	}{
		{7, 4, 5},             // 25 mod 10
		{7 + 2<<32, 8, 5},     // 21 + 10 + 4 = 35
		{Prime - 1, 4, 1},     // -3 + 4 = 1 modulo p
		{Prime - 2, 4, 9},     // -6 + 4 = p - 2 = 4294967289
		{Prime<<32 | 1, 8, 7}, // p counts for nothing: 3 + 4
	} {
		have := PlaceOf(table, 0, c.key, c.width)
		must.Hold(t, have == c.want, "key %#x goes to %d, want %d", c.key, have, c.want)
	}
}

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
