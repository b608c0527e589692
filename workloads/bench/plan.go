// Package bench is the standard measurement, the table that every paper has: build
// tables to a load factor, then look keys up of which all, half and none are
// there. Schemes take turns run by run, so that a drift of the machine hits all
// alike, and every scheme is given the same input.
package bench

import (
	"fmt"
	"time"

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
	Seed    uint64
	Repeat  engine.Policy
	Timeout time.Duration // of a batch
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
			if err := engine.Supports(c.Scheme, op); err != nil {
				return err
			}
		}
		for _, load := range p.Loads {
			if _, err := c.Size(c, p.shape(load)); err != nil {
				return fmt.Errorf("scheme %s: %w", c.Name, err)
			}
		}
	}
	return nil
}

func (p Plan) shape(load float64) schemes.Shape {
	return schemes.Shape{Pair: p.Pair, N: p.N, Load: load}
}

// step is one operation of the measurement. Its input serves all schemes and load
// factors.
type step struct {
	label   string
	present *float64 // of a find
	keys    stream.Stream
	batch   engine.Batch
	input   *engine.Input
}

func (p Plan) steps() []*step {
	all := stream.Keys(p.Pair.Key, stream.Derive(p.Seed, "keys"))
	inside, outside := all.Take(p.N), all.Slice(p.N, p.N)
	values := stream.Random(stream.Derive(p.Seed, "values")).Take(p.N)
	list := []*step{{label: "insert", keys: inside, batch: engine.Batch{Op: "insert", Keys: inside, Values: values}}}
	asked := inside.Shuffle(stream.Derive(p.Seed, "order"))
	for _, present := range p.Present {
		keys := stream.Choose(present, stream.Derive(p.Seed, "present"), asked, outside)
		list = append(list, &step{label: label(present), present: &present, keys: keys, batch: engine.Batch{Op: "find", Keys: keys}})
	}
	return list
}

func label(present float64) string { return fmt.Sprintf("find %g %%", 100*present) }
