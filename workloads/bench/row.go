package bench

import (
	"math"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// row is what is reported of a contender's series.
func (m *measurement) row(index int, s *step, c *contender) results.Row {
	series, seen := c.repeat.Series(), c.seen[index]
	r := results.Row{
		Scheme: c.Config.String(), Parameters: c.Settings(), Pair: m.Pair.String(), Op: s.batch.Op,
		Point: results.Point{"load_factor": c.load},
		N:     m.N, Completed: c.done, Rate: float64(c.done) / series.Median / 1e6,
		Runs: series.Runs, Median: series.Median, Noise: finite(series.Noise), Settled: series.Settled,
		Counts: counts(c.last), Phases: c.last.Phases, Notes: c.last.Notes,
		Capacity: c.table.Capacity(), Size: c.last.Size, Load: c.last.Load, TableBytes: c.table.Bytes(),
		BytesPerPair: finite(float64(c.table.Bytes()) / float64(c.last.Size)),
		Keys:         s.keys.String(), Input: c.last.Input,
	}
	if s.present != nil {
		r.Point["present"] = *s.present
	}
	if c.seen[0].Counts.Get("failed") == 0 {
		r.Result = seen.Result
	}
	if m.Counted {
		r.PerOp = perOp(seen)
	}
	return r
}

// finite is a number, or nothing if it is none: JSON has no infinity.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// counts has all outcomes, and of the rest what was counted.
func counts(s engine.Sample) map[string]uint64 {
	counted := map[string]uint64{}
	for i, name := range kernels.Counters {
		if s.Counts[i] > 0 || slices.Contains(kernels.Outcomes, name) {
			counted[name] = s.Counts[i]
		}
	}
	return counted
}

// perOp has what instrumented kernels counted beyond the outcomes.
func perOp(s engine.Sample) map[string]float64 {
	counted := map[string]float64{}
	for i, name := range kernels.Counters {
		if s.Counts[i] > 0 && !slices.Contains(kernels.Outcomes, name) {
			counted[name] = s.PerOp(name)
		}
	}
	return counted
}
