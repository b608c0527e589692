package tui

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/workloads/live"
)

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
