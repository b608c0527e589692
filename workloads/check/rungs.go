package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// ladder is the list of checks of every scheme; rungs are numbered from 1. The oracle also checks every batch.
var ladder = []rung{
	{"an empty table has nothing", nil, emptyTable},
	{"batches of nothing", nil, nothing},
	{"one pair", []string{"insert", "find"}, onePair},
	{"many pairs, and keys that are not there", []string{"insert", "find"}, manyPairs},
	{"the smallest and largest keys and values", []string{"insert", "find"}, extremes},
	{"reserved keys are rejected", []string{"insert"}, reserved},
	{"updates", []string{"insert", "update"}, updates},
	{"erases", []string{"insert", "erase"}, erases},
	{"room of erased pairs is used again", []string{"insert", "erase"}, func(c *climb) { c.table(c.small).renew(8) }},
	{"fills to its load factor", []string{"insert", "find"}, fills},
	{"filled past 100 percent: ends, and counts exactly", []string{"insert", "find"}, pastFull},
	{"clear", []string{"insert", "find"}, clearing},
	{"one key erased by many at once", []string{"insert", "erase"}, erasedByMany},
	{"few keys updated by many at once", []string{"insert", "update"}, updatedByMany},
	{"a batch of mixed operations", []string{"insert", "find"}, mixed},
	{"order and seed do not show", []string{"insert", "find"}, orderAndSeed},
	{"instrumented kernels do the same", []string{"insert", "find", counting}, instrumented},
	{"the same again, on one thread and on two", []string{"insert", "find"}, again},
	{"random batches", []string{"insert"}, randomBatches},
	{"upserts", []string{"find", "upsert"}, upserts},
	{"upserts past 100 percent", []string{"find", "upsert"}, upsertsPastFull},
	{"all pairs of a key", []string{"insert", "find", "find_all"}, allPairs},
	{"a key inserted twice is counted and noticed", []string{"insert", "find", uniqueKeys}, twice},
	{"flush", []string{"insert", "find", "flush"}, flush},
	{"resize", []string{"insert", "find", "resize"}, resize},
	{"the table in host memory", []string{"insert", "find", hostMemory}, inHostMemory},
	{"no memory for more", []string{"insert", "find", hostSide}, noMemory},
	{"each operation of a shared launch alone", []string{"insert", sharing}, aloneInMix},
	{"several operations race on one key", []string{"find", sharing}, func(c *climb) { c.meet("race", c.race) }},
	{"small histories have an order", []string{"find", sharing}, func(c *climb) { c.meet("history", c.history) }},
	{"a look at its gauges changes nothing", []string{"insert", "find", gauges}, looked},
	{"values are combined", []string{"find", combining}, combined},
	{"pairs side by side", []string{"insert", "retrieve"}, retrieved},
	{"tiles of a warp do the same", []string{"insert", counting}, inStep},
	{"inserts part by part", []string{"insert", "find", notAlways}, partByPart},
	{"pairs leave a full table for others", []string{"put", "get"}, evictions},
}

func emptyTable(c *climb) {
	t := c.table(c.small)
	t.holds(0)
	for _, op := range c.keyed() {
		if !kernels.Op(op).Adds {
			t.do(op, c.keys().Take(1000), want{"missing", 1000})
		}
	}
	t.holds(0)
}

func nothing(c *climb) {
	t := c.table(c.small)
	for _, op := range c.keyed() {
		t.do(op, c.keys().Take(0))
	}
	t.holds(0)
}

func onePair(c *climb) {
	t := c.table(c.small)
	t.do("insert", c.keys().Take(1), want{"ok", 1})
	t.do("find", c.keys().Take(2), want{"ok", 1}, want{"missing", 1})
	t.holds(1)
}

func manyPairs(c *climb) {
	t, n := c.filled(c.large)
	size := t.Size()
	t.do("find", c.keys().Take(n).Shuffle(1), want{"ok", size})
	t.do("find", c.keys().Slice(n, n), want{"missing", n})
	t.do("find", c.keys().Take(2*n).Shuffle(2), want{"ok", size})
	t.holds(size)
}

