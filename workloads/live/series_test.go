package live

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/workloads/run"
	"pgregory.net/rapid"
)

// The bins of every view sum up the batches of their times, and none is lost.
func TestSeriesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, now := newSeries(), time.Duration(0)
		heard := map[time.Duration]Bin{}
		step := rapid.SampledFrom([]time.Duration{ms, 70 * ms, 3 * time.Second, 9 * time.Minute, 5 * time.Hour}).Draw(t, "step")
		var all Bin
		for range rapid.IntRange(1, 60).Draw(t, "batches") {
			now += time.Duration(rapid.Int64Range(0, int64(step)).Draw(t, "pause"))
			b := Bin{uint64(rapid.IntRange(1, 1000).Draw(t, "n")), time.Duration(rapid.IntRange(1, 1000).Draw(t, "ns"))}
			s.add(now, b)
			at := heard[now]
			at.add(b)
			heard[now] = at
			all.add(b)
		}
		now += time.Duration(rapid.Int64Range(0, int64(step)).Draw(t, "later"))
		window := time.Duration(rapid.Int64Range(0, int64(2*time.Hour)).Draw(t, "window"))
		columns := rapid.IntRange(1, 3000).Draw(t, "columns")
		for _, v := range []View{{Columns: columns}, {Columns: columns, Window: window}} {
			f := framed(v, now)
			must.Need(t, f.begin%f.bin == 0 && f.end() > now && (v.Window != 0 || f.begin == 0), "%+v at %v: %+v", v, now, f)
			bins := make([]Bin, f.columns)
			s.show(f, now, bins)
			want := make([]Bin, f.columns)
			for at, b := range heard {
				if at >= f.begin {
					want[(at-f.begin)/f.bin].add(b)
				}
			}
			for i := range bins {
				must.Need(t, bins[i] == want[i], "%+v at %v: %+v: bin %d has %+v instead of %+v", v, now, f, i, bins[i], want[i])
			}
			must.Need(t, v.Window != 0 || total(bins) == all, "%+v instead of %+v", total(bins), all)
		}
	})
}

// Past bins move, but do not change.
func TestBinsMove(t *testing.T) {
	s := newSeries()
	for at := time.Duration(0); at < time.Minute; at += 13 * ms {
		s.add(at, Bin{1, 1})
	}
	v := View{Window: 30 * time.Second, Columns: 40}
	before, after := framed(v, time.Minute), framed(v, time.Minute+2*time.Second)
	must.Need(t, before.bin == after.bin && before.bin == 750*ms && (after.begin-before.begin)%before.bin == 0, "%+v, then %+v", before, after)
	a, b := make([]Bin, 40), make([]Bin, 40)
	s.show(before, time.Minute, a)
	s.show(after, time.Minute+2*time.Second, b)
	moved := int((after.begin - before.begin) / before.bin)
	for i := range 40 - moved {
		must.Match(t, a[i+moved], b[i], i)
	}
}

// A window is not much longer than requested.
func TestWindows(t *testing.T) {
	for _, window := range []time.Duration{30 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour} {
		for _, columns := range []int{20, 60, 200} {
			f := framed(View{Window: window, Columns: columns}, 3*time.Hour)
			shown := f.end() - f.begin
			must.Hold(t, shown >= window && shown <= window*3/2, "%v in %d columns: %v", window, columns, shown)
		}
	}
}

// Each time is in one step; quantiles are within a percent.
func TestTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Int64Range(0, int64(time.Minute)), 1, 200).Draw(t, "times")
		all := newTimes()
		for _, d := range list {
			all.add(time.Duration(d))
		}
		slices.Sort(list)
		got := all.show()
		must.Need(t, got.Count == uint64(len(list)) && got.Least == time.Duration(list[0]) && got.Most == time.Duration(list[len(list)-1]), "%+v of %v", got, list)
		if p50 := list[(len(list)+1)/2-1]; len(list) > 1 && (float64(got.P50) < 0.98*float64(p50)-100 || float64(got.P50) > 1.02*float64(p50)+100) {
			t.Fatalf("median %v instead of %v", got.P50, p50)
		}
		from, count := time.Duration(-1), uint64(0)
		for _, s := range got.Steps {
			in := uint64(0)
			for _, d := range list {
				if from < time.Duration(d) && time.Duration(d) <= s.UpTo {
					in++
				}
			}
			must.Need(t, in == s.Count, "step to %v has %d instead of %d", s.UpTo, s.Count, in)
			from, count = s.UpTo, count+s.Count
		}
		must.Need(t, count == got.Count, "%d of %d are in a step", count, got.Count)
		all.reset()
		again := all.show()
		must.Need(t, again.Count == 0 && again.Steps == nil, "after a reset: %+v", again)
	})
}

// A percentile takes enough times: 99.9 percent of ten batches is not shown.
func TestPercentilesTakeEnoughTimes(t *testing.T) {
	all, added := newTimes(), uint64(0)
	for _, count := range []uint64{1, 2, 99, 100, 999, 1000} {
		for ; added < count; added++ {
			all.add(time.Millisecond)
		}
		got := all.show()
		if got.P50 > 0 != (count >= 2) || got.P99 > 0 != (count >= 100) || got.P999 > 0 != (count >= 1000) {
			t.Errorf("of %d batches: %v %v %v", count, got.P50, got.P99, got.P999)
		}
	}
}

