package run

import (
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	var p Progress
	is := func(now time.Duration, done float64, left time.Duration, where string) {
		t.Helper()
		if d := p.Done(now) - done; d < -1e-9 || d > 1e-9 || p.Left(now) != left || p.Where() != where {
			t.Errorf("after %v: %v done, %v left, at %s; want %v, %v, %s", now, p.Done(now), p.Left(now), p.Where(), done, left, where)
		}
	}
	const s, unknown = time.Second, time.Duration(-1)
	is(0, 0, unknown, "")
	p.Hear(PointBegan{Index: 0, Of: 3, Point: Point{{"load", 0.5}}}, 0)
	p.Hear(PhaseBegan{Index: 0, Of: 2, Name: "prepare"}, 0)
	is(5*s, 0, unknown, "load=0.5 (1 of 3), prepare")

	// A phase of which nothing is known takes as long as the one that is going on.
	p.Hear(Measured{Done: 0.5}, 10*s)
	is(10*s, 10.0/120, 110*s, "load=0.5 (1 of 3), prepare")

	// One that has just begun says nothing, and a short one before it is not taken for it.
	p.Hear(PhaseBegan{Index: 1, Of: 2, Name: "run"}, 20*s)
	is(21*s, 0, unknown, "load=0.5 (1 of 3), run")
	p.Hear(Measured{Done: 0.25}, 40*s)
	is(40*s, 40.0/300, 260*s, "load=0.5 (1 of 3), run")

	// At the next point phases are as long as they were, until they say more.
	p.Hear(PointBegan{Index: 1, Of: 3, Point: Point{{"load", 0.6}}}, 100*s)
	is(100*s, 1.0/3, 200*s, "load=0.6 (2 of 3)")
	p.Hear(PhaseBegan{Index: 0, Of: 2, Name: "prepare"}, 100*s)
	is(110*s, 110.0/300, 190*s, "load=0.6 (2 of 3), prepare")
	p.Hear(Measured{Done: 0.5}, 120*s)
	is(120*s, 120.0/340, 220*s, "load=0.6 (2 of 3), prepare")

	// A phase of which nobody knows more is not shorter than it was so far.
	p.Hear(PhaseBegan{Index: 1, Of: 2, Name: "run"}, 140*s)
	p.Hear(Measured{Done: -1}, 300*s)
	is(300*s, 300.0/500, 200*s, "load=0.6 (2 of 3), run")
}
