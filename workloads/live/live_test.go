package live

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // tests run the schemes that ship
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// A warm-up is shown but not counted; totals are of the phase, series of the run.
func TestTotals(t *testing.T) {
	f := newFake("a", "b")
	f.hear(t, run.PointBegan{Index: 1, Of: 2, Point: run.Point{{Name: "load", Value: 0.5}}, Schemes: []string{"a:x=1", "b"}},
		run.PhaseBegan{Index: 0, Of: 2, Name: run.Prepare}, batch(0, "insert", 500, 5*ms, 0), run.PhaseBegan{Index: 1, Of: 2, Name: "run"})
	warm := batch(0, "find", 1000, ms, 1)
	warm.Warmup = true
	failing := batch(0, "insert", 100, ms, 3)
	failing.Sample.Counts.Set("failed", 40)
	f.hear(t, warm)
	f.pass(2 * time.Second)
	f.hear(t, batch(0, "find", 1000, 2*ms, 2), failing)
	s := f.Snapshot(View{Columns: 8})
	a := s.Schemes[0]
	must.Hold(t, a.Name == "a:x=1" && a.State == Working && a.Load == 0.5 && a.Capacity == 1000 && a.Bytes == 8000, "%+v", a)
	must.Need(t, cmp.Diff(s.Ops, []string{"insert", "find"}) == "" && len(a.Ops) == 2 && len(s.Schemes[1].Ops) == 2, "%v", s.Ops)
	insert, find := a.Ops[0], a.Ops[1]
	must.Hold(t, insert.Batches == 1 && insert.N == 100 && insert.Completed == 60 && insert.Failed == 40 && insert.Mean == 0.06, "insert %+v", insert)
	must.Hold(t, find.Batches == 1 && find.Mean == 0.5 && find.Times.Count == 1 && math.Abs(find.Share-2.0/3) <= 1e-9, "find %+v", find)
	must.Match(t, total(a.All.Series), (Bin{500 + 1000 + 1000 + 60, 9 * ms}), "series of")
	b := s.Schemes[1]
	must.Hold(t, b.All.Batches == 0 && math.IsNaN(b.All.Now) && math.IsNaN(b.All.Mean), "%+v", b)
	must.Hold(t, s.Point.Point.String() == "load=0.5" && s.Point.Index == 1 && s.Phase.Name == "run" && s.Elapsed == 2*time.Second && s.Input != "" && s.State == Running,
		"%+v", s)
	must.Hold(t, len(s.Mix) == 2 && s.Mix[0].Op == "find" && math.Abs(s.Mix[0].Part-2000.0/2100) <= 1e-9, "mix %+v", s.Mix)
}

// The median rate is that of the median batch, whatever its size: a slow batch lowers the mean alone.
func TestMedian(t *testing.T) {
	f := begun(t, "a")
	f.hear(t, batch(0, "find", 1000, ms, 1))
	m := f.Snapshot(View{}).Schemes[0].Ops[0].Median
	must.Hold(t, math.IsNaN(m), "the median of one batch is %v", m)
	f.hear(t, batch(0, "find", 2000, ms, 2), batch(0, "find", 3000, 100*ms, 3))
	o := f.Snapshot(View{}).Schemes[0].Ops[0]
	must.Hold(t, math.Abs(o.Median-1) <= 0.01 && math.Abs(o.Mean-6.0/102) <= 1e-9, "median %v, mean %v", o.Median, o.Mean)
	f.hear(t, run.PhaseBegan{Of: 1, Name: "next"})
	m = f.Snapshot(View{}).Schemes[0].Ops[0].Median
	must.Hold(t, math.IsNaN(m), "the median of no batch is %v", m)
}

// Hits are those of lookups that count, and the present ones those of the last batch of lookups.
func TestHits(t *testing.T) {
	f := begun(t, "a")
	for i, hits := range []uint64{0, 900, 600} {
		get, put := batch(0, "get", 1000, ms, i), batch(0, "put", 1000, ms, i)
		get.Warmup, put.Warmup = i == 0, i == 0
		get.Sample.Counts.Set("ok", hits)
		get.Sample.Counts.Set("missing", 1000-hits)
		put.Sample.Counts.Set("ok", 1000-hits)
		put.Sample.Counts.Set("evicted", 100)
		f.hear(t, get, put)
	}
	a := f.Snapshot(View{}).Schemes[0]
	for _, o := range []Op{a.Ops[0], a.All} {
		must.Hold(t, o.Lookups == 2000 && o.Hits == 1500 && o.HitsNow == 0.6, "%+v", o)
	}
	must.Hold(t, a.All.Evicted == 200 && math.IsNaN(a.Ops[1].HitsNow), "%+v", a)
}