// measured is a batch of a table with that load factor.
func measured(scheme int, op string, load float64, n uint64, took time.Duration) run.Measured {
	e := batch(scheme, op, n, took, 1)
	e.Sample.Load = load
	return e
}

// Over the load factor, what is prepared is not mixed with what is measured, nor one phase or point with another.
func TestCurves(t *testing.T) {
	f := newFake("a", "b")
	for i, at := range []struct{ load, hits float64 }{{0.5, 0}, {0.9, 0}, {0.9, 1}} {
		f.hear(t, run.PointBegan{Index: i, Of: 3, Schemes: f.Schemes,
			Point: run.Point{{Name: "load", Value: at.load}, {Name: "hits", Value: at.hits}, {Name: run.Repeat, Value: float64(i)}}})
		f.hear(t, run.PhaseBegan{Of: 3, Name: run.Prepare}, measured(0, "insert", at.load, 100, ms))
		f.hear(t, run.PhaseBegan{Of: 3, Name: "find 100 %"}, measured(0, "find", at.load, 1000, ms), measured(0, "find", at.load, 1000, 3*ms))
		warm := measured(0, "find", at.load, 1000, time.Hour)
		warm.Warmup = true
		f.hear(t, run.PhaseBegan{Of: 3, Name: "find 0 %"}, warm, measured(1, "find", at.load, 10, ms))
	}
	s := f.Snapshot(View{Columns: 4})
	titles := lists.Map(s.Curves, Curve.String)
	want := []string{"insert in prepare at hits=0", "find 100 % at hits=0", "find 0 % at hits=0",
		"insert in prepare at hits=1", "find 100 % at hits=1", "find 0 % at hits=1"}
	diff := cmp.Diff(want, titles)
	must.Need(t, diff == "", "%v", diff)
	for _, c := range []struct {
		view  View
		curve int
		spots string
	}{
		{View{}, 5, "[] [0.9:0.01]"},
		{View{Op: "find"}, 5, "[] [0.9:0.01]"},
		{View{Op: "insert"}, 3, "[0.9:0.1] []"},
		{View{Op: "flush"}, -1, "[] []"},
		{View{Curve: 2}, 1, "[0.5:0.5 0.9:0.5] []"},
		{View{Curve: 99}, 5, "[] [0.9:0.01]"},
	} {
		c.view.Columns = 4
		s := f.Snapshot(c.view)
		var spots []string
		for _, scheme := range s.Schemes {
			list := []string{}
			for _, spot := range scheme.ByLoad {
				list = append(list, fmt.Sprintf("%.3g:%.3g", spot.Load(), spot.Mops()))
			}
			spots = append(spots, fmt.Sprint(list))
		}
		got := fmt.Sprint(spots)
		must.Hold(t, s.Curve == c.curve && got == "["+c.spots+"]", "%+v: curve %d, %s", c.view, s.Curve, got)
	}
}

// The interval is that of the mean time of an operation, however spots are added up.
func TestNoiseOfSpots(t *testing.T) {
	var c curve
	for _, took := range []time.Duration{9, 10, 11} {
		c.add(NewSpot(0.5, Bin{1000, took * ms}))
	}
	const want = 4.302652729696144 * 1 / 10 / 1.7320508075688772 // Student, deviation, mean, root of 3
	must.Hold(t, len(c) == 1 && math.Abs(c[0].Noise()-want) <= 1e-9 && math.Abs(c[0].Mops()-0.1) <= 1e-12, "%+v: noise %v instead of %v", c, c[0].Noise(), want)
	one := NewSpot(0.5, Bin{1000, ms})
	must.Hold(t, math.IsNaN(one.Noise()), "a single batch has the noise %v", one.Noise())
}

// A spot says if inserts had failed, until the table is emptied. Memory is bounded.
func TestCurvesAreBounded(t *testing.T) {
	f := begun(t, "a")
	failing := measured(0, "insert", 0.9, 100, ms)
	failing.Sample.Counts.Set("failed", 10)
	f.hear(t, failing, measured(0, "find", 0.9, 100, ms), run.Cleared{}, measured(0, "find", 0.5, 100, ms))
	spots := f.Snapshot(View{Op: "find"}).Schemes[0].ByLoad
	must.Hold(t, len(spots) == 2 && !spots[0].Failed && spots[1].Failed, "%+v", spots)
	for i := range 3 * maxCurves {
		f.hear(t, run.PhaseBegan{Of: 1, Name: fmt.Sprint("phase ", i)})
		for load := range 20 {
			f.hear(t, measured(0, "find", float64(load), 100, ms))
		}
	}
	s := f.Snapshot(View{Curve: maxCurves})
	must.Hold(t, len(s.Curves) == maxCurves && len(s.Schemes[0].ByLoad) == 3, "%d curves, spots %+v", len(s.Curves), s.Schemes[0].ByLoad)
}

// A table lost pairs if inserts failed in it, and no other one of its size is whole.
func TestLost(t *testing.T) {
	for size, want := range map[uint64]bool{500: false, 490: true} {
		f := begun(t, "a", "b")
		failing := batch(0, "insert", 100, ms, 1)
		failing.Sample.Counts.Set("failed", 10)
		failing.Sample.Size = size
		f.hear(t, failing, batch(1, "insert", 100, ms, 1))
		s := f.Snapshot(View{})
		must.Hold(t, s.Schemes[0].Lost == want && !s.Schemes[1].Lost && s.Schemes[0].Failed == 10, "%d pairs: %+v", size, s.Schemes[0])
	}
}
