package check

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// upserts checks how upserts are counted: of many of one new key, one adds it.
func upserts(c *climb) {
	t := c.table(c.large)
	n := t.half()
	t.do("upsert", c.keys().Take(n), want{"ok", n})
	t.do("upsert", c.keys().Take(n).Shuffle(1), want{"replaced", n})
	t.do("find", c.keys().Take(2*n).Shuffle(2), want{"ok", n})
	t.do("upsert", c.keys().Slice(n/2, n).Shuffle(3), want{"replaced", n - n/2}, want{"ok", n / 2})
	t.do("find", c.keys().Take(2*n))
	t.holds(n + n/2)

	few := c.table(c.small)
	few.do("upsert", c.keys().At(c.which(16)), want{"ok", 16}, want{"replaced", c.large - 16})
	few.do("find", c.keys().At(c.which(16)))
	few.holds(16)
}

func upsertsPastFull(c *climb) {
	t, n := c.overfilled("upsert")
	size := t.Size()
	t.do("upsert", engine.List(t.contents().Keys), want{"replaced", size})
	t.do("find", c.keys().Take(n), want{"ok", size})
	t.holds(size)
}

// evictions checks puts into tables of all sizes that are full, of many keys, of few, of one, and of those that are there.
func evictions(c *climb) {
	for _, slots := range []uint64{1, 2, 3, c.small + 1, c.large} {
		t := c.table(slots)
		room := t.Capacity()
		for i := range uint64(4) {
			t.do("put", c.keys().Slice(i*room, room))
			t.do("get", c.keys().Take(5*room).Shuffle(i))
		}
		if t.Size() < room*99/100 {
			c.fail("%d pairs were put into %d slots, and %d are full", 4*room, room, t.Size())
		}
		t.do("put", c.keys().At(c.which(16)))
		t.do("put", c.keys().At(c.which(1)))
		t.run(engine.Batch{Op: "put", Keys: c.keys().Slice(6*room, room), Values: stream.Uniform(1, 0).Take(room)})
		there := t.contents().Keys
		t.do("put", engine.List(there), want{"replaced", uint64(len(there))})
		t.do("get", engine.List(there), want{"ok", uint64(len(there))})
		t.maybe("erase", engine.List(there[:len(there)/2]))
		t.do("put", c.keys().Slice(5*room, room))
		t.holds(t.Size())
	}
}

// combined checks how values are combined: with many of many keys, with those of few keys at once, among pairs that
// were there, with few keys before and after many, past 100 percent, and next to operations of the same kind in a
// shared launch.
func combined(c *climb) {
	for _, op := range c.keyed() {
		if !kernels.Op(op).Combines() {
			continue
		}
		t := c.table(c.large)
		n := t.half()
		t.do(op, c.keys().Take(n), want{"ok", n})
		t.do(op, c.keys().Slice(n/2, n).Shuffle(1), want{"replaced", n - n/2}, want{"ok", n / 2})
		t.do("find", c.keys().Take(2*n).Shuffle(2), want{"ok", n + n/2})
		t.holds(n + n/2)

		few := c.table(c.small)
		few.do(op, c.keys().At(c.which(16)), want{"ok", 16}, want{"replaced", c.large - 16})
		few.do(op, c.keys().At(c.which(16)), want{"replaced", c.large})
		few.do("find", c.keys().At(c.which(16)), want{"ok", c.large})
		few.holds(16)
		few.do(op, c.keys().At(c.which(1)), want{"replaced", c.large})
		few.holds(16)
		c.fewManyFew(op)
		c.ahead(op)

		full, all := c.overfilled(op)
		size := full.Size()
		full.do(op, engine.List(full.contents().Keys), want{"replaced", size})
		full.do("find", c.keys().Take(all), want{"ok", size})
		full.holds(size)
		added := full.do(op, c.keys().Slice(all, 16).At(c.which(16).Take(c.small))).Counts.Get("ok")
		full.holds(size + added)
	}
	c.sums()
}

