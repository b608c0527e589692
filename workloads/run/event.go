package run

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
)

// Event is something that happened in a run: one of the types below.
type Event any

// Listener hears events as they happen. An error ends the run.
type Listener func(Event) error

// PointBegan: tables were made for a point on the axes.
type PointBegan struct {
	Index, Of int           // counted from 0
	Lap       int           // counted from 0, if all points are visited again and again
	For       time.Duration // of the run; 0: it visits all points once
	Point     Point
	Given     []string // the plan's schemes
	Schemes   []string // with the script's parameters; empty for one that was left out
	Shapes    []schemes.Shape
	Digests   bool // the tables digest their results
}

// PhaseBegan: all schemes begin a phase.
type PhaseBegan struct {
	Index, Of int    // of the point's phases, counted from 0
	Name      string // prepare, or the stage's
	Stage     Stage
}

// Measured: a batch was run.
type Measured struct {
	Scheme  int // index
	Phase   string
	Round   uint64 // number of the call of event; 0 in prepare
	Sample  engine.Sample
	Refused bool          // the inserts that failed found their keys in the table, or puts were not admitted: it lacks nothing
	Warmup  bool          // it does not count
	At      time.Duration // when it began, on the scheme's own clock of the phase
	Done    float64       // the part of the phase that is over; negative if unknown

	Response time.Duration // in an open loop: from when it was due to its end
	Capacity uint64        // slots of the table afterwards
	Bytes    int64         // memory of the table afterwards

	Batch engine.Batch
	Input *engine.Input // the batch in device memory, valid while the event is heard
}

// Rehearsed: a batch of a rehearsal was run.
type Rehearsed struct {
	Point  Point
	Scheme string // as on the command line
	Phase  string
	Sample engine.Sample
}

// Looked: the gauges of a scheme's table were read, between batches.
type Looked struct {
	Scheme int // index
	Phase  string
	Gauges []schemes.Reading // in the order in which the scheme declares them
}

// RoundEnded: prepare, or a call of event, has ended on all schemes.
type RoundEnded struct {
	Phase  string
	Round  uint64 // number of the call of event; 0 in prepare
	Warmup bool
}

// Cleared: a script has emptied its table.
type Cleared struct {
	Scheme int
	Phase  string
	Round  uint64
	Reseed bool // with other hash functions
}

// PhaseEnded: all schemes have ended a phase.
type PhaseEnded struct {
	Name     string
	Contents map[int]engine.Contents // by scheme, if the plan asks for digests
}

// Parted: a scheme is left out from here on.
type Parted struct {
	Scheme int
	Why    results.LeftOut
}

// Chosen: a search over several runs has ended with this answer.
type Chosen struct{ Choice results.Choice }

// Halted: the run pauses, or continues.
type Halted struct{ On bool }

// Differed: from here on the schemes of a phase cannot be compared.
type Differed struct {
	Phase string
	Why   string
}

// Mismatched: a listener found that an input or a result is not what it should be.
type Mismatched struct {
	Scheme int
	Text   string
}

// Noted: a script or a scheme reports something unusual.
type Noted struct {
	Scheme int
	Text   string
}

// PointEnded: all that was measured at a point. A run that was stopped has rows, but no summaries.
type PointEnded struct {
	Index     int
	Lap       int // after the first one, this is in place of what earlier laps said
	Rows      []results.Row
	Summaries []results.Summary
	LeftOut   []results.LeftOut
	Spent     results.Spent           // in this lap
	Contents  map[int]engine.Contents // by scheme, if the plan keeps them and the point was not stopped
}

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
