package run

import (
	"fmt"
	"time"
)

// Progress is how far a run is, for those who listen to it.
type Progress struct {
	Point PointBegan
	Phase PhaseBegan
	done  float64 // of the phase; negative: nobody knows
}

// Hear takes what is said of progress.
func (p *Progress) Hear(e Event) {
	switch e := e.(type) {
	case PointBegan:
		p.Point, p.Phase, p.done = e, PhaseBegan{}, 0
	case PhaseBegan:
		p.Phase, p.done = e, 0
	case Measured:
		p.done = e.Done
	}
}

// Where is the point and the phase: load=0.8 (2 of 3), run.
func (p *Progress) Where() string {
	if len(p.Point.Point) == 0 {
		return p.Phase.Name
	}
	where := fmt.Sprintf("%s (%d of %d)", p.Point.Point, p.Point.Index+1, p.Point.Of)
	if p.Phase.Name == "" { // it is yet to begin
		return where
	}
	return where + ", " + p.Phase.Name
}

// Done is the part of the run that is over. All phases are taken to be as long as each
// other.
func (p *Progress) Done() float64 {
	part := (float64(p.Phase.Index) + max(0, min(p.done, 1))) / float64(max(p.Phase.Of, 1))
	return (float64(p.Point.Index) + part) / float64(max(p.Point.Of, 1))
}

// Left is how long the run will take if it goes on as it did, after so long; negative if
// it is too early to say.
func (p *Progress) Left(took time.Duration) time.Duration {
	done := p.Done()
	if done < 0.01 || took < 2*time.Second {
		return -1
	}
	return time.Duration(float64(took) * (1 - done) / done)
}