// fewManyFew combines values of a few keys, then of many, then of a few others, in one batch: operations on few keys
// meet before they reach the table, and whether they do is decided anew as keys change.
func (c *climb) fewManyFew(op string) {
	t := c.table(c.large)
	n, each := t.half(), c.which(16).Take(c.large/4)
	t.do(op, c.keys().At(each).Concat(c.keys().Take(n)).Concat(c.keys().Slice(100, 116).At(each)),
		want{"ok", n}, want{"replaced", c.large / 2})
	t.do("find", c.keys().Take(n), want{"ok", n})
	t.holds(n)
}

// ahead combines values in a batch that is large enough for a kernel to go ahead on a GPU (kernels/ahead.h), in a table
// that is small enough. There are keys for which that kernel has no room.
func (c *climb) ahead(op string) {
	if isCPU(c.dev) {
		return
	}
	t, rows := c.table(1<<11), uint64(1<<22+1000)
	n := t.half() * 9 / 5
	which := stream.Uniform(n, stream.Derive(c.seed, "rows")).Take(rows)
	t.do(op, c.keys().At(which), want{"ok", n}, want{"replaced", rows - n})
	t.do("find", c.keys().Take(n), want{"ok", n})
	t.holds(n)
	c.inOrder(op, 1<<11, rows)
	c.inOrder(op, 1<<17, rows)
	if c.pair.Bytes() <= 16 {
		c.inOrder(op, 1<<23, 1<<25+1000)
	}
}

// inOrder combines values of rows in one batch, which may first be put into the order of parts of the table
// (kernels/sort.h) if nobody asks what became of each, and in two that are too small for that. Both must give the same.
func (c *climb) inOrder(op string, slots, rows uint64) {
	unseen := func(s *engine.Spec) { s.Verify = false }
	whole, halves := c.table(slots, unseen), c.table(slots, unseen)
	which := stream.Uniform(whole.half(), stream.Derive(c.seed, "rows")).Take(rows)
	b := whole.batch(op, c.keys().At(which))
	whole.run(b)
	for _, from := range []uint64{0, rows / 2} {
		half := engine.Batch{Op: op, Keys: c.keys().At(which.Slice(from, rows/2))}
		if b.Values != nil {
			half.Values = c.values("1", rows).Slice(from, rows/2)
		}
		halves.run(half)
	}
	if have, want := whole.contents(), halves.contents(); have.Digest != want.Digest {
		c.fail("after %d rows in one batch, the table of %d slots has %d pairs, which are not the %d after two batches",
			rows, whole.Capacity(), have.N, want.N)
	}
}

// sums lets the operations that add to values share a launch, so that the sums are known.
func (c *climb) sums() {
	ops := c.sharing(func(op kernels.Operation) bool { return op.Becomes == kernels.Sums })
	if len(ops) == 0 {
		return
	}
	t, few := c.table(c.small), c.which(16)
	codes := lists.Make(int(c.large), func(i int) uint64 { return opCode(ops[i*7%11%len(ops)]) })
	t.run(engine.Batch{Op: engine.Mix, Keys: c.keys().At(few), Values: c.values("sums", c.large), Ops: engine.List(codes), Mixed: ops},
		want{"ok", 16}, want{"replaced", c.large - 16})
	t.contents()
	t.do("find", c.keys().At(few), want{"ok", c.large})
}

// allPairs checks that find_all gives every pair of a key, and that erase_all removes them.
func allPairs(c *climb) {
	t := c.table(c.large)
	n, each := t.half()/3, uint64(1)
	t.do("insert", c.keys().Take(n))
	if c.config.Caps.Duplicates {
		t.do("insert", c.keys().Take(n).Shuffle(1))
		t.do("insert", c.keys().Take(n).Shuffle(2))
		each = 3
	}
	size := t.Size()
	t.do("find_all", c.keys().Take(2*n).Shuffle(3), want{"ok", n}, want{"found", size})
	if c.has("erase") {
		t.do("erase", c.keys().Take(n/2), want{"ok", n / 2})
		t.do("find_all", c.keys().Take(n))
	}
	if c.has("erase_all") {
		t.do("erase_all", c.keys().Take(n+n/2).Shuffle(4))
		t.do("find_all", c.keys().Take(n), want{"missing", n})
		t.holds(size - n*each)
	}
	if c.config.Caps.Duplicates {
		manyOfOneKey(c)
	}
}

