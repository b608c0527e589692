package run

import (
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// Event is something that happened in a run: one of the types below.
type Event interface{ event() }

// Listener is told what happens, as it happens. An error ends the run.
type Listener interface {
	Hear(Event) error
}

// PointBegan: tables were made for a point on the axes.
type PointBegan struct {
	Index, Of int // counted from 0
	Point     Point
	Schemes   []string // as on the command line
}

// PhaseBegan: all schemes begin a phase.
type PhaseBegan struct {
	Index, Of int    // of the point's phases, counted from 0
	Name      string // prepare, or the stage's
	Stage     Stage
}

// Measured: a batch was run.
type Measured struct {
	Scheme int // index
	Phase  string
	Sample engine.Sample
	Warmup bool    // it does not count
	Done   float64 // the part of the phase that is over; negative: nobody knows
}

// Noted: a script or a scheme says something out of the ordinary.
type Noted struct {
	Scheme int
	Text   string
}

// PointEnded: all that was measured at a point. Rows that a run was stopped in are
// there, too; summaries are not then.
type PointEnded struct {
	Index     int
	Rows      []results.Row
	Summaries []results.Summary
}

func (PointBegan) event() {}
func (PhaseBegan) event() {}
func (Measured) event()   {}
func (Noted) event()      {}
func (PointEnded) event() {}
