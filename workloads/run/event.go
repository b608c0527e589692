package run

import (
	"time"

	"github.com/hashzoo/hashzoo/runtime/engine"
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
	Refused bool          // the inserts that failed found their keys in the table: it lacks nothing
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
