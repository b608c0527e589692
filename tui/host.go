// Package tui is the terminal interface: schemes side by side, while they run.
//
// It looks at a run a few times a second through snapshots (workloads/live), between two
// batches where it can, and never touches a device, so that it does not disturb what is
// measured. What it shows of schemes it reads from what they declare.
package tui

import (
	"context"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// Host is the program around the interface.
type Host interface {
	Catalog() Catalog
	// Start makes a run ready. An error is the user's mistake, or there is no such device.
	Start(Choice) (Session, error)
}

// Session is a run that is going on, and what can be done to it. None of it waits for a
// batch, except as it says.
type Session interface {
	// Begin lets the run begin, once: when there is a screen for it, for what a screen needs
	// to begin with would be taken from the first batches.
	Begin()
	Snapshot(live.View) *live.Snapshot
	// Between waits until no batch runs, or the context ends. The next batch waits until
	// leave is called, or for a moment if it is not.
	Between(context.Context) (leave func())
	Pause(on bool)
	// Stop ends the run after the batch that is under way; the snapshot says when it has.
	Stop()
	// Speed scales the pace of a replay.
	Speed(factor float64) error
	// Skip goes to the begin of a later phase of a replay, as fast as can be, and pauses
	// there; to that of an earlier one from the start.
	Skip(phases int) error
	// Record records into a file from the next point on, or, with an empty path, no more.
	Record(path string) error
	// Save writes the results so far, and returns where.
	Save() (path string, err error)
}

// Choice is what a user chooses before a run: what is said with the arguments and flags
// of the command.
type Choice struct {
	Script  string   // or a recording
	Schemes []string // each as on the command line; none: all that can
	Device  string
	Seed    uint64
	Set     []string // name=value
	Axis    []string // name=values
}

// Catalog is what there is to choose from.
type Catalog struct {
	Scripts []Script
	Devices []Device
	Default Choice
}

// Script is a script that ships or lies in the current folder, or a recording there.
type Script struct {
	Name, Title string
	Options     []Option // and axes
	Err         error    // why it cannot be run; nil: it can
}

// Option is what can be chosen about a script.
type Option struct {
	Name, Default, Help string
	Axis                bool
}

// Device is a device that is there.
type Device struct{ Name, Model string }