func extremes(c *climb) {
	t := c.table(c.small)
	largest := c.pair.ErasedKey() - 1
	keys := engine.List{0, 1, largest, largest - 1, largest / 2, largest/2 + 1}
	values := engine.List{c.pair.NoValue(), 0, c.pair.NoValue() - 1, 1, c.pair.NoValue() / 2, 0}
	for _, op := range []string{"insert", "update", "put"} {
		if c.has(op) {
			t.run(engine.Batch{Op: op, Keys: keys, Values: values})
			t.do("find", keys)
			t.maybe("get", keys)
			slices.Reverse(values)
		}
	}
	t.holds(uint64(len(keys)))
	if c.has("erase") {
		t.do("erase", keys)
		t.holds(0)
		t.maybe("put", keys)
		t.holds(t.Size())
	}
}

func reserved(c *climb) {
	t := c.table(c.small)
	t.do("insert", c.keys().Take(100))
	size := t.Size()
	bad := engine.List{c.pair.EmptyKey(), c.pair.ErasedKey()}
	for _, op := range c.keyed() {
		t.do(op, slices.Repeat(bad, 3), want{"rejected", 6})
		t.holds(size)
	}
	// Among others, in every position of a tile.
	keys := engine.List{}
	for i := range uint64(200) {
		keys = append(keys, 1<<20+i)
		if i%7 == 0 {
			keys = append(keys, bad[i%2])
		}
	}
	for _, op := range c.keyed() {
		t.do(op, keys, want{"rejected", 29})
	}
	t.contents()
}

func updates(c *climb) {
	t, n := c.filled(c.large)
	size := t.Size()
	t.do("update", c.keys().Take(n).Shuffle(1), want{"ok", size})
	t.do("update", c.keys().Slice(n, n), want{"missing", n})
	t.do("find", c.keys().Take(n))
	t.holds(size)
}

func erases(c *climb) {
	t, n := c.filled(c.large)
	before := t.Size()
	gone := c.keys().Take(n / 2)
	erased := t.do("erase", gone.Shuffle(1)).Counts.Get("ok")
	t.holds(before - erased)
	t.do("erase", gone, want{"missing", n / 2})
	t.do("erase", c.keys().Slice(n, n))
	t.maybe("find", c.keys().Take(2*n))
	t.holds(before - erased)
	t.do("erase", c.keys().Take(n))
	t.holds(0)
}

// renew puts other pairs in the room of erased ones, until they are several times as many as the slots. Some schemes reuse it only after a flush.
func (t *trial) renew(times uint64) {
	n := uint64(0.9 * t.MaxLoad() * float64(t.Capacity()))
	part := max(1, n/2)
	failed := t.do("insert", t.c.keys().Take(n)).Counts.Get("failed")
	t.flush()
	for round := range times {
		if t.c.has("erase") {
			t.do("erase", t.c.keys().Slice(round*part, part))
			t.flush()
			failed += t.do("insert", t.c.keys().Slice(n+round*part, part)).Counts.Get("failed")
			t.contents()
		}
		t.maybe("find", t.c.keys().Take(2*n).Shuffle(round))
	}
	if failed > n/50 {
		t.c.fail("%d of %d inserts found no room, though there was as much as %d others had left", failed, n+times*part, part)
	}
}

func (t *trial) flush() {
	if t.c.has("flush") {
		t.keeps("flushed", func() { t.do("flush", nil) })
	}
}

// fills tries a few times, since a load factor is reached by nearly all tables, not by all.
func fills(c *climb) {
	failed := uint64(0)
	for try := range uint64(5) {
		t := c.table(c.large, func(s *engine.Spec) { s.Seed += try })
		n := uint64(t.MaxLoad() * float64(t.Capacity()))
		failed = t.do("insert", c.keys().Take(n)).Counts.Get("failed")
		t.holds(n - failed)
		t.do("find", c.keys().Take(n), want{"ok", n - failed})
		t.do("find", c.keys().Slice(n, n), want{"missing", n})
		if failed == 0 {
			return
		}
	}
	c.fail("five tables did not fill to %.2f; in the last, %d pairs found no room", c.table(c.large).MaxLoad(), failed)
}

func pastFull(c *climb) {
	t, n := c.overfilled("insert")
	t.do("find", c.keys().Slice(n, n))
	size := t.Size()
	more := t.do("insert", c.keys().Slice(n, 100)).Counts.Get("pairs")
	t.holds(size + 100 - more)
	if c.has("erase") {
		t.do("erase", c.keys().Take(n+100))
		t.holds(0)
	}
}

