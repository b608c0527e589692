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
		g := &gambler{trial: t, random: random, range_: 1 + random.Uint64N(2*t.Capacity()), there: map[uint64]bool{}}
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
	there  map[uint64]bool // keys in the table, so that none is inserted twice
}

func (g *gambler) batch() {
	ops := g.c.keyed()
	op := ops[g.random.IntN(len(ops))]
	keys := make(engine.List, g.random.IntN(200))
	for i := range keys {
		keys[i] = g.random.Uint64N(g.range_)
	}
	if op == "insert" {
		keys = g.fresh(keys)
	}
	if op == "upsert" {
		g.fresh(keys) // they are there afterwards
	}
	s := g.any(op, keys)
	if op == "upsert" {
		g.fresh(keys)
	}
	switch {
	case op == "erase":
		for _, key := range keys {
			delete(g.there, key)
		}
	case op == "upsert" && s.Counts.Get("pairs") == 0:
		for _, key := range keys {
			g.there[key] = true
		}
	case s.Counts.Get("pairs") > 0: // some pairs left the table, these or others
		clear(g.there)
		for _, key := range g.contents().Keys {
			g.there[key] = true
		}
	}
}

// fresh are those of the keys that are not in the table, once each.
func (g *gambler) fresh(keys engine.List) engine.List {
	list := engine.List{}
	for _, key := range keys {
		if !g.there[key] {
			list = append(list, key)
			g.there[key] = true
		}
	}
	return list
}
