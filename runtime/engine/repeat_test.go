package engine

import (
	"math"
	"testing"
	"time"
)

// play feeds durations, in milliseconds, until no more are asked for, and says
// how many were taken.
func play(p Policy, ms ...int) (Series, int) {
	r := NewRepetition(p)
	taken := 0
	for ; taken < len(ms) && !r.Done(); taken++ {
		r.Add(time.Duration(ms[taken]) * time.Millisecond)
	}
	return r.Series(), taken
}

func alternating(n, a, b int) []int {
	var list []int
	for range n / 2 {
		list = append(list, a, b)
	}
	return list
}

func TestRepetition(t *testing.T) {
	steady, noisy := alternating(100, 100, 100), alternating(100, 100, 200)
	long := Policy{Least: 5, Most: 50, Noise: 0.02, MaxTime: time.Hour}
	for _, c := range []struct {
		name    string
		policy  Policy
		ms      []int
		taken   int
		settled bool
	}{
		{"steady: the least number is enough", long, steady, 6, true},
		{"noisy: the limit is reached, and it says so", long, noisy, 50, false},
		{"the time is up first", Policy{Least: 5, Most: 50, Noise: 0.02, MaxTime: time.Second}, noisy, 7, false},
		{"not below the least number, even if the time is up", Policy{Least: 5, Most: 50, Noise: 0.02, MaxTime: 1}, noisy, 5, false},
		{"the warm-up does not count", Policy{Warmup: 3, Least: 5, Most: 50, Noise: 0.02, MaxTime: time.Hour},
			append([]int{9000, 1, 5000}, steady...), 9, true},
		{"noise that a wide bound allows", Policy{Least: 5, Most: 50, Noise: 0.6, MaxTime: time.Hour}, noisy, 6, true},
	} {
		series, taken := play(c.policy, c.ms...)
		if taken != c.taken || series.Settled != c.settled {
			t.Errorf("%s: %d runs, settled %v (noise %.3f), want %d and %v",
				c.name, taken, series.Settled, series.Noise, c.taken, c.settled)
		}
		if len(series.Runs) != taken-c.policy.Warmup {
			t.Errorf("%s: %d runs kept of %d", c.name, len(series.Runs), taken)
		}
	}
}

func TestSeries(t *testing.T) {
	p := Policy{Warmup: 1, Least: 9, Most: 9, Noise: 0.5, MaxTime: time.Hour}
	series, _ := play(p, 5000, 30, 10, 20, 40, 50, 60, 70, 80, 90)
	if math.Abs(series.Median-0.050) > 1e-12 {
		t.Errorf("median %v, want 0.050", series.Median)
	}
	if series.Runs[0] != 0.030 || series.Runs[1] != 0.010 {
		t.Errorf("runs %v are not in the order in which they were made", series.Runs)
	}
	if series.Noise <= 0.2 || series.Noise > 1 {
		t.Errorf("noise %v of runs that are spread from 10 to 90 ms", series.Noise)
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
