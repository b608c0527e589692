package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/workloads/live"
)

// Gaps as short as those between batches are bridged, others and those at the ends are not.
func TestBridge(t *testing.T) {
	none := math.NaN()
	long := []float64{1, 2, 3, 4, 5, none, none, none, none, none, none, none, none, none, none, none, none, 6}
	for _, c := range []struct{ values, want []float64 }{
		{[]float64{none, 1, none, 2, none, none, 3, none}, []float64{none, 1, 1, 2, 2, 2, 3, none}},
		{long, long},
		{[]float64{none, none}, []float64{none, none}},
		{[]float64{5}, []float64{5}},
		{nil, nil},
	} {
		got := slices.Clone(c.values)
		bridge(got)
		must.Hold(t, slices.EqualFunc(got, c.want, func(a, b float64) bool { return a == b || a != a && b != b }), "%v: %v instead of %v", c.values, got, c.want)
	}
}

// Bins are summed, not averaged, and a series of fewer bins than cells is stretched.
func TestRates(t *testing.T) {
	bins := []live.Bin{{Completed: 1000, Service: time.Millisecond}, {Completed: 9000, Service: 3 * time.Millisecond}, {}, {}}
	got := rates(bins, 2, 0)
	must.Hold(t, got[0] == 2.5 && got[1] != got[1], "%v", got)
	must.Match(t, rates(bins[:1], 3, 0), []float64{1, 1, 1})
}

func TestTicksAreRound(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		about     int
		want      []float64
		places    int
	}{
		{0, 31.4, 5, []float64{0, 10, 20, 30}, 0},
		{0.55, 0.92, 4, []float64{0.6, 0.7, 0.8, 0.9}, 1},
		{0, 22000, 6, []float64{0, 5000, 10000, 15000, 20000}, 0},
		{1, 1, 4, nil, 0},
	} {
		got, places := ticks(c.low, c.high, c.about)
		if places != c.places || !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("%g to %g: %v with %d places", c.low, c.high, got, places)
		}
	}
}

func TestNumbersAreShort(t *testing.T) {
	for text, want := range map[string]string{
		short(3): "3", short(1234567): "1.2M", short(0.0123): "0.01", short(2.5e7): "25.0M", short(3e9): "3.0G", short(math.NaN()): "-",
		span(331 * time.Microsecond): "331 µs", span(1500 * time.Millisecond): "1.50 s", span(0): "0 s", span(41): "41 ns",
		clock(61 * time.Second): "1:01", clock(3723 * time.Second): "1:02:03",
		count(999999): "999999", count(1234567): "1.2M", count(uint64(4e12)): "4.0T",
	} {
		must.Match(t, text, want)
	}
}

// A verdict says which scheme is faster, by how much, and how certain that is.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		v           live.Verdict
		wide, small string
	}{
		{live.Verdict{Kind: analysis.Slower, Ratio: 0.81, Noise: 0.008, Pairs: 40}, "slower  -19 % ±1", "slower  -19 %"},
		{live.Verdict{Kind: analysis.Faster, Ratio: 3.5, Noise: 0.1, Pairs: 40}, "faster +250 % ±10", "faster +250 %"},
		{live.Verdict{Kind: analysis.Faster, Ratio: 14.21, Noise: 0.1, Pairs: 40}, "faster ×14.21 ±0.1", "faster ×14.21"},
		{live.Verdict{Kind: analysis.Same, Ratio: 1.004, Noise: 0.01, Pairs: 40}, "same     +0 % ±1", "same     +0 %"},
		{live.Verdict{Kind: analysis.Unclear, Ratio: 1.4, Noise: 0.5, Pairs: 40}, "unclear +40 % ±50", "unclear +40 %"},
		{live.Verdict{Kind: analysis.Unclear, Ratio: 1.4, Noise: 0.71, Pairs: 40}, "unclear no figure", "unclear"},
		{live.Verdict{Kind: analysis.Faster, Ratio: 4, Noise: 2.1, Pairs: 40}, "faster no figure", "faster"},
		{live.Verdict{Kind: analysis.Unclear, Pairs: 1}, "unclear", "unclear"},
		{live.Verdict{None: live.OtherInput}, "other input", "other input"},
		{live.Verdict{None: live.LostPairs}, "lost pairs", "lost pairs"},
		{live.Verdict{None: live.Baseline}, "baseline", "baseline"},
	} {
		_, wide := verdictText(c.v, verdictWidth)
		_, small := verdictText(c.v, 13)
		must.Hold(t, wide == c.wide && small == c.small, "%+v: %q and %q", c.v, wide, small)
	}
}

