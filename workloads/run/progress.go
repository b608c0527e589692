package run

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Progress estimates how far a run is. Times are since it began.
type Progress struct {
	Point PointBegan
	Phase PhaseBegan
	done  float64 // of the phase; negative if unknown
	began time.Duration
	took  []time.Duration // by each phase the last time
}

// Hear takes an event.
func (p *Progress) Hear(e Event, now time.Duration) {
	switch e := e.(type) {
	case PointBegan:
		p.ends(now)
		p.Point, p.Phase, p.done = e, PhaseBegan{}, 0
	case PhaseBegan:
		p.ends(now)
		p.Phase, p.done = e, 0
	case Measured:
		p.done = e.Done
	}
}

func (p *Progress) ends(now time.Duration) {
	if i := p.Phase.Index; p.Phase.Name != "" {
		p.took = append(p.took, make([]time.Duration, max(0, i+1-len(p.took)))...)
		p.took[i] = now - p.began
	}
	p.began = now
}

// Where returns the point, the phase and the lap: load=0.8 (2 of 3), run, lap 7.
func (p *Progress) Where() string {
	parts := []string{p.Point.Point.String(), p.Phase.Name}
	if p.Point.Of > 1 {
		parts[0] += fmt.Sprintf(" (%d of %d)", p.Point.Index+1, p.Point.Of)
	}
	if p.Point.Lap > 0 {
		parts = append(parts, fmt.Sprintf("lap %d", p.Point.Lap+1))
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

// Done is the part of the run that is over; negative if the run has no end. Until there is an estimate, it counts points.
func (p *Progress) Done(now time.Duration) float64 {
	if p.Point.For == Forever {
		return -1
	}
	if left, ok := p.left(now); ok && now > 0 {
		return float64(now) / float64(now+left)
	}
	return float64(p.Point.Index) / float64(max(p.Point.Of, 1))
}

// Left estimates the remaining time; negative if it is too early to say.
func (p *Progress) Left(now time.Duration) time.Duration {
	left, ok := p.left(now)
	return lists.Either(!ok || now < 2*time.Second || p.Done(now) < 0.01, -1, left)
}

// left assumes that the phase continues at its rate, and others take as long as last time, or as this one.
func (p *Progress) left(now time.Duration) (left time.Duration, ok bool) {
	if p.Point.For > 0 {
		return max(0, p.Point.For-now), true
	}
	so := now - p.began
	var phase time.Duration
	switch {
	case p.done > 0:
		phase = time.Duration(float64(so) / min(p.done, 1))
	case p.Phase.Index < len(p.took):
		phase = max(so, p.took[p.Phase.Index])
	default:
		return 0, false
	}
	left = phase - so
	var point time.Duration
	for i := range max(p.Phase.Of, len(p.took), 1) {
		length := phase
		if i != p.Phase.Index && i < len(p.took) {
			length = p.took[i]
		}
		if point += length; i > p.Phase.Index {
			left += length
		}
	}
	return left + time.Duration(max(0, p.Point.Of-p.Point.Index-1))*point, true
}
