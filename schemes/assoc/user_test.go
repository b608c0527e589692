package scheme_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

const perBucket = 16

// scored is a table with policy=user, and what its slots hold: it is full, and has one thread, which exports them in order.
type scored struct {
	*engine.Table
	dev          device.Device
	t            *testing.T
	keys, values []uint64
}

func newScored(t *testing.T, pair schemes.Pair, capacity uint64) *scored {
	dev := must.Get(devices.Open("cpu", device.Options{Threads: 1}))(t)
	t.Cleanup(func() { must.OK(t, dev.Close()) })
	config := must.Get(must.Get(schemes.Find("assoc"))(t).Configure("policy=user"))(t)
	made := must.Get(engine.New(dev, engine.Spec{Config: config, Shape: schemes.Shape{Pair: pair, Capacity: capacity}, Seed: 1, Verify: true}))(t)
	t.Cleanup(func() { must.OK(t, made.Close()) })
	c := &scored{Table: made, dev: dev, t: t}
	for key := uint64(1 << 20); made.Size() < made.Capacity(); key++ {
		c.put([]uint64{key}, []uint64{key % 200})
	}
	return c
}

func (c *scored) put(keys, values []uint64) engine.Sample {
	in := must.Get(engine.Load(c.dev, c.Pair(), engine.Batch{Op: "put", Keys: engine.List(keys), Values: engine.List(values)}))(c.t)
	s := must.Get(c.Run(in))(c.t)
	must.OK(c.t, in.Release())
	holds := must.Get(c.Contents())(c.t)
	c.keys, c.values = holds.Keys, holds.Values
	return s
}

// least is the least score in the buckets of a key.
func (c *scored) least(key uint64) uint64 {
	least := uint64(256)
	for i, v := range c.values {
		if c.of(key, i) {
			least = min(least, v%256)
		}
	}
	return least
}

func (c *scored) of(key uint64, slot int) bool {
	bucket, block := uint64(slot/perBucket), c.Block()
	return engine.PlaceOf(block, 0, key, c.Pair().Key) == bucket || engine.PlaceOf(block, 1, key, c.Pair().Key) == bucket
}

// A put takes the place of a pair with the least score, unless its own is below that: then nothing changes.
func TestUserScores(t *testing.T) {
	for _, pair := range []schemes.Pair{schemes.Pair4, schemes.Pair8, {Key: 8, Value: 64}} {
		t.Run(pair.String(), func(t *testing.T) {
			c, r, seen := newScored(t, pair, 256), rand.New(rand.NewPCG(1, 2)), map[string]int{}
			for range 1500 {
				seen[c.one(r.Uint64N(512), r.Uint64N(1<<16))]++
			}
			must.Hold(t, len(seen) == 3 && seen["failed"] > 100, "the outcomes are %v", seen)
		})
	}
}

// one puts a pair, and compares slot by slot.
func (c *scored) one(key, value uint64) (outcome string) {
	keys, values, least := slices.Clone(c.keys), slices.Clone(c.values), c.least(key)
	counts := c.put([]uint64{key}, []uint64{value}).Counts
	switch there := slices.Index(keys, key); {
	case there >= 0:
		outcome, values[there] = "replaced", value
	case value%256 < least:
		outcome = "failed"
	default:
		outcome = "evicted"
		at := slices.Index(c.keys, key)
		must.Hold(c.t, at >= 0 && c.of(key, at) && values[at]%256 == least, "key %d is in slot %d, and pairs of score %d are to leave", key, at, least)
		keys[at], values[at] = key, value
	}
	must.Hold(c.t, counts.Get(outcome) == 1, "put of %d with score %d, the least is %d: not %s", key, value%256, least, outcome)
	must.Hold(c.t, slices.Equal(c.keys, keys) && slices.Equal(c.values, values), "after a put of %d that %s, other slots have changed", key, outcome)
	return outcome
}

// In a batch of new keys, the least score of two buckets only rises: what was refused is below that in the end.
func TestUserScoresOfABatch(t *testing.T) {
	c, r := newScored(t, schemes.Pair4, 1024), rand.New(rand.NewPCG(1, 2))
	for round := range uint64(40) {
		keys, values := make([]uint64, 200), make([]uint64, 200)
		for i := range keys {
			keys[i], values[i] = round*200+uint64(i), r.Uint64N(256)
		}
		refused := c.put(keys, values).Counts.Get("failed")
		below := uint64(0)
		for i, key := range keys {
			if values[i] < c.least(key) {
				below++
			}
		}
		must.Hold(t, refused <= below, "%d were refused, and %d are below the least score", refused, below)
	}
}
