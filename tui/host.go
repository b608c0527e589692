// Package tui is the terminal interface: schemes side by side, while they run.
//
// It takes a snapshot of the run (workloads/live) a few times a second, and never touches
// a device. What it shows of schemes comes from their declarations.
package tui

import (
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/workloads/live"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Host starts runs.
type Host interface {
	Catalog() Catalog
	// Start prepares a run. An error is the user's mistake, or the device is missing.
	Start(Choice) (Session, error)
}

// Session is a run in progress. Its methods return at once, unless they say otherwise.
type Session interface {
	// Begin starts the run, once. It is called when the screen is set up, which would
	// otherwise disturb the first batches.
	Begin()
	Snapshot(live.View) *live.Snapshot
	Pause(on bool)
	// Stop ends the run after the current batch; then the snapshot's state is Ended.
	Stop()
	// Speed scales the pace of a replay.
	Speed(factor float64) error
	// Skip moves a replay to the start of another phase, and pauses there. It restarts the
	// replay to move back.
	Skip(phases int) error
	// Record writes a recording from the next point on; an empty path ends the recording.
	Record(path string) error
	// Save writes the results so far, and returns where.
	Save() (path string, err error)
}

// What a session offers, and what the user chooses of it.
type (
	Choice  = session.Choice
	Catalog = session.Catalog
	Script  = session.Offer
	Option  = session.Option
	Device  = device.Info
)
