package engine

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
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
				t.Repeat(r.actions())
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

// actions are what may be done with the table.
func (r *randomTable) actions() map[string]func(*rapid.T) {
	all := map[string]func(*rapid.T){"clear": r.clear, "contents": r.look, "mix": r.mix}
	caps := r.spec.Config.Caps
	for _, op := range Keyed {
		if caps.Has(op) {
			all[op] = func(t *rapid.T) { r.keyed(t, op) }
		}
	}
	for _, op := range schemes.TableOps {
		if caps.Has(op) {
			all[op] = func(t *rapid.T) { r.whole(t, op) }
		}
	}
	return all
}

func drawTable(t *rapid.T, dev device.Device, s *schemes.Scheme) *randomTable {
	c := drawConfig(t, s)
	pairs := slices.DeleteFunc(slices.Clone(few(s.Caps.Pairs)), func(p schemes.Pair) bool { return c.CompiledFor(p) != nil })
	pair := rapid.SampledFrom(pairs).Draw(t, "pair")
	counted := rapid.Bool().Draw(t, "counted")
	if testing.Short() && (c.Variant() != s.Defaults().Variant() || pair != pairs[0]) {
		counted = pair == pairs[0] // the other half would be compiled for this test alone
	}
	spec := Spec{
		Config: c,
		Shape: schemes.Shape{
			Pair:     pair,
			Host:     s.Caps.HostMemory && rapid.Bool().Draw(t, "host"),
			Capacity: rapid.Uint64Range(1, 150).Draw(t, "capacity"),
		},
		Seed:    rapid.Uint64().Draw(t, "seed"),
		Counted: counted,
		Verify:  true,
	}
	if _, err := c.Size(c, spec.Shape); err != nil {
		t.Skipf("parameters that contradict each other: %v", err)
	}
	made := must.Get(New(dev, spec))(t)
	return &randomTable{made, rapid.Uint64Range(1, 300).Draw(t, "range"), map[uint64]bool{}}
}

// drawConfig gives every parameter a random value.
func drawConfig(t *rapid.T, s *schemes.Scheme) schemes.Config {
	others := slices.DeleteFunc(lists.Map(s.Variants(), schemes.Config.String), func(v string) bool { return v == s.Name })
	variants := append([]string{s.Name}, others[:shorter(len(others), min(1, len(others)))]...)
	c := must.Get(schemes.Parse(rapid.SampledFrom(variants).Draw(t, "variant")))(t)
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
		changed := must.Get(c.With(p.Name, text))(t)
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

// fresh are those of some keys that may be inserted: not in the table, and once each,
// if the scheme asks for that. Reserved ones are rejected however often they come.
func (r *randomTable) fresh(keys List) List {
	if r.spec.Config.Caps.Duplicates {
		return keys
	}
	seen := map[uint64]bool{}
	return slices.DeleteFunc(keys, func(key uint64) bool {
		known := r.there[key] || seen[key]
		seen[key] = true
		return known
	})
}

func (r *randomTable) values(t *rapid.T, n int) List {
	return rapid.SliceOfN(rapid.Uint64Range(0, r.spec.Shape.Pair.NoValue()), n, n).Draw(t, "values")
}

func (r *randomTable) keyed(t *rapid.T, op string) {
	b := Batch{Op: op, Keys: r.keys(t)}
	if op == "insert" {
		b.Keys = r.fresh(b.Keys.(List))
	}
	if kernels.Op(op).Value {
		b.Values = r.values(t, int(b.Len()))
	}
	r.carryOut(t, b)
}

// whole is an operation on the whole table, which may refuse it, and then is as it was.
func (r *randomTable) whole(t *rapid.T, op string) {
	b := Batch{Op: op}
	if op == "resize" {
		b.Capacity = rapid.Uint64Range(1, 300).Draw(t, "to")
	}
	in := must.Get(Load(r.dev, r.spec.Shape.Pair, b))(t)
	defer in.Release()
	if _, err := r.Run(in); err != nil {
		t.Logf("refused: %v", err)
	}
	r.look(t)
}

// mix has an operation of its own for every key. Where keys must be unique, one that
// is inserted must not be in the table, and nothing else may bring it in.
func (r *randomTable) mix(t *rapid.T) {
	keys := r.keys(t)
	ops, inserted, brought := make(List, len(keys)), map[uint64]bool{}, map[uint64]bool{}
	brings := func(op string) bool { return op != "insert" && kernels.Op(op).Adds } // unless the key is there
	mixable := slices.DeleteFunc(slices.Clone(Keyed), func(op string) bool { return !r.spec.Config.Caps.Has(op) })
	for i, key := range keys {
		op := rapid.SampledFrom(mixable).Draw(t, "op")
		if !r.spec.Config.Caps.Duplicates && key < r.spec.Shape.Pair.ErasedKey() {
			if op == "insert" && (r.there[key] || inserted[key] || brought[key]) || brings(op) && inserted[key] {
				op = "find"
			}
		}
		inserted[key] = inserted[key] || op == "insert"
		brought[key] = brought[key] || brings(op)
		ops[i] = opCode(op)
	}
	r.carryOut(t, Batch{Op: Mix, Keys: keys, Values: r.values(t, len(keys)), Ops: ops})
}

func (r *randomTable) carryOut(t *rapid.T, b Batch) {
	in := must.Get(Load(r.dev, r.spec.Shape.Pair, b))(t)
	defer in.Release()
	s := must.Get(r.Run(in))(t)
	want := b.Len()
	must.Need(t, s.N == want, "a batch of %d is %d", want, s.N)
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
	must.OK(t, r.Clear())
	r.remember()
}

func (r *randomTable) look(t *rapid.T) {
	c := must.Get(r.Contents())(t)
	pairs := 0
	for key := range r.there {
		pairs += r.oracle.of(key).get(key).n
	}
	must.Need(t, c.N == uint64(pairs) && c.N == r.Size(), "the table holds %d pairs, says %d, and has %d", c.N, r.Size(), pairs)
}

// keys lists the keys in the table, in no order.
func (o *oracle) keys() (list []uint64) {
	for _, c := range o.parts {
		list = slices.AppendSeq(slices.AppendSeq(list, maps.Keys(c.pairs)), maps.Keys(c.several))
	}
	return list
}
