package check

import (
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// ladder is what every scheme climbs; rungs are numbered from 1. Besides what a rung checks,
// every batch is compared with the oracle.
var ladder = []rung{
	{"an empty table has nothing", nil, emptyTable},
	{"batches of nothing", nil, nothing},
	{"one pair", []string{"insert", "find"}, onePair},
	{"many pairs, and keys that are not there", []string{"insert", "find"}, manyPairs},
	{"the smallest and largest keys and values", []string{"insert", "find"}, extremes},
	{"reserved keys are rejected", []string{"insert"}, reserved},
	{"updates", []string{"insert", "update"}, updates},
	{"erases", []string{"insert", "erase"}, erases},
	{"room of erased pairs is used again", []string{"insert", "erase"}, roomAgain},
	{"fills to its load factor", []string{"insert", "find"}, fills},
	{"filled past 100 percent: ends, and counts exactly", []string{"insert", "find"}, pastFull},
	{"clear", []string{"insert", "find"}, clearing},
	{"one key erased by many at once", []string{"insert", "erase"}, erasedByMany},
	{"few keys updated by many at once", []string{"insert", "update"}, updatedByMany},
	{"a batch of mixed operations", []string{"insert", "find"}, mixed},
	{"order and seed do not show", []string{"insert", "find"}, orderAndSeed},
	{"instrumented kernels do the same", []string{"insert", "find"}, instrumented},
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
	{"several operations race on one key", []string{"find", sharing}, races},
	{"small histories have an order", []string{"find", sharing}, histories},
	{"a look at its gauges changes nothing", []string{"insert", "find", gauges}, looked},
}

func emptyTable(c *climb) {
	t := c.table(c.small)
	t.holds(0)
	for _, op := range c.keyed() {
		if !kernels.Op(op).Adds {
			t.count(t.any(op, c.keys().Take(1000)), "missing", 1000)
		}
	}
	t.holds(0)
}

func nothing(c *climb) {
	t := c.table(c.small)
	for _, op := range c.keyed() {
		t.any(op, c.keys().Take(0))
	}
	t.holds(0)
}

func onePair(c *climb) {
	t := c.table(c.small)
	t.count(t.insert(c.keys().Take(1), "a"), "ok", 1)
	s := t.find(c.keys().Take(2))
	t.count(s, "ok", 1)
	t.count(s, "missing", 1)
	t.holds(1)
}

func manyPairs(c *climb) {
	t, n := c.filled(c.large)
	size := t.Size()
	t.count(t.find(c.keys().Take(n).Shuffle(1)), "ok", size)
	t.count(t.find(c.keys().Slice(n, n)), "missing", n)
	t.count(t.find(c.keys().Take(2*n).Shuffle(2)), "ok", size)
	t.holds(size)
}

func extremes(c *climb) {
	t := c.table(c.small)
	largest := c.pair.ErasedKey() - 1
	keys := engine.List{0, 1, largest, largest - 1, largest / 2, largest/2 + 1}
	values := engine.List{c.pair.NoValue(), 0, c.pair.NoValue() - 1, 1, c.pair.NoValue() / 2, 0}
	t.do("insert", keys, values)
	t.find(keys)
	if c.has("update") {
		slices.Reverse(values)
		t.do("update", keys, values)
		t.find(keys)
	}
	t.holds(uint64(len(keys)))
	if c.has("erase") {
		t.erase(keys)
		t.holds(0)
	}
}

func reserved(c *climb) {
	t := c.table(c.small)
	t.insert(c.keys().Take(100), "a")
	size := t.Size()
	bad := engine.List{c.pair.EmptyKey(), c.pair.ErasedKey()}
	for _, op := range c.keyed() {
		s := t.any(op, slices.Concat(bad, bad, bad))
		t.count(s, "rejected", 6)
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
		t.count(t.any(op, keys), "rejected", 29)
	}
	t.contents()
}

func updates(c *climb) {
	t, n := c.filled(c.large)
	size := t.Size()
	t.count(t.update(c.keys().Take(n).Shuffle(1), "b"), "ok", size)
	t.count(t.update(c.keys().Slice(n, n), "c"), "missing", n)
	t.find(c.keys().Take(n))
	t.holds(size)
}

func erases(c *climb) {
	t, n := c.filled(c.large)
	before := t.Size()
	gone := c.keys().Take(n / 2)
	erased := t.erase(gone.Shuffle(1)).Counts.Get("ok")
	t.holds(before - erased)
	t.count(t.erase(gone), "missing", n/2)
	t.erase(c.keys().Slice(n, n))
	if c.has("find") {
		t.find(c.keys().Take(2 * n))
	}
	t.holds(before - erased)
	t.erase(c.keys().Take(n))
	t.holds(0)
}

// roomAgain inserts several times as many pairs as the table has slots, but never more than
// fit at once. Some schemes reuse the room of erased pairs only after a flush.
func roomAgain(c *climb) {
	t := c.table(c.small)
	n := uint64(0.9 * t.most() * float64(t.Capacity()))
	failed := t.insert(c.keys().Take(n), "a").Counts.Get("failed")
	part := max(1, n/2)
	for round := range uint64(8) {
		t.erase(c.keys().Slice(round*part, part))
		if c.has("flush") {
			t.run(engine.Batch{Op: "flush"})
		}
		failed += t.insert(c.keys().Slice(n+round*part, part), "b").Counts.Get("failed")
		t.contents()
	}
	if failed > n/50 {
		c.fail("%d of %d inserts found no room, though there was as much as %d others had left", failed, n+8*part, part)
	}
}

// fills tries a few times, since a load factor is reached by nearly all tables, not by all.
func fills(c *climb) {
	failed := uint64(0)
	for try := range uint64(5) {
		t := c.table(c.large, func(s *engine.Spec) { s.Seed += try })
		n := uint64(t.most() * float64(t.Capacity()))
		failed = t.insert(c.keys().Take(n), "a").Counts.Get("failed")
		t.holds(n - failed)
		t.count(t.find(c.keys().Take(n)), "ok", n-failed)
		t.count(t.find(c.keys().Slice(n, n)), "missing", n)
		if failed == 0 {
			return
		}
	}
	c.fail("five tables did not fill to %.2f; in the last, %d pairs found no room", c.config.MaxLoad(c.config), failed)
}

func pastFull(c *climb) {
	t := c.table(c.large / 2)
	n := t.Capacity() + t.Capacity()/20
	s := t.insert(c.keys().Take(n), "a")
	if left := s.Counts.Get("pairs"); left < n-min(n, t.Capacity()) || t.Size()+left != n {
		c.fail("%d pairs into %d slots: %d in the table, %d handed back", n, t.Capacity(), t.Size(), left)
	}
	size := t.Size()
	t.holds(size)
	t.count(t.find(c.keys().Take(n)), "ok", size)
	t.find(c.keys().Slice(n, n))
	more := t.insert(c.keys().Slice(n, 100), "b").Counts.Get("pairs")
	t.holds(size + 100 - more)
	if c.has("erase") {
		t.erase(c.keys().Take(n + 100))
		t.holds(0)
	}
}

func clearing(c *climb) {
	t := c.table(c.small)
	keys := c.keys().Take(t.half())
	for range 2 {
		t.insert(keys, "a")
		c.must(t.Clear())
		t.count(t.find(keys), "missing", keys.Len())
		t.holds(0)
	}
	t.insert(keys, "b")
	t.find(keys)
	t.contents()
}

func erasedByMany(c *climb) {
	t, n := c.filled(c.large / 4)
	keys, size := c.keys().Take(n), t.Size()
	four := keys.Concat(keys).Concat(keys.Concat(keys))
	t.count(t.erase(four.Shuffle(1)), "ok", size)
	t.holds(0)
	t.insert(keys.Take(3), "b")
	size = t.Size()
	same := stream.Uniform(3, stream.Derive(c.seed, "which"))
	t.count(t.erase(keys.At(same.Take(c.large))), "ok", size)
	t.holds(0)
}

func updatedByMany(c *climb) {
	t := c.table(c.small)
	keys := c.keys().Take(16)
	t.insert(keys, "a")
	which := stream.Uniform(16, stream.Derive(c.seed, "which")).Take(c.large)
	t.count(t.update(keys.At(which), "b"), "ok", c.large)
	t.contents()
	t.update(keys.Concat(keys).Shuffle(1), "c")
	if c.has("find") {
		t.find(keys.At(which))
	}
	t.holds(16)
}

// mixed has operations of all kinds in one batch, on keys that are there or not. Only new
// keys are inserted.
func mixed(c *climb) {
	t := c.table(c.large)
	n := t.half() / 2
	t.insert(c.keys().Take(n), "a")
	ops := make(engine.List, 4*n)
	for i := range ops {
		kinds := c.keyed()
		if uint64(i) < n { // is in the table
			kinds = slices.DeleteFunc(kinds, func(op string) bool { return kernels.Op(op).Blind() })
		}
		ops[i] = opCode(kinds[i*31%97%len(kinds)])
	}
	s := t.run(engine.Batch{Op: engine.Mix, Keys: c.keys().Take(4 * n), Values: c.values("b", 4*n), Ops: ops})
	if shared := c.config.Caps.Concurrent; len(shared) > 0 && len(s.Phases) > 0 &&
		!slices.Contains(s.Phases, strings.Join(shared, "+")) {
		c.fail("ran in the phases %v, and the scheme says that %v may share one", s.Phases, shared)
	}
	t.find(c.keys().Take(4 * n))
	t.contents()
}

// orderAndSeed checks that neither the order of the inserts nor the hash functions show in
// what a table holds and what finds give.
func orderAndSeed(c *climb) {
	type digests struct{ contents, finds string }
	var first digests
	for i, seed := range []uint64{1, 1, 2} {
		t := c.table(c.large, func(s *engine.Spec) { s.Seed = seed })
		keys, values := c.keys().Take(t.half()), c.values("a", t.half())
		if i > 0 {
			keys, values = keys.Shuffle(5), values.Shuffle(5)
		}
		t.count(t.do("insert", keys, values), "failed", 0)
		have := digests{t.contents().Digest, t.find(c.keys().Take(c.large)).Result}
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
	plain := c.trace(c.table(c.large))
	counted := c.trace(c.table(c.large, func(s *engine.Spec) { s.Counted = true }))
	for i, p := range plain {
		s := counted[i]
		if p.Result != s.Result || p.Size != s.Size {
			c.fail("%s: results %s and size %d, and instrumented %s and %d", p.Op, p.Result, p.Size, s.Result, s.Size)
		}
		if probes := s.Counts.Get("probes"); probes == 0 || s.Counts.Get("sectors") < s.N {
			c.fail("%s: %d probes and %d sectors for %d operations", s.Op, probes, s.Counts.Get("sectors"), s.N)
		}
		if active, issued := s.Counts.Get("lanes_active"), s.Counts.Get("lanes_issued"); active == 0 || active > issued {
			c.fail("%s: %d lanes active of %d issued", s.Op, active, issued)
		}
		if p.Counts.Get("probes") != 0 {
			c.fail("%s: a kernel that is timed counts probes", p.Op)
		}
	}
}

// again checks that the same batches give the same digests: on a CPU, with one thread and
// with two.
func again(c *climb) {
	first := c.trace(c.table(c.large))
	for _, dev := range c.secondDevices() {
		c.same(first, c.trace(c.tableOn(dev, c.large)), "again")
	}
}

// same compares the digests of two traces.
func (c *climb) same(first, second []engine.Sample, where string) {
	for i, s := range second {
		if f := first[i]; f.Input != s.Input || f.Result != s.Result || f.Size != s.Size {
			c.fail("%s: digests %s and %s, and %s %s and %s", f.Op, f.Input, f.Result, where, s.Input, s.Result)
		}
	}
}

// trace carries out batches whose results do not depend on the order in which tiles come.
func (c *climb) trace(t *trial) []engine.Sample {
	n := t.half()
	samples := []engine.Sample{t.insert(c.keys().Take(n), "a"), t.find(c.keys().Take(2 * n))}
	if c.has("update") {
		samples = append(samples, t.update(c.keys().Take(2*n), "b"))
	}
	if c.has("erase") {
		samples = append(samples, t.erase(c.keys().Slice(n/2, n)))
	}
	return append(samples, t.find(c.keys().Take(2*n).Shuffle(3)))
}
