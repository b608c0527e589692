package run

import (
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

func sample(n, failed uint64, took time.Duration) engine.Sample {
	s := engine.Sample{Op: "insert", N: n, Service: took, Counts: schemes.NewCounts(), Input: "i"}
	s.Counts.Set("ok", n-failed)
	s.Counts.Set("failed", failed)
	return s
}

// The rate is that of the median batch, of completed operations: the noise is of the same median.
func TestRate(t *testing.T) {
	sum := newTally("run", "insert")
	sum.add(sample(1000, 500, time.Millisecond))
	sum.add(sample(3000, 0, time.Millisecond))
	sum.add(sample(1000, 0, time.Millisecond))
	must.Hold(t, sum.all.N == 5000 && sum.all.Completed() == 4500 && sum.mops() == 1 && sum.all.Counts.Get("failed") == 500, "%+v: %v", sum, sum.mops())
	both := total([]*tally{sum, sum})
	must.Hold(t, both.all.N == 10000 && both.mops() == 1 && both.batches == 6 && len(both.runs.kept) == 6, "%+v", both)
	none := newTally("run", "insert")
	none.add(sample(1000, 1000, time.Millisecond))
	must.Match(t, none.mops(), 0, "the rate of inserts that all failed")
}

// Noise is that of the time of an operation: batches may differ in size.
func TestNoise(t *testing.T) {
	sum := newTally("run", "insert")
	for i := range uint64(12) {
		sum.add(sample(1000*(i+1), 0, time.Duration(i+1)*time.Millisecond))
	}
	policy := engine.Policy{Least: 6, Noise: 0.01}
	noise, ok := sum.fields(policy)["noise"].(float64)
	must.Hold(t, ok && noise <= 1e-9, "noise %v of batches that all run at one rate", noise)
	few := newTally("run", "insert")
	few.add(sample(1000, 0, time.Millisecond))
	alone, ok := few.fields(policy)["noise"]
	must.Hold(t, !ok, "noise %v of one batch", alone)
}

func TestSeries(t *testing.T) {
	var s series
	for i := range 3*maxSeries + 1 {
		s.add(float64(i))
	}
	must.Hold(t, len(s.kept) < maxSeries && len(s.kept) >= maxSeries/2, "%d numbers kept", len(s.kept))
	for i, x := range s.kept {
		must.Need(t, x == float64(i*s.stride), "number %d is %v, of every %d", i, x, s.stride)
	}
	for part, want := range map[float64]float64{0: 1, 0.2: 1, 0.21: 2, 0.5: 3, 0.99: 5, 1: 5} {
		must.Match(t, (&series{kept: []float64{5, 3, 1, 2, 4}}).quantile(part), want, part)
	}
}

func TestChain(t *testing.T) {
	of := func(digests ...string) string {
		var c Chain
		for _, d := range digests {
			c.Add(d)
		}
		return c.String()
	}
	must.Hold(t, of() == "" && of("a") == "a" && of("a", "") == "" && of("", "a") == "", "of none, one, and a missing one")
	both := of("a", "b")
	again := of("a", "b")
	must.Hold(t, both == again && both != of("b", "a") && both != of("a", "b", "b") && len(both) == 32, "several")
}

// A listener is told all that a script has done to its table: the batches as it gave
// them, when it was cleared, and, if the plan asks for it, what is in it after a phase.
func TestListenersAreToldEverything(t *testing.T) {
	s := script{shape: small, prepare: inserts(100), stages: []Stage{{Name: "look", Warmup: 1, Batches: 2}},
		event: func(t Table, i uint64, _ string) (bool, error) {
			if i == 3 {
				if err := t.Clear(true); err != nil {
					return false, err
				}
			}
			_, err := find(t, 0, 50)
			return true, err
		}}
	p := plan(t, s, "bcht")
	p.Digests = true
	var order []string
	var contents []engine.Contents
	h := &heard{hear: func(e Event) error {
		switch e := e.(type) {
		case Measured:
			order = append(order, e.Sample.Op)
			c, err := e.Input.Columns()
			must.Hold(t, err == nil && c.N == e.Batch.Len() && engine.Number(c.Keys, c.KeyWidth, 49) != engine.Number(c.Keys, c.KeyWidth, 48), "%+v: %v, %+v", e, err, c)
			must.Hold(t, e.Sample.Result != "" && e.Round == 0 == (e.Phase == Prepare) && (e.At > 0) == (e.Round == 3), "%+v", e)
		case Cleared:
			order = append(order, "clear")
			must.Hold(t, e.Round == 3 && e.Reseed && e.Phase == "look", "%+v", e)
		case PhaseEnded:
			order = append(order, e.Name)
			contents = append(contents, e.Contents[0])
		}
		return nil
	}}
	must.Get(carryOutUntil(t, t.Context(), p, h))(t)
	must.Match(t, order, []string{"insert", Prepare, "find", "find", "clear", "find", "look"})
	must.Hold(t, len(contents) == 2 && contents[0].N == 100 && contents[1].N == 0 && contents[0].Digest != "", "%+v", contents)
}
