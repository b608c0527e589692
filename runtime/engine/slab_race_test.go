package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// Operations of slab hash that meet on few keys, in one launch, on two threads and many walks of each. All of a launch
// are concurrent, so of those on one key any order is allowed, and there is one that explains all results if
//
//   - what came in and what went out, one by one, gives what is there afterwards;
//   - whoever found the key, could: it was there before, or came in;
//   - whoever missed it, could: it was not there before, or went out;
//   - who found a value, found one that somebody wrote, or that was there before;
//   - the value that is there afterwards was written, or was there before and never left.
//
// The oracle, which knows of duplicates, checks its own rules besides.

// raced is what a launch did to one key.
type raced struct {
	added, removed int
	found, missed  bool
	written, seen  []uint64
}

func TestSlabOperationsOnFewKeysRace(t *testing.T) {
	seeds := 60
	if testing.Short() {
		seeds = 8
	}
	dev := openCPU(t, 2)
	for seed := range uint64(seeds) {
		random := rand.New(rand.NewPCG(seed, 1))
		text := []string{"slab", "slab:alloc=super,super_blocks=2"}[seed%2]
		r := &race{t: t, seed: seed, keys: 1 + random.Uint64N(40), there: map[uint64]uint64{}}
		r.Table = table(t, dev, Spec{
			Config: config(t, text), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1 + random.Uint64N(4000)}, Seed: seed, Verify: true,
		})
		for batch := range 3 {
			r.launch(random)
			if batch == 1 {
				run(t, r.Table, Batch{Op: "flush"})
			}
		}
	}
}

// race is a table with keys that are there at most once, since nothing inserts them but upserts.
type race struct {
	*Table
	t     *testing.T
	seed  uint64
	keys  uint64
	there map[uint64]uint64
}

func (r *race) launch(random *rand.Rand) {
	n := 1 << 14
	keys, ops := make(List, n), make(List, n)
	kinds := []string{"upsert", "upsert", "find", "update", "erase", "erase_all"}
	for i := range n {
		keys[i] = random.Uint64N(r.keys)
		ops[i] = opCode(kinds[random.IntN(len(kinds))])
	}
	in := load(r.t, r.dev, schemes.Pair4, Batch{Op: Mix, Keys: keys, Values: from(random.Uint64N(1<<30), n), Ops: ops, Mixed: kinds})
	s, err := r.Run(in)
	if err != nil {
		r.t.Fatalf("seed %d: %v", r.seed, err)
	}
	if len(s.Phases) > 0 {
		r.t.Fatalf("ran in the phases %v", s.Phases)
	}
	r.check(r.read(in, keys, ops))
}

// read gathers by key what the operations of a launch gave.
func (r *race) read(in *Input, keys, ops List) map[uint64]*raced {
	by := map[uint64]*raced{}
	from := reader{dev: r.dev}
	here := in.shares[0]
	status, out, values := from.numbers(here.status, in.N, 1), from.numbers(here.out, in.N, 4), from.numbers(here.values, in.N, 4)
	if from.err != nil {
		r.t.Fatal(from.err)
	}
	for i, key := range keys {
		if by[key] == nil {
			by[key] = &raced{}
		}
		by[key].note(kernels.Ops[ops[i]], kernels.Outcomes[status[i]], values[i], out[i])
	}
	return by
}

func (k *raced) note(op, outcome string, value, out uint64) {
	switch outcome {
	case "failed":
		return
	case "missing":
		k.missed = true
		return
	case "replaced":
		k.found = true
	}
	switch op {
	case "upsert":
		k.written = append(k.written, value)
		if outcome == "ok" {
			k.added++
		}
	case "update":
		k.found, k.written = true, append(k.written, value)
	case "find":
		k.found, k.seen = true, append(k.seen, out)
	case "erase":
		k.found, k.removed = true, k.removed+1
	case "erase_all":
		k.found, k.removed = true, k.removed+int(out)
	}
}

// check looks for a key whose results no order explains.
func (r *race) check(by map[uint64]*raced) {
	after := map[uint64]uint64{}
	c := contents(r.t, r.Table)
	for i, key := range c.Keys {
		if _, twice := after[key]; twice {
			r.t.Fatalf("seed %d: key %d is there twice, and only upserts put it in", r.seed, key)
		}
		after[key] = c.Values[i]
	}
	for key, k := range by {
		old, before := r.there[key]
		value, now := after[key]
		if why := k.wrong(before, now, old, value); why != "" {
			r.t.Fatalf("seed %d, key %d, there before: %v, after: %v: %s: %d came in, %d went out",
				r.seed, key, before, now, why, k.added, k.removed)
		}
	}
	r.there = after
}

func (k *raced) wrong(before, now bool, old, value uint64) string {
	count := map[bool]int{true: 1}
	written := func(v uint64) bool { return before && v == old || slices.Contains(k.written, v) }
	switch {
	case count[before]+k.added-k.removed != count[now]:
		return "lost, resurrected or doubled"
	case k.found && !before && k.added == 0:
		return "found, and never there"
	case k.missed && before && k.removed == 0:
		return "missed, and always there"
	case slices.ContainsFunc(k.seen, func(v uint64) bool { return !written(v) }):
		return "a value was found that nobody wrote"
	case now && !slices.Contains(k.written, value) && (value != old || k.removed > 0):
		return "its value was not written, or was replaced"
	}
	return ""
}

// Many workers bring in the same new keys at once, and each of them takes a node. The pool has one for each key, so
// nodes that were not needed must come back before the last keys are in.
func TestNodesThatLoseARaceAreUsedAgain(t *testing.T) {
	const groups, rows = 1000, 20_000
	keys := make(List, rows)
	for i := range keys {
		keys[i] = uint64(i*7919) % groups
	}
	dev := openCPU(t, 64)
	for seed := range uint64(100) {
		table := table(t, dev, Spec{
			Config: config(t, "chained"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: groups}, Seed: seed, Verify: true,
		})
		s := run(t, table, Batch{Op: "tally", Keys: keys})
		if failed := s.Counts.Get("failed"); failed != 0 || table.Size() != groups {
			t.Fatalf("seed %d: %d of %d adds failed, and the table has %d of %d groups", seed, failed, rows, table.Size(), groups)
		}
		must.Get(table.Contents())(t)
	}
}
