package engine

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// Operations meet on few keys and few slots, in one launch, on two threads and many walks of each: a slot is freed by an
// erase and taken by another key while others are still on their way to it, and values of many words are read while they
// are written. The oracle finds results that no order explains.
func TestOperationsOnFewKeysRace(t *testing.T) {
	words, four := schemes.Pair{Key: 8, Value: 64}, []schemes.Pair{schemes.Pair4}
	all := append(four, schemes.Pair8, words)
	if !testing.Short() {
		all = append(all, schemes.Pair{Key: 4, Value: 16}) // no other test has these kernels
	}
	for name, r := range map[string]race{
		"slab": {texts: "slab slab:alloc=super,super_blocks=2", pairs: four, seeds: shorter(60, 8), most: 40, room: func(r *rand.Rand, _ uint64) uint64 { return 1 + r.Uint64N(4000) },
			launches: []string{"upsert upsert find update erase erase_all", "flush"}, times: 3},
		"slots": {texts: "stash stash:ticket=2 stash:ticket=8 stash:ticket=1", pairs: all, seeds: shorter(80, 16), least: 7, most: 60,
			room:     func(r *rand.Rand, keys uint64) uint64 { return max(2, keys/2+r.Uint64N(keys)) },
			launches: []string{"find find find find find update erase insert"}, times: 4},
		"updates": {texts: "stash stash:ticket=1", pairs: []schemes.Pair{schemes.Pair4, schemes.Pair8, words}, seeds: 24, most: 20, room: spare,
			launches: []string{"find update insert", "find update"}, times: 2}, // nothing frees a slot: pairs of one word have no access bit
		"upserts and erases": {texts: "stash stash:ticket=2 stash:ticket=8", pairs: []schemes.Pair{schemes.Pair4, words}, seeds: 40, most: 20, room: spare,
			launches: []string{"upsert upsert find update erase erase"}, times: 4},
		"upserts": {texts: "stash", pairs: []schemes.Pair{schemes.Pair4, words}, seeds: 20, least: 7, most: 60, room: func(_ *rand.Rand, keys uint64) uint64 { return keys },
			launches: []string{"upsert", "erase"}, times: 3},
	} {
		t.Run(name, func(t *testing.T) { r.run(t) })
	}
}

// race is a number of tables, and what is launched on each.
type race struct {
	texts       string // of their configurations
	pairs       []schemes.Pair
	seeds       int
	least, most uint64 // more keys than least, and at most as many more as most
	room        func(r *rand.Rand, keys uint64) uint64
	launches    []string // kinds of operations; insert: each key that is absent, once
	times       int      // that all are carried out
}

func spare(r *rand.Rand, keys uint64) uint64 { return keys + 8 + r.Uint64N(40) }

func (r race) run(t *testing.T) {
	dev, texts := openCPU(t, 2), strings.Fields(r.texts)
	for seed := range uint64(r.seeds) {
		random := rand.New(rand.NewPCG(seed, 1))
		keys := 1 + r.least + random.Uint64N(r.most)
		on := table(t, dev, Spec{
			Config: config(t, texts[seed%uint64(len(texts))]), Seed: seed, Verify: true,
			Shape: schemes.Shape{Pair: r.pairs[seed/uint64(len(texts))%uint64(len(r.pairs))], Capacity: r.room(random, keys)},
		})
		for _, kinds := range slices.Repeat(r.launches, r.times) {
			if kinds == "flush" {
				run(t, on, Batch{Op: kinds})
				continue
			}
			raced(t, on, random, keys, strings.Fields(kinds))
		}
	}
}

// raced carries out a launch. The value of a pair that was erased does not come back, which the oracle cannot know where
// a key may have several pairs.
func raced(t *testing.T, on *Table, random *rand.Rand, keys uint64, kinds []string) {
	t.Helper()
	before, gone := map[uint64]uint64{}, map[uint64]bool{}
	for c, i := contents(t, on), 0; i < len(c.Keys); i++ {
		before[c.Keys[i]] = c.Values[i]
	}
	b := racing(random, keys, kinds, before)
	in := load(t, on.dev, on.Pair(), b)
	s, err := on.Run(in)
	must.Need(t, err == nil && len(s.Phases) == 0, "%v, %v: phases %v, %v", on.Config(), kinds, s.Phases, err)
	status := must.Get(outcomesOf(on, in))(t)
	for i, key := range b.Keys.(List) {
		erased := b.Ops == nil && b.Op == "erase" || b.Ops != nil && slices.Contains([]uint64{opCode("erase"), opCode("erase_all")}, b.Ops.(List)[i])
		gone[key] = gone[key] || erased && byte(status[i]) == isOK
	}
	after := contents(t, on)
	for i, key := range after.Keys {
		old, there := before[key]
		must.Need(t, !there || !gone[key] || after.Values[i] != old, "%v, %v: key %d was erased, and has its value %d again", on.Config(), kinds, key, old)
	}
}

func outcomesOf(on *Table, in *Input) ([]uint64, error) {
	r := reader{dev: on.dev}
	list := r.numbers(nil, in.shares[0].status, in.N, 1)
	return list, r.err
}

// racing is a batch of operations of some kinds on few keys.
func racing(random *rand.Rand, keys uint64, kinds []string, there map[uint64]uint64) Batch {
	n := 1 << 13
	list, ops := make(List, n), make(List, n)
	drawn := slices.DeleteFunc(slices.Clone(kinds), func(op string) bool { return op == "insert" })
	for i := range n {
		list[i], ops[i] = random.Uint64N(keys), opCode(drawn[random.IntN(len(drawn))])
	}
	for key := range keys {
		if _, is := there[key]; !is && len(drawn) < len(kinds) {
			at := random.IntN(n)
			list[at], ops[at] = key, opCode("insert")
		}
	}
	values := from(1+random.Uint64N(1<<30), n)
	if len(kinds) > 1 {
		return Batch{Op: Mix, Keys: list, Values: values, Ops: ops, Mixed: kinds}
	}
	if kinds[0] == "erase" {
		return Batch{Op: "erase", Keys: list[:keys/2]}
	}
	return Batch{Op: kinds[0], Keys: list, Values: values}
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