// Over the load factor, the chart shows one operation, from the lowest load that was measured to the highest.
func TestOverLoad(t *testing.T) {
	s := withRun(t, 80, 24, fakeRun{schemes: fewSchemes}).keys("2", "v")
	s.shows("Mop/s of find, over the load factor, 95 % intervals", " 0.6 ", "0.9", "at 0.90")
	s.lacks("0.5")
	s.lacks("all operations")
	s.keys("o").shows("Mop/s of update, over")
	s.keys("o").shows("Mop/s of find, over")
	if got := commanded(s, "op update"); s.m.view.curve != 0 || s.m.op != "update" {
		t.Errorf("curve %d, %s", s.m.view.curve, got)
	}
}

func TestNothingOverLoad(t *testing.T) {
	s := withRun(t, 80, 24, fakeRun{schemes: fewSchemes, change: func(s *live.Snapshot) { s.Curve, s.Curves = -1, nil; nothing(s) }}).keys("2", "v", "o")
	must.Match(t, strings.Count(s.screen(), "nothing measured yet"), 2)
}

// batchesAt makes a spot of batches of 1000 operations with these service times.
func batchesAt(load float64, micros ...int) (spot live.Spot) {
	for _, n := range micros {
		spot.Add(live.NewSpot(load, live.Bin{Completed: 1000, Service: time.Duration(n) * time.Microsecond}))
	}
	return spot
}

// A point has its interval, unless it is of a single batch or so wide that it would fill the chart.
func TestIntervals(t *testing.T) {
	sc := &scene{Snapshot: &live.Snapshot{}, order: []int{0}}
	sc.Schemes = []live.Scheme{{ByLoad: []live.Spot{batchesAt(0.5, 90, 100, 110), batchesAt(0.7, 100), batchesAt(0.9, 10, 400)}}}
	list := sc.points(sc.Schemes[0].ByLoad, 100)
	var got []string
	for _, p := range list {
		got = append(got, fmt.Sprintf("%d: %.3g to %.3g of %.3g", p.x, p.low(), p.high(), p.Mops()))
	}
	must.Match(t, got, []string{"1: 8.01 to 13.3 of 10", "49: 10 to 10 of 10", "98: 4.88 to 4.88 of 4.88"})
	values := joined(list, 100)
	must.Hold(t, math.IsNaN(values[0]) && values[25] == 10 && math.Abs(values[74]-7.4) <= 0.1 && math.IsNaN(values[99]), "%v", values)
}

// Many spots are drawn as means over parts of the chart, or all of them.
func TestManySpots(t *testing.T) {
	var spots []live.Spot
	for i := range 400 {
		spots = append(spots, batchesAt(float64(i)/500, 100, 101))
	}
	sc := &scene{Snapshot: &live.Snapshot{Schemes: []live.Scheme{{ByLoad: spots}}}, order: []int{0}}
	means := len(sc.points(spots, 140))
	if sc.raw = true; means != smoothing || len(sc.points(spots, 140)) < 130 {
		t.Errorf("%d means, %d points", means, len(sc.points(spots, 140)))
	}
}

func TestSpotsAfterFailedInsertsAreMarked(t *testing.T) {
	s := withRun(t, 80, 24, fakeRun{schemes: fewSchemes, change: func(s *live.Snapshot) {
		for i := range s.Schemes[2].ByLoad {
			s.Schemes[2].ByLoad[i].Failed = i > 4
		}
	}}).keys("2", "v")
	s.shows("! after failed inserts")
	must.Match(t, strings.Count(s.screen(), "!"), 3)
}