// manyOfOneKey inserts one key hundreds of times, and erases it by several operations at once.
func manyOfOneKey(c *climb) {
	t := c.table(c.large)
	many := stream.Uniform(1, 0).Take(c.small)
	t.do("insert", c.keys().At(many))
	t.do("insert", c.keys().Slice(1, 100))
	t.do("find_all", c.keys().Take(1), want{"found", c.small})
	if c.has("erase") {
		t.do("erase", c.keys().At(many.Take(10)), want{"ok", 10})
		t.holds(c.small + 90)
	}
	if c.has("erase_all") {
		t.do("erase_all", c.keys().At(many.Take(64)))
		t.holds(100)
	}
	t.do("find", c.keys().Take(101))
}

// retrieved checks that retrieve gives every pair of each key, as often as it is asked for, next to keys that are not
// there, that are reserved, or that other operations are about.
func retrieved(c *climb) {
	t, n := c.filled(c.large)
	size := t.Size()
	t.do("retrieve", c.keys().Take(2*n).Shuffle(1), want{"ok", size}, want{"found", size})
	t.do("retrieve", c.keys().At(c.which(16)), want{"found", c.large})
	t.do("retrieve", engine.List{c.pair.EmptyKey()}, want{"found", 0})
	ops := engine.List(lists.Make(int(2*n), func(i int) uint64 { return opCode([]string{"find", "retrieve"}[i%3/2]) }))
	t.run(engine.Batch{Op: engine.Mix, Keys: c.keys().Take(2 * n).Shuffle(2), Values: c.values("none", 2*n), Ops: ops})
	if c.config.Caps.Duplicates {
		few := c.table(c.large)
		few.do("insert", c.keys().At(stream.Uniform(10, 0).Take(few.half())))
		few.do("retrieve", c.keys().Take(20), want{"ok", 10}, want{"found", few.Size()})
	}
	t.holds(size)
}

// twice inserts a key twice where keys must be unique: it is refused, or verification notices.
func twice(c *climb) {
	t := c.table(c.large, func(s *engine.Spec) { s.Verify = false })
	n := t.half() / 2
	there := t.do("insert", c.keys().Take(n)).Counts.Get("ok")
	left := t.do("insert", c.keys().Take(n/2).Shuffle(1)).Counts.Get("pairs")
	t.contents() // compares the counters with what is in the table
	if found := t.do("find", c.keys().Take(n).Shuffle(2)).Counts.Get("ok"); found+left < there {
		c.fail("of %d keys %d are there, and %d were handed back", there, found, left)
	}
	t.do("find", c.keys().Slice(n, n), want{"missing", n})

	t = c.table(c.small)
	s, err := t.Run(t.load(engine.Batch{Op: "insert", Keys: engine.List{7, 8, 7}, Values: engine.List{1, 2, 3}}))
	var noticed *engine.VerifyError
	switch {
	case err == nil && s.Counts.Get("failed") == 1:
		t.holds(2)
	case err == nil:
		c.fail("a key was inserted twice, and %d of 3 inserts failed", s.Counts.Get("failed"))
	case !errors.As(err, &noticed) || !strings.Contains(err.Error(), "does not allow"):
		c.fail("a key was inserted twice, and verification said: %v", err)
	}
}

func (t *trial) keeps(what string, do func()) {
	before := t.contents()
	do()
	if after := t.contents(); after.Digest != before.Digest || t.Size() != before.N {
		t.c.fail("%s: %d pairs instead of %d, digest %s instead of %s", what, after.N, before.N, after.Digest, before.Digest)
	}
}

func flush(c *climb) {
	t := c.table(c.large / 2)
	t.flush()
	t.renew(3)
	t.flush()
}

