package check

import (
	"math/rand/v2"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
)

// secondDevices are where a rung is repeated: the same device, or the CPU with one
// and with two threads.
func (c *climb) secondDevices() []device.Device {
	if !isCPU(c.dev) {
		return []device.Device{c.dev}
	}
	var list []device.Device
	for _, threads := range []int{1, 2} {
		dev, err := devices.Open("cpu", device.Options{Threads: threads})
		c.must(err)
		c.held = append(c.held, dev.Close)
		list = append(list, dev)
	}
	return list
}

// randomBatches runs sequences of random batches on small tables, some of them
// overfull, and looks at the contents now and then.
func randomBatches(c *climb) {
	random := rand.New(rand.NewPCG(c.seed, 1))
	for range 10 {
		t := c.table(1 + random.Uint64N(c.small/2))
		g := &gambler{trial: t, random: random, range_: 1 + random.Uint64N(2*t.Capacity())}
		for range 20 {
			g.batch()
		}
		t.contents()
	}
}

// gambler makes random batches of keys from a small range, so that most are asked
// for again and again.
type gambler struct {
	*trial
	random *rand.Rand
	range_ uint64
}

func (g *gambler) batch() {
	ops := g.c.keyed()
	if g.c.has("flush") {
		ops = append(ops, "flush")
	}
	op := ops[g.random.IntN(len(ops))]
	if op == "flush" {
		g.run(engine.Batch{Op: op})
		return
	}
	keys := make(engine.List, g.random.IntN(200))
	for i := range keys {
		keys[i] = g.random.Uint64N(g.range_)
	}
	if op == "insert" && g.c.can(uniqueKeys) {
		keys = g.fresh(keys)
	}
	g.any(op, keys)
}

// fresh are those of the keys that are not in the table, once each.
func (g *gambler) fresh(keys engine.List) engine.List {
	there := map[uint64]bool{}
	for _, key := range g.contents().Keys {
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
