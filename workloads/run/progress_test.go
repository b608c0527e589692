package run

import (
	"testing"
	"time"
)

// Half of the second of two phases, at the second of four points: 7/16 of the run.
func TestProgress(t *testing.T) {
	var p Progress
	p.Hear(PointBegan{Index: 1, Of: 4, Point: Point{{"load", 0.5}}})
	p.Hear(PhaseBegan{Index: 1, Of: 2, Name: "run"})
	p.Hear(Measured{Done: 0.5})
	if p.Done() != 7.0/16 || p.Left(7*time.Minute) != 9*time.Minute || p.Where() != "load=0.5 (2 of 4), run" {
		t.Errorf("%v done, %v left, at %s", p.Done(), p.Left(7*time.Minute), p.Where())
	}
	p.Hear(PointBegan{Index: 0, Of: 4})
	p.Hear(PhaseBegan{Index: 0, Of: 2, Name: "prepare"})
	p.Hear(Measured{Done: -1})
	if left := p.Left(time.Hour); left >= 0 || p.Where() != "prepare" {
		t.Errorf("%v left at the very beginning, at %s", left, p.Where())
	}
}
