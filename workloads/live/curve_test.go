package live

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/workloads/run"
)

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
