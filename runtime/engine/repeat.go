package engine

import (
	"slices"
	"time"

	"golang.org/x/perf/benchmath"
)

// Policy says how often to repeat a measurement: until the noise or the effort reaches a bound.
type Policy struct {
	Warmup    int           // runs that are discarded
	Least     int           // runs that are always made
	LeastTime time.Duration // of all measured runs together: see Enough
	Most      int           // runs at the most, once that is over
	Noise     float64       // the bound, relative to the median: 0.02
	MaxTime   time.Duration // of all measured runs together
}

// MostForTime is how many times as many runs as Most there are for the sake of LeastTime.
const MostForTime = 10

// Enough reports whether no further runs are needed for their number or their time. If Least is Most, that is the number.
func (p Policy) Enough(runs uint64, spent time.Duration) bool {
	short := spent < p.LeastTime && p.Least < p.Most && runs < uint64(MostForTime*p.Most)
	return runs >= uint64(p.Least) && !short
}

// Series are the results of repeating.
type Series struct {
	Runs    []float64 // seconds each, in the order in which they were made
	Median  float64
	Noise   float64 // half the width of the median's 95 percent interval, relative to it
	Settled bool    // the noise came below the bound
}

// Summarize turns the seconds of runs into a series.
func (p Policy) Summarize(runs []float64) Series {
	sample := benchmath.NewSample(slices.Clone(runs), &benchmath.DefaultThresholds)
	summary := benchmath.AssumeNothing.Summary(sample, 0.95)
	noise := (summary.Hi - summary.Lo) / 2 / summary.Center
	return Series{Runs: runs, Median: summary.Center, Noise: noise, Settled: len(runs) >= p.Least && noise <= p.Noise}
}
