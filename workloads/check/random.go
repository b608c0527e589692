package check

import (
	"math/rand/v2"

	"github.com/hashzoo/hashzoo/runtime/engine"
)

// randomBatches runs sequences of random batches on small tables, some of them overfull, and
// looks at the contents now and then.
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

// gamble carries out a random operation on keys from a small range, so that most of them
// come again and again.
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
	keys := make(engine.List, random.IntN(200))
	for i := range keys {
		keys[i] = random.Uint64N(below)
	}
	if op == "insert" && t.c.can(uniqueKeys) {
		keys = t.fresh(keys)
	}
	t.do(op, keys)
}

// fresh are those of the keys that are not in the table, once each.
func (t *trial) fresh(keys engine.List) engine.List {
	there := map[uint64]bool{}
	for _, key := range t.contents().Keys {
		there[key] = true
	}
	list := engine.List{}
	for _, key := range keys {
		if !there[key] {
			list = append(list, key)
			there[key] = true
		}
	}
	return list
}