func (t *trial) resized(slots uint64) (refused error) {
	what := fmt.Sprintf("resized to %d", slots)
	t.keeps(what, func() { _, refused = t.Run(t.load(engine.Batch{Op: "resize", Capacity: slots})) })
	if t.Size() > t.Capacity() {
		t.c.fail("%s: %d pairs in %d slots (%v)", what, t.Size(), t.Capacity(), refused)
	}
	return refused
}

// resize checks resizes to more slots, to fewer, and to too few, which may be refused.
func resize(c *climb) {
	t, n := c.filled(max(c.large/4, 1<<12)) // parts of smaller tables differ by chance
	small := t.Capacity()
	c.must(t.resized(3 * small))
	if t.Capacity() < 3*small*95/100 { // in whole buckets
		c.fail("resized to %d slots, and has %d", 3*small, t.Capacity())
	}
	more := uint64(0.8*t.MaxLoad()*float64(t.Capacity())) - n
	if failed := t.do("insert", c.keys().Slice(n, more)).Counts.Get("failed"); failed > more/50 {
		c.fail("%d of %d inserts found no room in a table that was resized", failed, more)
	}
	t.balanced()
	t.do("find", c.keys().Take(2*(n+more)).Shuffle(1))
	large := t.Capacity()
	_ = t.resized(1) // refused, or the least that holds everything
	t.do("find", c.keys().Take(n+more))
	if c.has("erase") {
		t.do("erase", c.keys().Slice(n, more))
		c.must(t.resized(small))
		if t.Capacity() >= large {
			c.fail("resized to %d slots, and has %d", small, t.Capacity())
		}
		t.do("find", c.keys().Take(2*n))
	}
	c.must(t.Clear())
	t.holds(0)
	t.do("insert", c.keys().Take(n))
	t.do("find", c.keys().Take(2*n))
}

// balanced checks gauges whose bars are to be filled to the same share, such as parts of a table of different sizes.
func (t *trial) balanced() {
	readings, err := t.Gauges()
	t.c.must(err)
	for _, r := range readings {
		even := slices.ContainsFunc(t.c.config.Gauges, func(g schemes.Gauge) bool { return g.Even && g.Name == r.Name })
		if even && !alike(r.Bars) {
			shares := lists.Map(r.Bars, filled)
			t.c.fail("gauge %s: filled shares of %.3f should differ by a tenth and chance at most", r.Name, shares)
		}
	}
}

func filled(b schemes.Bar) float64 { return b.Value / b.Of }

// alike reports whether no two bars are filled to shares that differ by more than a tenth and five standard deviations.
// Hashes choose the bar of a pair, so the variance of a bar's value is at most its expectation.
func alike(bars []schemes.Bar) bool {
	least := slices.MinFunc(bars, func(a, b schemes.Bar) int { return cmp.Compare(filled(a), filled(b)) })
	return !slices.ContainsFunc(bars, func(b schemes.Bar) bool {
		chance := math.Sqrt(least.Value/(least.Of*least.Of) + b.Value/(b.Of*b.Of))
		return filled(b) > 1.1*filled(least)+5*chance
	})
}

// looked reads the gauges of a table that is empty, half full, and with erased pairs.
func looked(c *climb) {
	t := c.table(c.large)
	n := t.half()
	t.gauged()
	t.do("insert", c.keys().Take(n))
	t.gauged()
	t.do("find", c.keys().Take(2*n))
	t.maybe("erase", c.keys().Take(n/2))
	t.gauged()
	t.do("insert", c.keys().Slice(n, n/4))
	t.do("find", c.keys().Take(2*n))
	t.gauged()
}

func (t *trial) gauged() {
	t.keeps("a look at the gauges", func() {
		first, err := t.Gauges()
		t.c.must(err)
		second, err := t.Gauges()
		t.c.must(err)
		for i, g := range first {
			if !reflect.DeepEqual(g, second[i]) {
				t.c.fail("gauge %s shows %v, and %v when it is read again", g.Name, g.Bars, second[i].Bars)
			}
		}
	})
}