// overfilled adds n pairs to a table with fewer slots. What finds no room is handed back. The table is not large: in
// a full one, a search for an absent key may visit all slots.
func (c *climb) overfilled(op string) (t *trial, n uint64) {
	t = c.table(c.large / 8)
	n = t.Capacity() + t.Capacity()/20
	s := t.do(op, c.keys().Take(n))
	if left := s.Counts.Get("pairs"); left < n-min(n, t.Capacity()) || t.Size()+left != n {
		c.fail("%d pairs into %d slots: %d in the table, %d handed back", n, t.Capacity(), t.Size(), left)
	}
	t.holds(t.Size())
	t.do("find", c.keys().Take(n), want{"ok", t.Size()})
	return t, n
}

func clearing(c *climb) {
	t := c.table(c.small)
	keys := c.keys().Take(t.half())
	for range 2 {
		t.do("insert", keys)
		c.must(t.Clear())
		t.do("find", keys, want{"missing", keys.Len()})
		t.holds(0)
	}
	t.do("insert", keys)
	t.do("find", keys)
	t.contents()
}

func erasedByMany(c *climb) {
	t, n := c.filled(c.large / 4)
	keys := c.keys().Take(n)
	four := keys.Concat(keys).Concat(keys.Concat(keys))
	t.do("erase", four.Shuffle(1), want{"ok", t.Size()})
	t.holds(0)
	t.do("insert", keys.Take(3))
	t.do("erase", keys.At(c.which(3)), want{"ok", t.Size()})
	t.holds(0)
}

func updatedByMany(c *climb) {
	t := c.table(c.small)
	keys := c.keys().Take(16)
	t.do("insert", keys)
	t.do("update", keys.At(c.which(16)), want{"ok", c.large})
	t.contents()
	t.do("update", keys.Concat(keys).Shuffle(1))
	t.maybe("find", keys.At(c.which(16)))
	t.holds(16)
}

// mixed has operations of all kinds in one batch. Only new keys are inserted.
func mixed(c *climb) {
	t := c.table(c.large)
	n := t.half() / 2
	t.do("insert", c.keys().Take(n))
	ops := make(engine.List, 4*n)
	for i := range ops {
		kinds := c.keyed()
		if uint64(i) < n { // is in the table
			kinds = slices.DeleteFunc(kinds, func(op string) bool { return kernels.Op(op).Blind() })
		}
		ops[i] = opCode(kinds[i*31%97%len(kinds)])
	}
	s := t.run(engine.Batch{Op: engine.Mix, Keys: c.keys().Take(4 * n), Values: c.values("mixed", 4*n), Ops: ops})
	shared := c.sharing(func(kernels.Operation) bool { return true })
	if len(shared) > 0 && len(s.Phases) > 0 && !slices.Contains(s.Phases, strings.Join(shared, "+")) {
		c.fail("ran in the phases %v, and the scheme says that %v may share one", s.Phases, shared)
	}
	t.do("find", c.keys().Take(4*n))
	t.contents()
}

func orderAndSeed(c *climb) {
	type digests struct{ contents, finds string }
	var first digests
	for i, seed := range []uint64{1, 1, 2} {
		t := c.table(c.large, func(s *engine.Spec) { s.Seed = seed })
		keys, values := c.keys().Take(t.half()), c.values("some", t.half())
		if i > 0 {
			keys, values = keys.Shuffle(5), values.Shuffle(5)
		}
		t.run(engine.Batch{Op: "insert", Keys: keys, Values: values}, want{"failed", 0})
		have := digests{t.contents().Digest, t.do("find", c.keys().Take(c.large)).Result}
		if i == 0 {
			first = have
		}
		if have != first {
			c.fail("digests of contents and finds are %v, and %v in another order or with another seed", first, have)
		}
	}
}

