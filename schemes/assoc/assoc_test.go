package scheme_test

import (
	"container/list"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	_ "github.com/hashzoo/hashzoo/runtime/zoo"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

const (
	slots    = 1 << 12
	batch    = slots / 32
	requests = 24 * slots
	longLoop = "a loop that is long"
)

// traces are requests. The loops are of keys that fit, as far as two buckets of a key have room, and of twice as many
// as fit.
var traces = map[string]func(r *rand.Rand) func(i int) uint64{
	"zipfian": func(r *rand.Rand) func(int) uint64 {
		z := rand.NewZipf(r, 1.01, 1, 16*slots)
		return func(int) uint64 { return z.Uint64() }
	},
	"zipfian with scans": func(r *rand.Rand) func(int) uint64 {
		z := rand.NewZipf(r, 1.01, 1, 16*slots)
		return func(i int) uint64 {
			if i/slots%4 == 3 {
				return uint64(1<<24 + i) // a quarter of the requests are for keys of their own
			}
			return z.Uint64()
		}
	},
	"a loop that fits": func(*rand.Rand) func(int) uint64 { return func(i int) uint64 { return uint64(i % (slots * 3 / 4)) } },
	longLoop:           func(*rand.Rand) func(int) uint64 { return func(i int) uint64 { return uint64(i % (2 * slots)) } },
}

// Caches keep what exact ones of the same capacity keep: their hit ratios differ by a point at most. In a long loop all keys
// are used equally often, so that of an exact LFU cache is that of its choice among equal ones.
func TestPolicies(t *testing.T) {
	dev := must.Get(devices.Open("cpu", device.Options{Threads: 1}))(t)
	t.Cleanup(func() { must.OK(t, dev.Close()) })
	for name, trace := range traces {
		for policy, exact := range map[string]func() cache{"lru": newLRU, "fifo": newFIFO, "lfu": newLFU} {
			if name == longLoop && policy == "lfu" {
				continue
			}
			t.Run(name+" "+policy, func(t *testing.T) {
				want, have := hitRatio(trace, exact()), hitRatio(trace, newTable(t, dev, policy))
				must.Hold(t, math.Abs(want-have) <= 0.01, "the hit ratio is %.4f, and that of an exact cache %.4f", have, want)
			})
		}
	}
}

// The script cache plays a trace of libCacheSim, and hits as often as an exact LRU cache.
func TestTrace(t *testing.T) {
	next, path := traces["zipfian"](rand.New(rand.NewPCG(3, 4))), filepath.Join(t.TempDir(), "w.oracleGeneral")
	keys, file, hits := make([]uint64, requests), []byte(nil), uint64(0)
	for i := range keys {
		keys[i] = 1 + next(i)
		file = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(file, uint32(i/1000)), keys[i])
		file = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(file, 64), math.MaxUint64)
	}
	must.OK(t, os.WriteFile(path, file, 0o600))
	exact := newLRU()
	for asked := range slices.Chunk(keys, batch) {
		hits += exact.play(asked)
	}
	want, have := 100*float64(hits)/requests, played(t, "trace="+path, "key=id", fmt.Sprint("batch=", batch))
	must.Hold(t, math.Abs(want-have) <= 1, "the script says %.2f %%, and an exact cache %.2f %%", have, want)
}

// played is the hit ratio of the script, in percent.
func played(t *testing.T, set ...string) (hits float64) {
	limits := lua.Limits{Steps: 1e7, Time: time.Minute, Memory: 1 << 26, Vectors: 1 << 26, From: 1, Batches: 1000}
	script := must.Get(session.Script("cache", limits, set...))(t)
	plan := run.Plan{Script: script.Start, Options: must.Get(script.ParseOptions(set))(t), Rules: run.Rules{Timeout: time.Minute},
		Points: []run.Point{{{Name: "slots", Value: float64(slots)}}}, Schemes: []schemes.Config{must.Get(schemes.Parse("assoc"))(t)}}
	dev := must.Get(devices.Open("cpu", device.Options{Threads: 1}))(t)
	t.Cleanup(func() { must.OK(t, dev.Close()) })
	must.OK(t, run.Run(t.Context(), dev, plan, func(e run.Event) error {
		if ended, ok := e.(run.PointEnded); ok {
			hits = ended.Summaries[0].Values["hit %"].(float64)
		}
		return nil
	}))
	return hits
}