// scarce is a device that, while armed, runs out of memory after some allocations. Those of a few bytes, which the
// engine needs for itself, always succeed.
type scarce struct {
	device.Device
	*supply
}

// supply is the memory that the parts of a scarce device share.
type supply struct {
	mutex   sync.Mutex
	armed   bool
	left    int
	refused int
}

// Parts are those of the device, which run out of memory together.
func (s scarce) Parts() []device.Device {
	return lists.Map(device.PartsOf(s.Device), func(p device.Device) device.Device { return scarce{p, s.supply} })
}

func (s scarce) Unwrap() device.Device { return s.Device }

const aFewBytes = 512

func (s scarce) take(bytes int64, alloc func(int64) (device.Addr, error)) (device.Addr, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.armed && bytes > aFewBytes {
		if s.left--; s.left < 0 {
			s.refused++
			return 0, fmt.Errorf("device %s: %d bytes asked for, and no memory is left", s.Info().Name, bytes)
		}
	}
	return alloc(bytes)
}

func (s scarce) Alloc(bytes int64) (device.Addr, error)     { return s.take(bytes, s.Device.Alloc) }
func (s scarce) AllocHost(bytes int64) (device.Addr, error) { return s.take(bytes, s.Device.AllocHost) }

// noMemory lets the device run out of memory at each allocation of each operation that allocates. The operation
// returns an error and changes nothing, counts what failed, or leaves a note; later the table works again.
func noMemory(c *climb) {
	for _, op := range kernels.Ops {
		if c.config.Host[op] == nil {
			continue
		}
		for pieces := 0; c.outOfMemory(op, pieces) && pieces < 20; pieces++ {
		}
	}
}

// outOfMemory carries out one operation with memory for some allocations, and reports whether it lacked any.
func (c *climb) outOfMemory(op string, pieces int) bool {
	dev := scarce{c.dev, &supply{left: pieces}}
	t := c.tableOn(dev, c.small)
	n := t.half()
	t.do("insert", c.keys().Take(n))
	in := t.load(t.demanding(op, n))

	dev.armed = true
	s, err := t.Run(in)
	dev.armed = false
	var lied *engine.VerifyError
	if errors.As(err, &lied) {
		c.fail("%s with memory for %d pieces: %w", op, pieces, err)
	}
	if dev.refused > 0 && err == nil && s.Counts.Get("failed") == 0 && len(s.Notes) == 0 {
		c.fail("%s found no memory after %d pieces, and does not say so", op, pieces)
	}
	c.usable(t, n, fmt.Sprintf("after %s with memory for %d pieces (%v)", op, pieces, err))
	return dev.refused > 0
}

// demanding is a batch after which the table would like to have more memory, or less.
func (t *trial) demanding(op string, n uint64) engine.Batch {
	is := kernels.Op(op)
	if is.Kind == kernels.OnTable {
		b := engine.Batch{Op: op}
		if is.Value {
			b.Capacity = 4 * t.Capacity()
		}
		return b
	}
	keys := lists.Either(is.Adds || op == engine.Mix, t.c.keys().Slice(n, 2*t.Capacity()), t.c.keys().Take(n))
	b := t.batch(op, keys)
	if op == engine.Mix {
		shared := t.Config().Caps.Concurrent
		b.Ops = engine.List(lists.Make(int(keys.Len()), func(i int) uint64 { return opCode(shared[i%len(shared)]) }))
	}
	return b
}

// usable checks that the table holds what the oracle says, finds it, and takes more pairs.
func (c *climb) usable(t *trial, n uint64, when string) {
	defer c.adding(when)
	t.contents()
	t.do("find", c.keys().Take(n+2*t.Capacity()))
	t.maybe("erase", c.keys().Take(n))
	t.contents()
	t.do("insert", c.keys().Slice(1<<20, n/2))
	t.do("find", c.keys().Slice(1<<20, n/2))
	t.contents()
}
