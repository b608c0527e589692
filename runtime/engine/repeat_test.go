package engine

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

func TestSeries(t *testing.T) {
	p := Policy{Least: 9, Noise: 0.5}
	runs := []float64{0.030, 0.010, 0.020, 0.040, 0.050, 0.060, 0.070, 0.080, 0.090}
	series := p.Summarize(runs)
	must.Hold(t, math.Abs(series.Median-0.050) <= 1e-12, "median %v, want 0.050", series.Median)
	must.Hold(t, runs[0] == 0.030 && runs[1] == 0.010, "runs %v are not in the order in which they were made", runs)
	must.Hold(t, series.Noise > 0.2 && series.Noise <= 1, "noise %v of runs that are spread from 10 to 90 ms", series.Noise)
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

// Keys that a batch of inserts has twice are noted on schemes with unique keys: all of a small batch, about as many of
// a large one.
func TestRepeatedKeysAreNoticed(t *testing.T) {
	dev := openCPU(t, 2)
	for _, c := range []struct {
		scheme    string
		n, unique uint64
		want      string
	}{
		{"bcht", 1000, 1000, ""},
		{"bcht", 1000, 999, "1 of 1000 keys were in the batch before"},
		{"linear", 1000, 400, "600 of 1000 keys were in the batch before"},
		{"slab", 1000, 400, ""},
		{"bcht", 300_000, 300_000, ""},
		{"bcht", 300_000, 290_000, "about (from 1 in 4 keys) "},
	} {
		on := table(t, dev, Spec{Config: config(t, c.scheme), Shape: schemes.Shape{Pair: schemes.Pair4, N: 2 * c.n, Load: 0.5}})
		keys := make(List, c.n)
		for i := range keys {
			keys[i] = uint64(i) % c.unique * 7919
		}
		notes := strings.Join(run(t, on, insert(keys)).Notes, "; ")
		if (c.want == "") != (notes == "") || !strings.HasPrefix(notes, c.want) {
			t.Errorf("%s: %d keys, %d different: %q, want %q", c.scheme, c.n, c.unique, notes, c.want)
		}
		var seen uint64
		if n, _ := fmt.Sscanf(notes, "about (from 1 in 4 keys) %d", &seen); n == 1 && (seen < 9000 || seen > 11000) {
			t.Errorf("%s: %d repeated keys noticed, want about 10000", c.scheme, seen)
		}
	}
}
