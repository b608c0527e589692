package choose

import (
	"math"
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Whole runs that change rates by much bring in what may be as fast by them, and keep what is not known well.
func TestWholeRunsOfWhatWasOverlooked(t *testing.T) {
	whole := func(runs int) map[int]*times {
		m := map[int]*times{}
		for k := range runs {
			m[k] = newTimes()
		}
		return m
	}
	s := &search{}
	for _, c := range []candidate{
		{name: "best", guess: 1.2, rate: 1, whole: whole(2)},
		{name: "lucky", guess: 1.25, rate: 0.95, whole: whole(1)},
		{name: "slow", guess: 1.1, rate: 0.6, whole: whole(1)},
		{name: "next", guess: 1.15},
		{name: "far", guess: 0.4},
		{name: "beaten", guess: 1.15, beaten: "0.7 of the rate of best"},
		{name: "unable", guess: 1.15, why: "it has no operation erase"},
	} {
		s.order = append(s.order, &c)
	}
	s.best = s.order[0]
	s.correct()
	var changes []float64
	for _, c := range s.order[:3] {
		changes = append(changes, c.rate/c.guess)
	}
	mean := math.Cbrt(changes[0] * changes[1] * changes[2])
	if next := s.order[3]; math.Abs(next.rate-mean*next.guess) > 1e-9 {
		t.Errorf("next has the rate %g; it should change like the others, to %g", next.rate, mean*next.guess)
	}
	names := lists.Map(s.overlooked(), func(c *candidate) string { return c.name })
	if !slices.Equal(names, []string{"next"}) {
		t.Errorf("%v get a whole run; it should be next alone", names)
	}
	if !s.maybeFaster(s.order[1]) {
		t.Error("lucky is given up after one run, although runs are off by more than 5 percent")
	}
	s.spread = 0.01
	if s.maybeFaster(s.order[1]) || s.maybeFaster(s.order[3]) {
		t.Error("runs are off by a hundredth, and what is 5 percent slower goes on")
	}
}
