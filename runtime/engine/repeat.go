package engine

import (
	"slices"
	"time"

	"golang.org/x/perf/benchmath"
)

// Policy says how often to repeat a measurement: until the noise is below a
// bound, and what bounds the effort if it does not get there.
type Policy struct {
	Warmup  int           // runs that are discarded
	Least   int           // runs that are always made
	Most    int           // runs at the most
	Noise   float64       // the bound, relative to the median: 0.02
	MaxTime time.Duration // of all measured runs together
}

// Series is what repeating gave.
type Series struct {
	Runs    []float64 // seconds each, in the order in which they were made
	Median  float64
	Noise   float64 // half the width of the median's 95 percent interval, relative to it
	Settled bool    // the noise came below the bound
}

// Repetition decides, run by run, whether another one is needed. It is a value of
// its own, rather than a loop, so that several series can be interleaved.
type Repetition struct {
	policy Policy
	made   int
	spent  time.Duration
	series Series
}

// NewRepetition starts a series.
func NewRepetition(p Policy) *Repetition { return &Repetition{policy: p} }

// Add records a run; those of the warm-up are dropped.
func (r *Repetition) Add(took time.Duration) {
	r.made++
	if r.made <= r.policy.Warmup {
		return
	}
	r.spent += took
	r.series = r.policy.Summarize(append(r.series.Runs, took.Seconds()))
}

// Summarize says what runs of so many seconds amount to.
func (p Policy) Summarize(runs []float64) Series {
	sample := benchmath.NewSample(slices.Clone(runs), &benchmath.DefaultThresholds)
	summary := benchmath.AssumeNothing.Summary(sample, 0.95)
	noise := (summary.Hi - summary.Lo) / 2 / summary.Center
	return Series{Runs: runs, Median: summary.Center, Noise: noise, Settled: len(runs) >= p.Least && noise <= p.Noise}
}

// Done says whether enough runs were made: the noise is below the bound, or the
// limits are reached.
func (r *Repetition) Done() bool {
	n := len(r.series.Runs)
	if n < r.policy.Least {
		return false
	}
	return r.series.Settled || n >= r.policy.Most || r.spent >= r.policy.MaxTime
}

// Series returns what was measured so far.
func (r *Repetition) Series() Series { return r.series }
