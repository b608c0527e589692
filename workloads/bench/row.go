package bench

import (
	"math"

	"github.com/hashzoo/hashzoo/runtime/results"
)

// row is what is reported of a contender's series.
func (m *measurement) row(s *step, c *contender) results.Row {
	series, seen := c.repeat.Series(), c.seen[s]
	r := results.Row{
		Scheme: c.Config.String(), Parameters: c.Settings(), Plugin: c.PluginHash(), Pair: m.Pair.String(), Op: s.batch.Op,
		Point: results.Point{"load_factor": c.load},
		N:     s.input.N, Completed: c.done, Rate: rateOf(c.done, series.Median),
		Runs: series.Runs, Median: series.Median, Noise: finite(series.Noise), Settled: series.Settled,
		Counts: c.last.Counts.Named(), Phases: c.last.Phases, Notes: c.last.Notes,
		Capacity: c.table.Capacity(), Size: c.last.Size, Load: c.last.Load, TableBytes: c.table.Bytes(),
		BytesPerPair: finite(float64(c.table.Bytes()) / float64(c.last.Size)),
		Keys:         s.keys.String(), Input: c.last.Input,
	}
	if s.present != nil {
		r.Point["present"] = *s.present
	}
	if c.seen[m.steps[0]].Counts.Get("failed") == 0 {
		r.Result = seen.Result
	}
	if m.Counted {
		r.PerOp = seen.Counts.PerOp(seen.N)
	}
	return r
}

// rateOf is in millions a second. A clock may be too coarse for a small batch.
func rateOf(done uint64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(done) / seconds / 1e6
}

// finite is a number, or nothing if it is none: JSON has no infinity.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}
