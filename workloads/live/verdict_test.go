package live

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Batches are compared in pairs: a machine that slows down both is no difference.
func TestVerdicts(t *testing.T) {
	for name, test := range map[string]struct {
		factor, noise float64
		batches       int
		want          analysis.Kind
	}{
		"faster":         {1.2, 0.02, 50, analysis.Faster},
		"slower":         {0.7, 0.05, 50, analysis.Slower},
		"the same":       {1.0, 0.01, 50, analysis.Same},
		"hardly faster":  {1.01, 0.001, 50, analysis.Same},
		"much noise":     {1.05, 0.8, 20, analysis.Unclear},
		"too few to say": {1.5, 0.01, 4, analysis.Unclear},
	} {
		f := newFake("a", "b")
		f.begin(t)
		random := rand.New(rand.NewPCG(1, 2))
		for k := range test.batches {
			machine := float64(10*ms) * (1 + random.Float64())
			own := 1 + test.noise*(random.Float64()-0.5)
			f.hear(t, batch(0, "find", 1000, time.Duration(machine), k), batch(1, "find", 1000, time.Duration(machine*own/test.factor), k))
		}
		s := f.Snapshot(View{Columns: 10})
		got := s.Schemes[1].Verdict
		if got.Kind != test.want || got.Pairs != test.batches || s.Schemes[0].Verdict.None != Baseline {
			t.Errorf("%s: %+v", name, got)
		}
		if test.want == analysis.Faster && (got.Ratio < 1.19 || got.Ratio > 1.21 || got.Noise <= 0 || got.Noise > 0.01) {
			t.Errorf("%s: %+v", name, got)
		}
		if back := f.Snapshot(View{Columns: 10, Baseline: 1}).Schemes[0].Verdict; back.Kind == got.Kind && (got.Kind == analysis.Faster || got.Kind == analysis.Slower) {
			t.Errorf("%s: the other way round %+v", name, back)
		}
	}
}

// Only batches of the operation, of this phase and with the same input count.
func TestVerdictsCompareLikeWithLike(t *testing.T) {
	f := newFake("a", "b")
	f.begin(t)
	for k := range 400 {
		slow := []time.Duration{10 * ms, 20 * ms}
		if k%2 == 0 {
			f.hear(t, batch(0, "insert", 1000, 10*ms, k), batch(1, "insert", 1000, 5*ms, k))
		} else {
			f.hear(t, batch(0, "find", 1000, slow[0], k), batch(1, "find", 1000, slow[1], k))
		}
	}
	of := func(op string) Verdict { return f.Snapshot(View{Op: op}).Schemes[1].Verdict }
	if v := of("insert"); v.Kind != analysis.Faster || v.Ratio != 2 || v.Pairs != comparedBatches/2 {
		t.Errorf("insert: %+v", v)
	}
	if v := of("find"); v.Kind != analysis.Slower || v.Ratio != 0.5 {
		t.Errorf("find: %+v", v)
	}
	if v := of("erase"); v.Kind != analysis.Unclear || v.Pairs != 0 {
		t.Errorf("erase: %+v", v)
	}
	f.hear(t, run.PhaseBegan{Of: 1, Name: "next"})
	if v := of("find"); v.Kind != analysis.Unclear || v.Pairs != 0 {
		t.Errorf("in another phase: %+v", v)
	}
	f.hear(t, batch(0, "find", 10, ms, 1), batch(1, "find", 10, ms, 2))
	if v := of("find"); v.None != OtherInput {
		t.Errorf("different inputs: %+v", v)
	}
}

// Runs with different inputs are not compared.
func TestVerdictsOfDifferentInputs(t *testing.T) {
	f := newFake("a", "b")
	f.begin(t)
	f.hear(t, run.Differed{Phase: "run", Why: "they asked for other things"})
	for k := range 20 {
		f.hear(t, batch(0, "find", 1000, ms, k), batch(1, "find", 1000, 2*ms, k))
	}
	s := f.Snapshot(View{})
	if s.Schemes[1].Verdict.None != OtherInput || s.Incomparable != "they asked for other things" {
		t.Errorf("%+v, %q", s.Schemes[1].Verdict, s.Incomparable)
	}
}
