// Package bench is the standard measurement, the table that every paper has: build
// tables to a load factor, then look keys up of which all, half and none are
// there. Schemes take turns run by run, so that a drift of the machine hits all
// alike, and every scheme is given the same input.
package bench

import (
	"fmt"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// Plan is what to measure.
type Plan struct {
	Schemes []schemes.Config
	Loads   []float64 // load factors
	Present []float64 // fractions of the keys looked up that are there
	N       uint64    // pairs inserted, keys looked up
	Pair    schemes.Pair
	Host    bool // the tables lie in the host's memory
	Seed    uint64
	Repeat  engine.Policy
	Timeout time.Duration // of a batch
	Erase   bool          // also erase all pairs
	Mix     bool          // also find keys while others are inserted
	Counted bool          // probes and the like too, in a run of their own
	Verify  bool          // check one run of everything against the oracle
}

// Check says what can be known to be wrong before anything runs.
func (p Plan) Check() error {
	if largest := p.Pair.ErasedKey() / 2; p.N > largest {
		return fmt.Errorf("n is %d: there are keys of %d bytes for up to %d, half of them to look up in vain", p.N, p.Pair.Key, largest)
	}
	for _, c := range p.Schemes {
		for _, op := range []string{"insert", "find"} {
			if err := engine.Supports(c, op); err != nil {
				return err
			}
		}
		if err := p.Possible(c); err != nil {
			return err
		}
		for _, load := range p.Loads {
			if _, err := c.Size(c, p.shape(load)); err != nil {
				return fmt.Errorf("scheme %s: %w", c.Name, err)
			}
		}
	}
	return nil
}

// Possible checks what the scheme declares of its pairs and its memory. Its errors are a
// *schemes.Lack.
func (p Plan) Possible(c schemes.Config) error {
	if err := c.CompiledFor(p.Pair); err != nil {
		return err
	}
	if p.Host && !c.Caps.HostMemory {
		return &schemes.Lack{
			What: "no tables in host memory",
			Text: fmt.Sprintf("scheme %s: its tables lie in device memory only, and placement is host", c.Name),
		}
	}
	return nil
}

func (p Plan) shape(load float64) schemes.Shape {
	return schemes.Shape{Pair: p.Pair, Host: p.Host, N: p.N, Load: load}
}

// step is one operation of the measurement. Its input serves all schemes and load
// factors.
type step struct {
	label   string
	present *float64 // of a find
	keys    stream.Stream
	batch   engine.Batch
	fresh   bool  // every run starts with an empty table,
	fill    *step // or with what this puts into one
	can     func(*schemes.Scheme) bool
	input   *engine.Input
}

func (p Plan) steps() []*step {
	all := stream.Keys(p.Pair.Key, stream.Derive(p.Seed, "keys"))
	inside, outside := all.Take(p.N), all.Slice(p.N, p.N)
	values := stream.Random(stream.Derive(p.Seed, "values")).Take(p.N)
	insert := &step{label: "insert", keys: inside, fresh: true, can: has("insert"),
		batch: engine.Batch{Op: "insert", Keys: inside, Values: values}}
	list := []*step{insert}
	asked := inside.Shuffle(stream.Derive(p.Seed, "order"))
	for _, present := range p.Present {
		keys := stream.Choose(present, stream.Derive(p.Seed, "present"), asked, outside)
		list = append(list, &step{label: label(present), present: &present, keys: keys, can: has("find"),
			batch: engine.Batch{Op: "find", Keys: keys}})
	}
	if p.Erase {
		list = append(list, &step{label: "erase", keys: asked, fresh: true, fill: insert, can: has("erase"),
			batch: engine.Batch{Op: "erase", Keys: asked}})
	}
	if p.Mix {
		list = append(list, p.mix(inside, outside, values))
	}
	return list
}

// mix is a batch that inserts the last twentieth of the pairs, more or less, while it
// looks others up, four to one: what a table that takes both at once is for.
func (p Plan) mix(inside, outside, values stream.Stream) *step {
	fresh := max(p.N/20, 1)
	old, n := p.N-fresh, min(5*fresh, p.N-fresh)
	there := inside.Take(old)
	fill := &step{label: "what mix starts with", keys: there, fresh: true,
		batch: engine.Batch{Op: "insert", Keys: there, Values: values.Take(old)}}
	seed, weights := stream.Derive(p.Seed, "mix"), []float64{4, 1}
	code := func(op string) stream.Stream { return stream.Const(uint64(slices.Index(kernels.Ops, op))) }
	asked := there.Shuffle(stream.Derive(p.Seed, "mix order")).Take(n)
	ops := stream.Mix(seed, weights, []stream.Stream{code("find"), code("insert")}).Take(n)
	keys := stream.Mix(seed, weights, []stream.Stream{asked, outside.Take(n)}).Take(n)
	return &step{label: engine.Mix, keys: keys, fresh: true, fill: fill, can: sharing("find", "insert"),
		batch: engine.Batch{Op: engine.Mix, Keys: keys, Values: values.Take(n), Ops: ops, Mixed: []string{"insert", "find"}}}
}

func has(op string) func(*schemes.Scheme) bool {
	return func(s *schemes.Scheme) bool { return s.Caps.Has(op) }
}

// sharing says whether a scheme carries all of the operations out in one launch.
func sharing(ops ...string) func(*schemes.Scheme) bool {
	return func(s *schemes.Scheme) bool {
		return !slices.ContainsFunc(ops, func(op string) bool { return !slices.Contains(s.Caps.Concurrent, op) })
	}
}

func label(present float64) string { return fmt.Sprintf("find %g %%", 100*present) }
