package engine

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// Random batches on random tables of every scheme, checked against the oracle. A
// failure is shrunk to few batches of few keys, and printed with the seed.
func TestRandomBatches(t *testing.T) {
	devs := map[int]device.Device{1: openCPU(t, 1), 2: openCPU(t, 2)}
	for _, s := range schemes.All() {
		t.Run(s.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				r := drawTable(t, devs[rapid.IntRange(1, 2).Draw(t, "threads")], s)
				defer r.Close()
				t.Repeat(map[string]func(*rapid.T){
					"insert":   func(t *rapid.T) { r.keyed(t, "insert", r.fresh(t)) },
					"find":     func(t *rapid.T) { r.keyed(t, "find", r.keys(t)) },
					"update":   func(t *rapid.T) { r.keyed(t, "update", r.keys(t)) },
					"erase":    func(t *rapid.T) { r.keyed(t, "erase", r.keys(t)) },
					"mix":      r.mix,
					"clear":    r.clear,
					"contents": r.look,
				})
				r.look(t)
			})
		})
	}
}

// randomTable is a table, and the keys that are in it.
type randomTable struct {
	*Table
	range_ uint64
	there  map[uint64]bool
}

func drawTable(t *rapid.T, dev device.Device, s *schemes.Scheme) *randomTable {
	spec := Spec{
		Config:  drawConfig(t, s),
		Shape:   schemes.Shape{Pair: rapid.SampledFrom(s.Caps.Pairs).Draw(t, "pair"), Capacity: rapid.Uint64Range(1, 150).Draw(t, "capacity")},
		Seed:    rapid.Uint64().Draw(t, "seed"),
		Counted: rapid.Bool().Draw(t, "counted"),
		Verify:  true,
	}
	made, err := New(dev, spec)
	if err != nil {
		t.Fatal(err)
	}
	return &randomTable{made, rapid.Uint64Range(1, 300).Draw(t, "range"), map[uint64]bool{}}
}

// drawConfig gives every parameter a random value.
func drawConfig(t *rapid.T, s *schemes.Scheme) schemes.Config {
	var variants []string
	for _, v := range s.Variants() {
		variants = append(variants, v.String())
	}
	c, err := schemes.Parse(rapid.SampledFrom(variants).Draw(t, "variant"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range s.Params {
		var text string
		switch {
		case p.Role == schemes.Variant:
			continue
		case p.Words != nil:
			text = rapid.SampledFrom(p.Words).Draw(t, p.Name)
		case p.Values != nil:
			text = p.Text(rapid.SampledFrom(p.Values).Draw(t, p.Name))
		default: // small values are where things go wrong
			text = strconv.FormatInt(rapid.Int64Range(p.Min, min(p.Max, p.Min+20)).Draw(t, p.Name), 10)
		}
		changed, err := c.With(p.Name, text)
		if err != nil {
			t.Fatal(err)
		}
		c = changed
	}
	return c
}

// keys are any keys: there or not, several times, reserved.
func (r *randomTable) keys(t *rapid.T) List {
	pair := r.spec.Shape.Pair
	return rapid.SliceOfN(rapid.OneOf(
		rapid.Uint64Range(0, r.range_),
		rapid.SampledFrom([]uint64{pair.EmptyKey(), pair.ErasedKey(), pair.ErasedKey() - 1}),
	), 0, 80).Draw(t, "keys")
}

// fresh are keys that may be inserted: not in the table, and once each. Reserved
// ones are rejected however often they come.
func (r *randomTable) fresh(t *rapid.T) List {
	seen := map[uint64]bool{}
	return slices.DeleteFunc(r.keys(t), func(key uint64) bool {
		known := r.there[key] || seen[key]
		seen[key] = true
		return known
	})
}

func (r *randomTable) values(t *rapid.T, n int) List {
	return rapid.SliceOfN(rapid.Uint64Range(0, r.spec.Shape.Pair.NoValue()), n, n).Draw(t, "values")
}

func (r *randomTable) keyed(t *rapid.T, op string, keys List) {
	if !r.spec.Config.Caps.Has(op) {
		t.Skip("not offered")
	}
	b := Batch{Op: op, Keys: keys}
	if takesValues[op] {
		b.Values = r.values(t, len(keys))
	}
	r.carryOut(t, b)
}

// mix has an operation of its own for every key. One that is inserted must not be
// in the table, and not be inserted twice.
func (r *randomTable) mix(t *rapid.T) {
	keys := r.keys(t)
	ops, seen := make(List, len(keys)), map[uint64]bool{}
	for i, key := range keys {
		op := rapid.SampledFrom(r.mixable(nil)).Draw(t, "op")
		if op == "insert" && (r.there[key] || seen[key]) {
			op = "find"
		}
		seen[key] = seen[key] || op == "insert"
		ops[i] = uint64(slices.Index(kernels.Ops, op))
	}
	r.carryOut(t, Batch{Op: Mix, Keys: keys, Values: r.values(t, len(keys)), Ops: ops})
}

func (r *randomTable) carryOut(t *rapid.T, b Batch) {
	in, err := Load(r.dev, r.spec.Shape.Pair, b)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Release()
	s, err := r.Run(in)
	if err != nil {
		t.Fatal(err)
	}
	if want := uint64(len(b.Keys.(List))); s.N != want {
		t.Fatalf("a batch of %d is %d", want, s.N)
	}
	r.remember()
}

// remember asks the oracle, which has just agreed with the table.
func (r *randomTable) remember() {
	clear(r.there)
	for _, key := range r.oracle.keys() {
		r.there[key] = true
	}
}

func (r *randomTable) clear(t *rapid.T) {
	if err := r.Clear(); err != nil {
		t.Fatal(err)
	}
	r.remember()
}

func (r *randomTable) look(t *rapid.T) {
	c, err := r.Contents()
	if err != nil {
		t.Fatal(err)
	}
	if c.N != uint64(len(r.there)) || c.N != r.Size() {
		t.Fatalf("the table holds %d pairs, says %d, and has %d", c.N, r.Size(), len(r.there))
	}
}
