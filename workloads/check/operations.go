package check

import (
	"errors"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// Rungs for operations that not every scheme has.

// upserts checks how upserts are counted: of many of one new key, one adds it.
func upserts(c *climb) {
	t := c.table(c.large)
	n := t.half()
	t.count(t.upsert(c.keys().Take(n), "a"), "ok", n)
	t.count(t.upsert(c.keys().Take(n).Shuffle(1), "b"), "replaced", n)
	t.count(t.find(c.keys().Take(2*n).Shuffle(2)), "ok", n)
	s := t.upsert(c.keys().Slice(n/2, n).Shuffle(3), "c")
	t.count(s, "replaced", n-n/2)
	t.count(s, "ok", n/2)
	t.find(c.keys().Take(2 * n))
	t.holds(n + n/2)

	few := c.table(c.small)
	which := stream.Uniform(16, stream.Derive(c.seed, "which")).Take(c.large)
	s = few.upsert(c.keys().At(which), "d")
	few.count(s, "ok", 16)
	few.count(s, "replaced", c.large-16)
	few.find(c.keys().At(which))
	few.holds(16)
}

// upsertsPastFull checks that what finds no room is handed back, and that a key which is
// there needs none.
func upsertsPastFull(c *climb) {
	t := c.table(c.large / 2)
	n := t.Capacity() + t.Capacity()/20
	s := t.upsert(c.keys().Take(n), "a")
	if left := s.Counts.Get("pairs"); left < n-min(n, t.Capacity()) || t.Size()+left != n {
		c.fail("%d pairs into %d slots: %d in the table, %d handed back", n, t.Capacity(), t.Size(), left)
	}
	size := t.Size()
	there := engine.List(t.contents().Keys)
	t.count(t.do("upsert", there, c.values("b", there.Len())), "replaced", size)
	t.count(t.find(c.keys().Take(n)), "ok", size)
	t.holds(size)
}

// allPairs checks that find_all gives every pair of a key, and that erase_all removes them.
func allPairs(c *climb) {
	t := c.table(c.large)
	n := t.half() / 3
	t.insert(c.keys().Take(n), "a")
	each := uint64(1)
	if c.config.Caps.Duplicates {
		t.insert(c.keys().Take(n).Shuffle(1), "b")
		t.insert(c.keys().Take(n).Shuffle(2), "c")
		each = 3
	}
	size := t.Size()
	s := t.do("find_all", c.keys().Take(2*n).Shuffle(3), nil)
	t.count(s, "ok", n)
	t.count(s, "found", size)
	if c.has("erase") {
		t.count(t.erase(c.keys().Take(n/2)), "ok", n/2)
		t.do("find_all", c.keys().Take(n), nil)
	}
	if c.has("erase_all") {
		t.do("erase_all", c.keys().Take(n+n/2).Shuffle(4), nil)
		t.count(t.do("find_all", c.keys().Take(n), nil), "missing", n)
		t.holds(size - n*each)
	}
	if c.config.Caps.Duplicates {
		manyOfOneKey(c)
	}
}

// manyOfOneKey inserts one key hundreds of times, and erases it by several operations at
// once.
func manyOfOneKey(c *climb) {
	t := c.table(c.large)
	one := c.keys().Take(1)
	many := stream.Uniform(1, 0).Take(c.small)
	t.insert(c.keys().At(many), "a")
	t.insert(c.keys().Slice(1, 100), "b")
	t.count(t.do("find_all", one, nil), "found", c.small)
	if c.has("erase") {
		t.count(t.erase(c.keys().At(many.Take(10))), "ok", 10)
		t.holds(c.small + 90)
	}
	if c.has("erase_all") {
		t.do("erase_all", c.keys().At(many.Take(64)), nil)
		t.holds(100)
	}
	t.find(c.keys().Take(101))
}

// twice inserts a key twice where keys must be unique: it is refused, or verification
// notices. The table counts exactly and loses no other key.
func twice(c *climb) {
	t := c.table(c.large, func(s *engine.Spec) { s.Verify = false })
	n := t.half() / 2
	there := t.insert(c.keys().Take(n), "a").Counts.Get("ok")
	left := t.insert(c.keys().Take(n/2).Shuffle(1), "b").Counts.Get("pairs")
	t.contents() // compares the counters with what is in the table
	if found := t.find(c.keys().Take(n).Shuffle(2)).Counts.Get("ok"); found+left < there {
		c.fail("of %d keys %d are there, and %d were handed back", there, found, left)
	}
	t.count(t.find(c.keys().Slice(n, n)), "missing", n)

	t = c.table(c.small)
	in, err := engine.Load(t.dev, c.pair, engine.Batch{Op: "insert", Keys: engine.List{7, 8, 7}, Values: engine.List{1, 2, 3}})
	c.must(err)
	defer in.Release()
	s, err := t.Run(in)
	if err == nil {
		t.count(s, "failed", 1)
		t.holds(2)
		return
	}
	var noticed *engine.VerifyError
	if !errors.As(err, &noticed) || !strings.Contains(err.Error(), "does not allow") {
		c.fail("a key was inserted twice, and verification said: %v", err)
	}
}

// flush checks that a flush keeps the pairs, and makes room of what was erased.
func flush(c *climb) {
	t := c.table(c.large / 2)
	flush := func() {
		before := t.contents()
		t.run(engine.Batch{Op: "flush"})
		if after := t.contents(); after.Digest != before.Digest || t.Size() != before.N {
			c.fail("a flush of %d pairs leaves %d, digest %s instead of %s", before.N, after.N, after.Digest, before.Digest)
		}
	}
	flush()
	n := uint64(0.9 * t.most() * float64(t.Capacity()))
	failed := t.insert(c.keys().Take(n), "a").Counts.Get("failed")
	flush()
	for round := range uint64(3) {
		if c.has("erase") {
			t.erase(c.keys().Slice(round*n/2, n/2))
			flush()
			failed += t.insert(c.keys().Slice(n+round*n/2, n/2), "b").Counts.Get("failed")
		}
		t.find(c.keys().Take(2 * n).Shuffle(round))
	}
	if failed > n/50 {
		c.fail("%d of %d inserts found no room, though a flush had made it", failed, n+3*(n/2))
	}
	flush()
}

// resize checks that a resize keeps the pairs: to more slots, to fewer, and to too few,
// which may be refused.
func resize(c *climb) {
	t := c.table(c.large / 4)
	to := func(slots uint64) error {
		before := t.contents()
		in, err := engine.Load(t.dev, c.pair, engine.Batch{Op: "resize", Capacity: slots})
		c.must(err)
		defer in.Release()
		_, refused := t.Run(in)
		if after := t.contents(); after.Digest != before.Digest || t.Size() != before.N {
			c.fail("resized to %d: %d pairs, of %d, digest %s instead of %s (%v)", slots, after.N, before.N, after.Digest, before.Digest, refused)
		}
		if t.Size() > t.Capacity() {
			c.fail("resized to %d: %d pairs in %d slots", slots, t.Size(), t.Capacity())
		}
		return refused
	}
	n, small := t.half(), t.Capacity()
	t.insert(c.keys().Take(n), "a")
	c.must(to(3 * small))
	if t.Capacity() < 3*small*95/100 { // in whole buckets
		c.fail("resized to %d slots, and has %d", 3*small, t.Capacity())
	}
	more := uint64(0.8*t.most()*float64(t.Capacity())) - n
	if failed := t.insert(c.keys().Slice(n, more), "b").Counts.Get("failed"); failed > more/50 {
		c.fail("%d of %d inserts found no room in a table that was resized", failed, more)
	}
	t.find(c.keys().Take(2 * (n + more)).Shuffle(1))
	large := t.Capacity()
	_ = to(1) // refused, or the least that holds everything
	t.find(c.keys().Take(n + more))
	if c.has("erase") {
		t.erase(c.keys().Slice(n, more))
		c.must(to(small))
		if t.Capacity() >= large {
			c.fail("resized to %d slots, and has %d", small, t.Capacity())
		}
		t.find(c.keys().Take(2 * n))
	}
	c.must(t.Clear())
	t.holds(0)
	t.insert(c.keys().Take(n), "c")
	t.find(c.keys().Take(2 * n))
}

// inHostMemory checks that a table does the same wherever it lies.
func inHostMemory(c *climb) {
	device := c.table(c.large)
	host := c.table(c.large, func(s *engine.Spec) { s.Shape.Host = true })
	c.same(c.trace(device), c.trace(host), "in host memory")
	if a, b := device.contents().Digest, host.contents().Digest; a != b {
		c.fail("contents %s, and in host memory %s", a, b)
	}
}
