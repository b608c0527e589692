package check

import (
	"fmt"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// How many tables are filled, and their capacity.
const (
	fillPairs = 1 << 16
	fillSeeds = 100
)

// nearlyAll is how many must fill to the highest load factor that a scheme declares.
const nearlyAll = 95

// Filled says how many tables filled to a load factor.
type Filled struct {
	Load  float64 `json:"load"`
	Full  int     `json:"full"`
	Of    int     `json:"of"`
	Least int     `json:"least"`
}

// fillSteps are a step for every declared load factor; a quick check leaves out those of every variant.
func (p Plan) fillSteps(t Target) []step {
	var steps []step
	for _, f := range t.Scheme.Fills {
		for _, c := range p.familiesOf(t, f.Settings) {
			steps = append(steps, p.fill(c, f.Load, f.Least))
		}
	}
	if p.Quick {
		return steps
	}
	for _, variant := range t.Scheme.Variants() {
		for _, c := range t.among(varied(variant, schemes.HashCount)...) {
			steps = append(steps, p.fill(c, c.MaxLoad(c), nearlyAll))
		}
	}
	return steps
}

func (p Plan) fill(c schemes.Config, load float64, least int) step {
	filled := &Filled{Load: load, Of: fillSeeds, Least: least}
	f := Finding{Part: "fills", Scheme: c.Name, Config: c.String(), What: fmt.Sprintf("fills to %g", load), Fill: filled}
	return p.one(fmt.Sprintf("filling %d tables of %s to %g", fillSeeds, c, load), f, nil, func() error {
		for i := range fillSeeds {
			failed, err := fill(p.Device, c, load, stream.Derive(p.Seed, fmt.Sprintf("table %d", i)))
			if err != nil {
				return fmt.Errorf("seed %d of %d: %w", i+1, fillSeeds, err)
			}
			if failed == 0 {
				filled.Full++
			}
		}
		if filled.Full < least {
			return fmt.Errorf("%d of %d tables filled to %g, instead of %d or more", filled.Full, fillSeeds, load, least)
		}
		return nil
	})
}

// fill builds one table, checks its counts, and returns how many pairs found no room.
func fill(dev device.Device, config schemes.Config, load float64, seed uint64) (failed uint64, err error) {
	pair := config.Caps.Pairs[0]
	var n, left uint64
	inside, err := run.Once{Shape: schemes.Shape{Pair: pair, Capacity: fillPairs}, Do: func(t run.Table) error {
		n = uint64(load * float64(t.Capacity()))
		keys := stream.Keys(pair.Key, seed).Take(n)
		s, err := t.Do(engine.Batch{Op: "insert", Keys: keys, Values: keys})
		failed, left = s.Counts.Get("failed"), s.Counts.Get("pairs")
		return err
	}}.Measure(dev, config, seed, false)
	if err == nil && (left != failed || inside.N+failed != n) {
		err = fmt.Errorf("%d pairs inserted, %d in the table, %d failed, %d handed back", n, inside.N, failed, left)
	}
	return failed, err
}
