package engine

import (
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// inStages splits the batches of a test into stages of at least n operations of each part.
func inStages(t *testing.T, n uint64) {
	before := leastStage
	leastStage = n
	t.Cleanup(func() { leastStage = before })
}

// Every key has one owner, and gets there in the order of the batch: turn by turn, and in each part by part.
func TestPartition(t *testing.T) {
	const n = 300_001
	for name, turns := range map[string]int{"cpu*2": 1, "cpu*3": 8, "cpu*32": 4} {
		dev := openGroup(t, name)
		parts := len(device.PartsOf(dev))
		inStages(t, n/uint64(parts*turns))
		for _, pair := range []schemes.Pair{schemes.Pair4, schemes.Pair8} {
			table := must.Get(New(dev, Spec{Config: firstWith(t, "find"), Shape: schemes.Shape{Pair: pair, N: n, Load: 0.5}, Results: true}))(t)
			in := must.Get(Load(dev, pair, Batch{Op: "insert", Keys: first(n), Values: first(n)}))(t)
			if _, err := table.Run(in); err != nil {
				t.Fatal(err)
			}
			checkOwned(t, in, turns)
			if err := in.Release(); err != nil {
				t.Error(err)
			}
			if err := table.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// checkOwned checks the owners of a batch with the keys 0, 1, 2 and so on, whose values are their keys.
func checkOwned(t *testing.T, in *Input, turns int) {
	t.Helper()
	seen, mean := make([]bool, in.N), int(in.N)/len(in.shares)
	for q, o := range in.routes.to {
		c := must.Get(o.Columns())(t)
		keys := numbers(c.Keys, in.pair.Key)
		if values := numbers(c.Values, in.pair.Value); !slices.Equal(values, keys) {
			t.Errorf("owner %d has other values than keys", q)
		}
		if len(keys) < mean*9/10 || len(keys) > mean*11/10 {
			t.Errorf("owner %d of %d has %d keys of %d", q, len(in.shares), len(keys), in.N)
		}
		for _, key := range keys {
			if seen[key] {
				t.Fatalf("key %d has several owners", key)
			}
			seen[key] = true
		}
		for _, s := range in.routes.from {
			if len(s.stages) != turns {
				t.Errorf("%d turns instead of %d", len(s.stages), turns)
			}
			for _, turn := range s.stages {
				run := keys[turn.offsets[q]:][:turn.size(q)]
				from := s.first + turn.first
				if !slices.IsSorted(run) || len(run) > 0 && (run[0] < from || run[len(run)-1] >= from+turn.n) {
					t.Errorf("owner %d: keys of a turn from %d on are not in their order", q, from)
				}
			}
		}
	}
	if slices.Contains(seen, false) {
		t.Error("a key has no owner")
	}
}

func numbers(column []byte, width int) (list []uint64) {
	for i := range len(column) / width {
		list = append(list, Number(column, width, i))
	}
	return list
}
