package check

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
)

// crowd is how many keys race side by side: as many operations as a worker of a CPU takes at once.
const crowd = 32

// racer is a device on which neighboring operations meet: workers of a CPU take small pieces.
func (c *climb) racer() device.Device {
	if !isCPU(c.dev) {
		return c.dev
	}
	return c.cpu(device.Options{Threads: max(2, c.dev.Info().Threads), Piece: crowd})
}

// act is an operation on one of the keys of a race.
type act struct {
	key int
	op  string
}

// arrange puts the acts of a key side by side, for one worker, or a piece apart, for two.
func arrange(random *rand.Rand, acts [][]act) []act {
	var order []act
	for group := range slices.Chunk(acts, crowd) {
		if random.IntN(2) == 0 {
			order = append(order, slices.Concat(group...)...)
			continue
		}
		for round, more := 0, true; more; round++ {
			more = false
			for _, i := range random.Perm(len(group)) {
				if round < len(group[i]) {
					order, more = append(order, group[i][round]), true
				}
			}
		}
	}
	return order
}

func (c *climb) distinct(random *rand.Rand, n int) engine.List {
	list := make(engine.List, 0, n)
	for len(list) < n {
		if key := random.Uint64N(c.pair.ErasedKey()); !slices.Contains(list, key) {
			list = append(list, key)
		}
	}
	return list
}

func batchOf(op string, keys engine.List, acts []act, first uint64) engine.Batch {
	b := engine.Batch{Op: op}
	var at, values, ops engine.List
	for i, a := range acts {
		at, values, ops = append(at, keys[a.key]), append(values, first+uint64(i)), append(ops, opCode(a.op))
		if op == engine.Mix && !slices.Contains(b.Mixed, a.op) {
			b.Mixed = append(b.Mixed, a.op)
		}
	}
	b.Keys = at
	if kernels.Op(op).Value {
		b.Values = values
	}
	if op == engine.Mix {
		b.Ops = ops
	}
	return b
}

func opCode(op string) uint64 { return uint64(kernels.OpNumber(op)) }

// aloneInMix checks that an operation does the same in a shared launch and in its own.
func aloneInMix(c *climb) {
	for _, op := range c.config.Caps.Concurrent {
		alone, n := c.filled(c.large / 4)
		mixed, _ := c.filled(c.large / 4)
		keys := c.keys().Slice(n/2, n)
		if kernels.Op(op).Blind() {
			keys = c.keys().Slice(n, n)
		}
		b := engine.Batch{Op: op, Keys: keys, Values: c.values("alone", n)}
		first := alone.run(b)
		b.Op, b.Ops, b.Mixed = engine.Mix, slices.Repeat(engine.List{opCode(op)}, int(n)), []string{op}
		second := mixed.run(b)
		if x, y := alone.contents().Digest, mixed.contents().Digest; x != y || !slices.Equal(first.Counts, second.Counts) {
			c.fail("%s counts %v and leaves %s, and in a shared launch %v and %s", op, first.Counts.Named(), x, second.Counts.Named(), y)
		}
	}
}

// races lets operations that add a key race with one that removes it. No key may be duplicated, resurrected or lost.
func races(c *climb) { c.meet("race", c.race) }

// meet repeats what depends on how tiles meet, with different seeds.
func (c *climb) meet(what string, do func(dev device.Device, seed uint64)) {
	dev := c.racer()
	for seed := range c.seeds {
		func() {
			defer c.adding(fmt.Sprintf("%s %d", what, seed))
			do(dev, seed)
		}()
	}
}

func (c *climb) race(dev device.Device, seed uint64) {
	random := rand.New(rand.NewPCG(c.seed, seed))
	keys := c.distinct(random, int(c.small))
	t := c.tableOn(dev, 8*c.small, func(s *engine.Spec) { s.Seed += seed })
	half := len(keys) / 2
	t.do(c.adds(), keys[:half])

	acts := make([][]act, len(keys))
	for i := range acts {
		for _, op := range c.rivals(random, i < half) {
			acts[i] = append(acts[i], act{i, op})
		}
	}
	order := arrange(random, acts)
	s := t.run(batchOf(engine.Mix, keys, order, 1<<20))
	if len(s.Phases) > 0 {
		c.fail("ran in the phases %v, and the scheme says that %v may share one", s.Phases, c.config.Caps.Concurrent)
	}
	t.contents()
	t.do("find", keys)
	if c.has("erase") {
		for range 4 { // as often as a key may be there
			t.do("erase", keys)
			t.contents()
			t.do("find", keys)
		}
		t.holds(0)
		t.do("find", keys, want{"missing", uint64(len(keys))})
	}
}

func (c *climb) adds() string {
	if c.has("insert") {
		return "insert"
	}
	return "upsert"
}

// rivals are the operations on one key: two that add it if the scheme allows that, one that removes it, and others.
func (c *climb) rivals(random *rand.Rand, there bool) []string {
	var list []string
	one := func(is func(kernels.Operation) bool) bool {
		ops := c.sharing(is)
		if len(ops) > 0 {
			list = append(list, ops[random.IntN(len(ops))])
		}
		return len(ops) > 0
	}
	adds := func(op kernels.Operation) bool { return op.Adds }
	looks := func(op kernels.Operation) bool { return op.Adds && !op.Blind() }
	removes := func(op kernels.Operation) bool { return op.Removes != kernels.RemovesNone }
	switch {
	case !c.can(uniqueKeys):
		one(adds)
		one(adds)
	case one(looks):
		one(looks)
	case !there: // nothing else may add it: a blind operation does not look for its key
		one(adds)
	}
	one(removes)
	one(func(op kernels.Operation) bool { return !adds(op) && !removes(op) })
	one(func(op kernels.Operation) bool { return op.Answer == kernels.OneValue })
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