// The present rate is that of the last second, or of the last batch if that is older.
func TestNow(t *testing.T) {
	f := begun(t, "a")
	f.hear(t, batch(0, "find", 1000, ms, 1))
	f.pass(5 * time.Second)
	must.Match(t, f.Snapshot(View{}).Schemes[0].All.Now, 1)
	f.hear(t, batch(0, "find", 3000, ms, 2), batch(0, "find", 1000, ms, 3))
	must.Match(t, f.Snapshot(View{}).Schemes[0].All.Now, 2)
}

// Notes of one kind share an entry with a count.
func TestLog(t *testing.T) {
	f := newFake("a", "b")
	f.hear(t, run.Parted{Scheme: 1, Why: results.LeftOut{Scheme: "b", Reason: "no pairs of 8+8 bytes"}},
		run.PointBegan{Of: 1, Schemes: []string{"a", ""}}, run.PhaseBegan{Of: 1, Name: "run"})
	for _, moved := range []string{"7", "3", "9"} {
		f.pass(time.Second)
		f.hear(t, run.Noted{Scheme: 0, Text: "moved " + moved + " pairs"})
	}
	f.hear(t, run.Noted{Scheme: 0, Text: "rebuilt"})
	f.hear(t, run.PointEnded{Summaries: []results.Summary{{Scheme: "a",
		Thresholds: []results.Threshold{{Condition: "failed == 0", Value: 3.0}, {Condition: "n > 1", Holds: true}}}}})
	f.Log(Command, "", "paused")
	f.End(errors.New("it broke"))
	f.pass(time.Hour)
	s := f.Snapshot(View{})
	want := []Entry{
		{Scheme: 1, Kind: Note, Text: "left out: no pairs of 8+8 bytes"},
		{Where: "run", Scheme: -1, Kind: Began, Text: "run begins"},
		{At: time.Second, Where: "run", Kind: Note, Text: "moved 3 to 9 pairs (3 times)"},
		{At: 3 * time.Second, Where: "run", Kind: Note, Text: "rebuilt"},
		{At: 3 * time.Second, Where: "run", Kind: Threshold, Text: "threshold failed == 0 does not hold: it is 3"},
		{At: 3 * time.Second, Where: "run", Scheme: -1, Kind: Command, Text: "paused"},
		{At: 3 * time.Second, Where: "run", Scheme: -1, Kind: Failure, Text: "it broke"},
	}
	must.Match(t, s.Log, want)
	must.Hold(t, s.State == Ended && s.Err != nil && s.Elapsed == 3*time.Second, "%+v", s)
	b := s.Schemes[1]
	must.Hold(t, b.State == Out && b.Why == "no pairs of 8+8 bytes" && b.Verdict.None == OtherInput, "%+v", b)
}

// The log is bounded, also against a scheme that never repeats a note.
func TestLogIsBounded(t *testing.T) {
	f := begun(t, "a")
	word := "x"
	for i := range 2000 {
		if word += "y"; i < 60 {
			f.hear(t, run.Noted{Text: word})
		}
		f.Log(Command, "", "a key")
	}
	s := f.Snapshot(View{})
	must.Hold(t, len(s.Log) == logged && s.Forgotten >= 1600 && len(s.Schemes[0].Notes) == maxKinds+1,
		"%d entries, %d forgotten, %d notes", len(s.Log), s.Forgotten, len(s.Schemes[0].Notes))
	f.hear(t, run.Noted{Text: "xy"})
	last := f.Snapshot(View{}).Log[logged-1]
	must.Hold(t, strings.HasPrefix(last.Text, more), "%+v", last)
}