// cache looks up a batch, then puts it, and returns how many of its keys were there.
type cache interface {
	play(keys []uint64) (hits uint64)
}

// hitRatio leaves out the requests that fill the cache.
func hitRatio(trace func(*rand.Rand) func(int) uint64, c cache) float64 {
	next, hits := trace(rand.New(rand.NewPCG(1, 2))), uint64(0)
	const warm = requests / 3
	for i := 0; i < requests; i += batch {
		keys := make([]uint64, batch)
		for j := range keys {
			keys[j] = next(i + j)
		}
		if n := c.play(keys); i >= warm {
			hits += n
		}
	}
	return float64(hits) / (requests - warm)
}

type table struct {
	*engine.Table
	dev device.Device
	t   *testing.T
}

func newTable(t *testing.T, dev device.Device, policy string) cache {
	s := must.Get(schemes.Find("assoc"))(t)
	config := must.Get(s.Configure("policy=" + policy))(t)
	made := must.Get(engine.New(dev, engine.Spec{Config: config, Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: slots}, Seed: 1}))(t)
	t.Cleanup(func() { must.OK(t, made.Close()) })
	return table{made, dev, t}
}

func (c table) play(keys []uint64) uint64 {
	hits := uint64(0)
	for _, op := range []string{"get", "put"} {
		b := engine.Batch{Op: op, Keys: engine.List(keys)}
		if op == "put" {
			b.Values = b.Keys
		}
		in := must.Get(engine.Load(c.dev, schemes.Pair4, b))(c.t)
		s := must.Get(c.Run(in))(c.t)
		must.OK(c.t, in.Release())
		if op == "get" {
			hits = s.Counts.Get("ok")
		}
	}
	return hits
}

// exact keeps keys in the order in which they leave.
type exact struct {
	order   *list.List // the first leaves
	at      map[uint64]*list.Element
	renewed bool // by use
}

func newLRU() cache  { return &exact{list.New(), map[uint64]*list.Element{}, true} }
func newFIFO() cache { return &exact{list.New(), map[uint64]*list.Element{}, false} }

func (c *exact) play(keys []uint64) (hits uint64) {
	for _, k := range keys {
		if c.at[k] != nil {
			hits++
		}
	}
	for range 2 { // get and put
		for _, k := range keys {
			if at := c.at[k]; at != nil && c.renewed {
				c.order.MoveToBack(at)
			}
		}
	}
	for _, k := range keys {
		if c.at[k] != nil {
			continue
		}
		if c.at[k] = c.order.PushBack(k); c.order.Len() > slots {
			delete(c.at, c.order.Remove(c.order.Front()).(uint64))
		}
	}
	return hits
}

// frequent keeps keys by how often they were used since they came. Of equal ones the first that came leaves.
type frequent struct {
	used map[uint64]int
	by   map[int]*list.List
	at   map[uint64]*list.Element
}

func newLFU() cache {
	return &frequent{map[uint64]int{}, map[int]*list.List{}, map[uint64]*list.Element{}}
}

func (c *frequent) play(keys []uint64) (hits uint64) {
	for _, k := range keys {
		if c.at[k] != nil {
			hits++
			c.use(k)
		}
	}
	for _, k := range keys {
		if c.at[k] == nil && len(c.at) == slots {
			c.leave()
		}
		c.use(k)
	}
	return hits
}

func (c *frequent) use(k uint64) {
	n := c.used[k]
	if n > 0 {
		c.by[n].Remove(c.at[k])
	}
	if c.by[n+1] == nil {
		c.by[n+1] = list.New()
	}
	c.used[k], c.at[k] = n+1, c.by[n+1].PushBack(k)
}

func (c *frequent) leave() {
	least := 1
	for c.by[least] == nil || c.by[least].Len() == 0 {
		least++
	}
	k := c.by[least].Remove(c.by[least].Front()).(uint64)
	delete(c.used, k)
	delete(c.at, k)
}

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
