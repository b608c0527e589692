package engine

import (
	"math"
	"testing"
	"time"
)

func TestSeries(t *testing.T) {
	p := Policy{Least: 9, Noise: 0.5}
	runs := []float64{0.030, 0.010, 0.020, 0.040, 0.050, 0.060, 0.070, 0.080, 0.090}
	series := p.Summarize(runs)
	if math.Abs(series.Median-0.050) > 1e-12 {
		t.Errorf("median %v, want 0.050", series.Median)
	}
	if series.Runs[0] != 0.030 || series.Runs[1] != 0.010 {
		t.Errorf("runs %v are not in the order in which they were made", series.Runs)
	}
	if series.Noise <= 0.2 || series.Noise > 1 {
		t.Errorf("noise %v of runs that are spread from 10 to 90 ms", series.Noise)
	}
	if steady := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}; !p.Summarize(steady).Settled || p.Summarize(steady[1:]).Settled || series.Settled != (series.Noise <= 0.5) {
		t.Errorf("settled: %v, %v, %v", p.Summarize(steady).Settled, p.Summarize(steady[1:]).Settled, series.Settled)
	}
}

func TestSampleRates(t *testing.T) {
	s := Sample{N: 100, Service: 10 * time.Microsecond, Counts: told("insert", nil, nil).counts}
	s.Counts.Set("ok", 70)
	s.Counts.Set("failed", 20)
	s.Counts.Set("rejected", 10)
	s.Counts.Set("probes", 150)
	if s.Completed() != 70 || math.Abs(s.Mops()-7) > 1e-9 || s.PerOp("probes") != 1.5 {
		t.Errorf("completed %d, %v M/s, %v probes each, want 70, 7 and 1.5", s.Completed(), s.Mops(), s.PerOp("probes"))
	}
	if s.Service = 0; s.Mops() != 0 {
		t.Errorf("%v M/s in no time", s.Mops())
	}
}