// Snapshots may be taken at any time, and do not change.
func TestConcurrently(t *testing.T) {
	r := New(Setup{Schemes: []string{"a", "b"}})
	var lookers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		lookers.Go(func() {
			var last uint64
			for {
				s := r.Snapshot(View{Columns: 50, Window: time.Second})
				for i := range s.Schemes {
					n := total(s.Schemes[i].All.Series)
					must.Hold(t, n.Completed <= s.Schemes[0].All.N+1000, "%d of %d", n.Completed, s.Schemes[i].All.N)
				}
				must.Hold(t, s.Schemes[0].All.N >= last, "%d after %d", s.Schemes[0].All.N, last)
				last = s.Schemes[0].All.N
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	hear := func(e run.Event) {
		must.OK(t, r.Hear(e))
	}
	hear(run.PointBegan{Of: 1, Schemes: []string{"a", "b"}})
	hear(run.PhaseBegan{Of: 1, Name: "run"})
	for k := range 2000 {
		hear(batch(k%2, "find", 10, ms, k/2))
		hear(run.Noted{Scheme: k % 2, Text: "moved"})
		r.Set(func(s *Snapshot) { s.Machine = device.State{Free: int64(k)} })
	}
	r.End(nil)
	close(stop)
	bounded.WaitAll(t, &lookers)
	if s := r.Snapshot(View{Columns: 5}); s.Machine.Free != 1999 || s.Done != 1 || s.Left != 0 || s.Schemes[1].All.N != 10000 {
		t.Errorf("%+v", s)
	}
}

// A failed scheme stays failed; a hang that ends the run fails all schemes.
func TestFailures(t *testing.T) {
	f := begun(t, "a", "b")
	f.hear(t, run.Parted{Scheme: 0, Why: results.LeftOut{Scheme: "a", Phase: "run", Reason: "no memory", Failed: true}},
		run.PointBegan{Index: 1, Of: 2, Schemes: []string{"", "b"}})
	s := f.Snapshot(View{})
	a := s.Schemes[0]
	must.Hold(t, a.State == Failed && a.Why == "no memory" && s.Schemes[1].State == Working, "%+v", a)
	hang := &engine.HangError{Scheme: "b", Op: "find", N: 7, Limit: time.Second}
	f.End(hang)
	s = f.Snapshot(View{})
	b := s.Schemes[1]
	must.Hold(t, b.State == Failed && b.Why == hang.Error() && s.Schemes[0].Why == "no memory", "%+v", b)
	g := begun(t, "a", "b")
	g.End(run.SchemesFailed{hang})
	must.Match(t, g.Snapshot(View{}).Schemes[0].State, Working, "the run went on, and yet")
}

// The clock stops while the run is paused.
func TestPauses(t *testing.T) {
	f := begun(t, "a")
	f.pass(time.Second)
	f.hear(t, run.Halted{On: true})
	f.pass(time.Hour)
	s := f.Snapshot(View{})
	must.Hold(t, s.State == Paused && s.Elapsed == time.Second, "%v after %v", s.State, s.Elapsed)
	f.hear(t, run.Halted{On: false})
	f.pass(time.Second)
	s = f.Snapshot(View{})
	must.Hold(t, s.State == Running && s.Elapsed == 2*time.Second, "%v after %v", s.State, s.Elapsed)
}

// A search runs other schemes from a point on: the lanes are theirs, and one that is eliminated says so.
func TestOtherSchemes(t *testing.T) {
	f := begun(t, "a", "b")
	f.hear(t, batch(0, "find", 100, ms, 1), run.Noted{Scheme: 1, Text: "grew"})
	f.hear(t, run.PointBegan{Of: 1, Given: []string{"c", "d", "e"}, Schemes: []string{"c", "", "e"}}, run.PhaseBegan{Of: 1, Name: "run"},
		batch(2, "insert", 100, ms, 1), run.Parted{Scheme: 2, Why: results.LeftOut{Scheme: "e", Reason: "too slow", Eliminated: true}})
	s := f.Snapshot(View{Columns: 4})
	must.Hold(t, len(s.Schemes) == 3 && s.Schemes[0].Name == "c" && s.Schemes[1].State == Out && s.Schemes[2].State == Out && s.Schemes[2].Why == "too slow",
		"%+v", s.Schemes)
	must.Match(t, cmp.Diff(s.Ops, []string{"insert"}), "", s.Ops)
	var log []string
	for _, e := range s.Log {
		if e.Kind == Note {
			log = append(log, e.Text)
		}
	}
	must.Match(t, log, []string{"b: grew", "eliminated: too slow"})
}

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
		f := begun(t, "a", "b")
		random := rand.New(rand.NewPCG(1, 2))
		for k := range test.batches {
			machine := float64(10*ms) * (1 + random.Float64())
			own := 1 + test.noise*(random.Float64()-0.5)
			f.hear(t, batch(0, "find", 1000, time.Duration(machine), k), batch(1, "find", 1000, time.Duration(machine*own/test.factor), k))
		}
		s := f.Snapshot(View{Columns: 10})
		got := s.Schemes[1].Verdict
		must.Hold(t, got.Kind == test.want && got.Pairs == test.batches && s.Schemes[0].Verdict.None == Baseline, "%s: %+v", name, got)
		must.Hold(t, test.want != analysis.Faster || got.Ratio >= 1.19 && got.Ratio <= 1.21 && got.Noise > 0 && got.Noise <= 0.01, "%s: %+v", name, got)
		back := f.Snapshot(View{Columns: 10, Baseline: 1}).Schemes[0].Verdict
		must.Hold(t, back.Kind != got.Kind || got.Kind != analysis.Faster && got.Kind != analysis.Slower, "%s: the other way round %+v", name, back)
	}
}

// Only batches of the operation, of this phase and with the same input count.
func TestVerdictsCompareLikeWithLike(t *testing.T) {
	f := begun(t, "a", "b")
	for k := range 400 {
		slow := []time.Duration{10 * ms, 20 * ms}
		if k%2 == 0 {
			f.hear(t, batch(0, "insert", 1000, 10*ms, k), batch(1, "insert", 1000, 5*ms, k))
		} else {
			f.hear(t, batch(0, "find", 1000, slow[0], k), batch(1, "find", 1000, slow[1], k))
		}
	}
	of := func(op string) Verdict { return f.Snapshot(View{Op: op}).Schemes[1].Verdict }
	is := func(op string, kind analysis.Kind, ratio float64, pairs int) {
		t.Helper()
		v := of(op)
		must.Hold(t, v.Kind == kind && v.Pairs == pairs && (pairs == 0 || v.Ratio == ratio), "%s: %+v", op, v)
	}
	is("insert", analysis.Faster, 2, comparedBatches/2)
	is("find", analysis.Slower, 0.5, comparedBatches/2)
	is("erase", analysis.Unclear, 0, 0)
	f.hear(t, run.PhaseBegan{Of: 1, Name: "next"})
	is("find", analysis.Unclear, 0, 0)
	f.hear(t, batch(0, "find", 10, ms, 1), batch(1, "find", 10, ms, 2))
	must.Match(t, of("find").None, OtherInput, "different inputs")
}

// Runs with different inputs are not compared.
func TestVerdictsOfDifferentInputs(t *testing.T) {
	f := begun(t, "a", "b")
	f.hear(t, run.Differed{Phase: "run", Why: "they asked for other things"})
	for k := range 20 {
		f.hear(t, batch(0, "find", 1000, ms, k), batch(1, "find", 1000, 2*ms, k))
	}
	s := f.Snapshot(View{})
	must.Hold(t, s.Schemes[1].Verdict.None == OtherInput && s.Incomparable == "they asked for other things", "%+v, %q", s.Schemes[1].Verdict, s.Incomparable)
}

const ms = time.Millisecond

// fake is a run with a clock that tests set.
type fake struct {
	*Run
	now time.Time
}

func newFake(names ...string) *fake {
	f := &fake{now: time.Unix(1e9, 0)}
	f.Run = New(Setup{Schemes: names, Now: func() time.Time { return f.now }})
	return f
}

func (f *fake) hear(t testing.TB, list ...run.Event) {
	t.Helper()
	for _, e := range list {
		must.OK(t, f.Hear(e))
	}
}

func (f *fake) pass(d time.Duration) { f.now = f.now.Add(d) }

// begun is a fake in the only phase of its only point.
func begun(t testing.TB, names ...string) *fake {
	t.Helper()
	f := newFake(names...)
	f.hear(t, run.PointBegan{Of: 1, Schemes: f.Schemes}, run.PhaseBegan{Index: 0, Of: 1, Name: "run"})
	return f
}

// batch is a measured batch, number k of the phase.
func batch(scheme int, op string, n uint64, took time.Duration, k int) run.Measured {
	return run.Measured{Scheme: scheme, Phase: "run", Round: uint64(k), Capacity: 1000, Bytes: 8000, Sample: engine.Sample{
		Op: op, N: n, Service: took, Counts: make(schemes.Counts, len(kernels.Counters)), Input: fmt.Sprint("input ", k), Size: 500, Load: 0.5}}
}

// total adds up a series.
func total(bins []Bin) (all Bin) {
	for _, b := range bins {
		all.add(b)
	}
	return all
}