// instrumented also checks what holds for the counts of all schemes.
func instrumented(c *climb) {
	counted := c.trace(c.table(c.large, func(s *engine.Spec) { s.Counted = true }))
	c.same(counted, "instrumented")
	for i, s := range counted[:len(counted)-1] {
		if probes := s.Counts.Get("probes"); probes == 0 || s.Counts.Get("sectors") < s.N {
			c.fail("%s: %d probes and %d sectors for %d operations", s.Op, probes, s.Counts.Get("sectors"), s.N)
		}
		if active, issued := s.Counts.Get("lanes_active"), s.Counts.Get("lanes_issued"); active == 0 || active > issued {
			c.fail("%s: %d lanes active of %d issued", s.Op, active, issued)
		}
		if c.plain[i].Counts.Get("probes") != 0 {
			c.fail("%s: a kernel that is timed counts probes", s.Op)
		}
	}
}

func again(c *climb) {
	if !isCPU(c.dev) {
		c.same(c.trace(c.table(c.large)), "again")
		return
	}
	for _, threads := range []int{1, 2} {
		dev := c.cpu(c.dev.Info().Name, device.Options{Threads: threads})
		c.same(c.trace(c.tableOn(dev, c.large)), "again")
	}
}

func inHostMemory(c *climb) {
	host := c.table(c.large, func(s *engine.Spec) { s.Shape.Host = true })
	c.same(c.trace(host), "in host memory")
}

// partByPart goes up the rungs of inserts again, with all of them part by part (kernels/bulk.h).
func partByPart(c *climb) {
	always := *c
	always.held = nil
	defer func() { c.held = append(c.held, always.held...) }()
	var err error
	always.config, err = c.config.With(bulk, "always")
	c.must(err)
	c.same(always.trace(always.table(c.large)), "part by part")
	for _, climb := range []func(*climb){extremes, reserved, fills, pastFull, randomBatches, noMemory} {
		climb(&always)
	}
	if c.can(uniqueKeys) {
		twice(&always)
	}
	if c.can(combining) {
		combined(&always)
	}
}

func (c *climb) same(trace []engine.Sample, where string) {
	if c.plain == nil {
		c.plain = c.trace(c.table(c.large))
	}
	c.must(differ(c.plain, trace, where))
}

func differ(first, second []engine.Sample, where string) error {
	for i, s := range second {
		if f := first[i]; f.Input != s.Input || f.Result != s.Result || f.Size != s.Size {
			return fmt.Errorf("%s: digests %s and %s, and %s %s and %s", f.Op, f.Input, f.Result, where, s.Input, s.Result)
		}
	}
	return nil
}

// trace carries out batches whose results do not depend on the order in which tiles come, then looks at the contents.
func (c *climb) trace(t *trial) []engine.Sample {
	var samples []engine.Sample
	do := func(op string, keys stream.Stream) {
		if c.has(op) {
			samples = append(samples, t.do(op, keys))
		}
	}
	n := uint64(c.config.MaxLoad(c.config)*float64(t.asked)) / 2 // the same on every device
	do("insert", c.keys().Take(n))
	do("find", c.keys().Take(2*n))
	do("update", c.keys().Take(2*n))
	do("erase", c.keys().Slice(n/2, n))
	do("find", c.keys().Take(2*n).Shuffle(3))
	return append(samples, engine.Sample{Op: "contents", Result: t.contents().Digest})
}

// randomBatches runs random batches on small tables, some of them overfull.
func randomBatches(c *climb) {
	random := rand.New(rand.NewPCG(c.seed, 1))
	for range 10 {
		t := c.table(1 + random.Uint64N(c.small/2))
		below := 1 + random.Uint64N(2*t.Capacity())
		for range 20 {
			t.gamble(random, below)
		}
		t.contents()
	}
}

// gamble carries out a random operation on keys from a small range, so that most come again and again.
func (t *trial) gamble(random *rand.Rand, below uint64) {
	ops := t.c.keyed()
	if t.c.has("flush") {
		ops = append(ops, "flush")
	}
	op := ops[random.IntN(len(ops))]
	if op == "flush" {
		t.run(engine.Batch{Op: op})
		return
	}
	keys := engine.List(lists.Make(random.IntN(200), func(int) uint64 { return random.Uint64N(below) }))
	if kernels.Op(op).Blind() && t.c.can(uniqueKeys) {
		there := t.contents().Keys
		keys = lists.Add(there, keys...)[len(there):]
	}
	t.do(op, keys)
}
