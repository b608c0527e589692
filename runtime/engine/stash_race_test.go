package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// Operations of stash that meet on few keys and few slots, in one launch: a slot is
// freed by an erase and taken by another key while others are still on their way to it,
// and values of many words are read while they are written. The oracle decides.
func TestStashOperationsOnFewSlotsRace(t *testing.T) {
	seeds := 80
	if testing.Short() {
		seeds = 16
	}
	dev := openCPU(t, 2)
	pairs := []schemes.Pair{schemes.Pair4, schemes.Pair8, {Key: 4, Value: 16}, {Key: 8, Value: 64}}
	for seed := range uint64(seeds) {
		random := rand.New(rand.NewPCG(seed, 2))
		text := []string{"stash", "stash:ticket=2", "stash:ticket=8", "stash:ticket=1"}[seed%4]
		r := &stashRace{t: t, seed: seed, random: random, keys: 8 + random.Uint64N(60)}
		r.Table = table(t, dev, Spec{
			Config: config(t, text),
			Shape:  schemes.Shape{Pair: pairs[seed/4%4], Capacity: max(2, r.keys/2+random.Uint64N(r.keys))},
			Seed:   seed, Verify: true,
		})
		for range 4 {
			r.launch([]string{"find", "find", "update", "erase"}, true)
		}
	}
}

// Updates and finds of few keys meet, also with inserts. Nothing frees a slot, so pairs of
// one word are stored without the access bit.
func TestStashUpdatesOfFewKeysRace(t *testing.T) {
	dev := openCPU(t, 2)
	for seed := range uint64(24) {
		random := rand.New(rand.NewPCG(seed, 5))
		r := &stashRace{t: t, seed: seed, random: random, keys: 1 + random.Uint64N(20)}
		pair := []schemes.Pair{schemes.Pair4, schemes.Pair8, {Key: 8, Value: 64}}[seed%3]
		r.Table = table(t, dev, Spec{
			Config: config(t, []string{"stash", "stash:ticket=1"}[seed%2]),
			Shape:  schemes.Shape{Pair: pair, Capacity: r.keys + random.Uint64N(40)}, Seed: seed, Verify: true,
		})
		for launch := range 4 {
			r.launch([]string{"find", "update"}, launch == 0)
		}
	}
}

// Upserts and erases of few keys meet in one launch: no key is there twice, none is lost.
func TestStashUpsertsAndErasesRace(t *testing.T) {
	dev := openCPU(t, 2)
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 4))
		r := &stashRace{t: t, seed: seed, random: random, keys: 1 + random.Uint64N(20)}
		r.Table = table(t, dev, Spec{
			Config: config(t, []string{"stash", "stash:ticket=2", "stash:ticket=8"}[seed%3]),
			Shape:  schemes.Shape{Pair: []schemes.Pair{schemes.Pair4, {Key: 8, Value: 64}}[seed%2], Capacity: r.keys + 8 + random.Uint64N(40)},
			Seed:   seed, Verify: true,
		})
		for range 4 {
			r.launch([]string{"upsert", "upsert", "find", "update", "erase", "erase"}, false)
		}
	}
}

type stashRace struct {
	*Table
	t      *testing.T
	seed   uint64
	random *rand.Rand
	keys   uint64
}

// launch carries out many operations of some kinds; if asked to, it inserts each key that is not there once among them.
func (r *stashRace) launch(kinds []string, insert bool) {
	n := 1 << 13
	keys, ops := make(List, n), make(List, n)
	for i := range n {
		keys[i] = r.random.Uint64N(r.keys)
		ops[i] = opCode(kinds[r.random.IntN(len(kinds))])
		if insert && r.random.IntN(4) > 0 && ops[i] == opCode("erase") { // mostly pairs that stay a while
			ops[i] = opCode("find")
		}
	}
	there := contents(r.t, r.Table)
	in := map[uint64]bool{}
	for _, key := range there.Keys {
		in[key] = true
	}
	for key := range r.keys {
		if insert && !in[key] {
			at := r.random.IntN(n)
			keys[at], ops[at] = key, opCode("insert")
		}
	}
	if insert {
		kinds = append(slices.Clone(kinds), "insert")
	}
	input := load(r.t, r.dev, r.spec.Shape.Pair, Batch{
		Op: Mix, Keys: keys, Values: from(r.random.Uint64N(1<<30), n), Ops: ops, Mixed: kinds,
	})
	s, err := r.Run(input)
	if err != nil {
		r.t.Fatalf("seed %d: %v", r.seed, err)
	}
	if len(s.Phases) > 0 {
		r.t.Fatalf("ran in the phases %v", s.Phases)
	}
	contents(r.t, r.Table)
}

// Upserts of few keys meet: each key comes in once, whatever was erased before.
func TestStashUpsertsOfFewKeysRace(t *testing.T) {
	dev := openCPU(t, 2)
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 3))
		keys := 8 + random.Uint64N(60)
		stash := table(t, dev, Spec{
			Config: config(t, "stash"),
			Shape:  schemes.Shape{Pair: []schemes.Pair{schemes.Pair4, {Key: 8, Value: 64}}[seed%2], Capacity: keys}, Seed: seed, Verify: true,
		})
		for round := range 6 {
			list := make(List, 1<<12)
			for i := range list {
				list[i] = random.Uint64N(keys)
			}
			b := Batch{Op: "upsert", Keys: list, Values: from(random.Uint64N(1<<30), len(list))}
			if round%2 == 1 {
				b = Batch{Op: "erase", Keys: list[:keys/2]}
			}
			_, err := stash.Run(load(t, dev, stash.spec.Shape.Pair, b))
			must.Need(t, err == nil, "seed %d: %v", seed, err)
			contents(t, stash)
		}
	}
}
