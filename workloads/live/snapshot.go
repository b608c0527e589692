// Package live keeps what is known of a run while it goes on, and shows it as it is at
// one moment.
//
// A Run listens to a run (run.Listener) and adds up what it hears, in a few microseconds
// for each batch and in bounded memory however long it takes. Whoever wants to look takes
// a Snapshot, a copy, as often as he likes and from another goroutine: so neither waits
// for the other. Who does not want to take anything from a batch meanwhile looks in a run.Gap.
package live

import (
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// View is what somebody wants to see of a run.
type View struct {
	Window   time.Duration // how far back series go; 0: to the begin of the run
	Columns  int           // bins of each series
	Op       string        // the operation that verdicts are about; empty: all
	Baseline int           // the scheme that the others are compared with
}

// Snapshot is a run at one moment. Nobody changes it any more.
type Snapshot struct {
	State   State
	Err     error         // why it ended, if not because all is done
	Elapsed time.Duration // since the run began, without pauses
	Done    float64       // the part of the run that is over; negative: nobody knows
	Left    time.Duration // how long it will take from here; negative: nobody knows

	Name, Title string // of the script or recording
	Replay      bool   // of a recording
	Speed       float64
	Recording   string // the file that the run is recorded in; empty: none
	Seed        uint64
	Device      device.Info
	Free        int64 // bytes of the device's memory that nobody has taken; negative: nobody knows

	Point            string // where on the axes, load=0.9; empty: there are none
	PointIndex       int
	PointOf          int
	Phase            string // prepare, or the name of the stage; empty: none yet
	PhaseIndex       int
	PhaseOf          int
	Warmup           bool    // what is measured now does not count
	Rate             float64 // at which operations arrive, a second; 0: a closed loop
	Input            string  // digest of the inputs of the phase so far
	Incomparable     string  // why schemes cannot be compared in this phase; empty: they can
	Mix              []Share // what the batches of the phase consist of
	Ops              []string
	Schemes          []Scheme // in the order in which they were given
	Log              []Entry  // the oldest first; the last few hundred
	Forgotten        int      // entries before those
	Baseline         int
	View             View
	Begin, End       time.Duration // of what series show, on the clock of Elapsed
	LoadFrom, LoadTo float64       // of the series over the load factor
	Counted          bool          // a second table of instrumented kernels is given the batches, too
	LeftOut          int           // schemes that lack something
	Finished         int           // schemes that went through the last point to its end
}

// State is how far a run is.
type State int

// The states of a run.
const (
	Starting State = iota
	Running
	Paused
	Ended
)

// Share is an operation's part of a batch.
type Share struct {
	Op   string
	Part float64
}

// Scheme is what is known of one scheme.
type Scheme struct {
	Name  string // as on the command line
	State SchemeState
	Why   string // it was left out, or failed
	Ops   []Op   // as Snapshot.Ops; those it did not do have no batches
	All   Op     // all operations together

	Load     float64
	Size     uint64 // pairs in the table
	Capacity uint64
	Bytes    int64              // of the table
	PerOp    map[string]float64 // what instrumented kernels counted in this phase, for each operation; nil: nothing
	Gauges   []schemes.Reading  // as they were read last
	Notes    []string           // what happened out of the ordinary, each once
	Verdict  Verdict            // against the baseline, of the operation of the view
}

// SchemeState is what has become of a scheme.
type SchemeState int

// The states of a scheme.
const (
	Waiting SchemeState = iota // it has no table yet
	Working
	Out    // it lacks what the script asks for
	Failed // it gave an error, ran out of memory, or hangs
)

// Op is one operation of one scheme, in the present phase and point unless it says
// otherwise.
type Op struct {
	Batches   uint64
	N         uint64
	Completed uint64
	Failed    uint64        // inserts that found no room
	Missing   uint64        // finds, updates and erases of keys that are not there
	Service   time.Duration // device time
	Now       float64       // Mop/s over the last second, or of the last batch; NaN: none in this phase
	Mean      float64       // Mop/s; NaN: nothing that counts was done
	Share     float64       // of the scheme's device time
	Times     Times         // service times of batches
	Responses Times         // response times of batches, in an open loop

	Series []Bin // over time, of the whole run: View.Columns bins from Snapshot.Begin to End
	ByLoad []Bin // over the load factor, of the whole run, too: View.Columns bins from LoadFrom to LoadTo
}

// Bin is what was done in a part of a series.
type Bin struct {
	Completed uint64
	Service   time.Duration
}

// Mops is the rate in a bin; of an empty one it is not a number.
func (b Bin) Mops() float64 { return float64(b.Completed) / (float64(b.Service) / 1e3) }

// Times is a distribution of times.
type Times struct {
	Count                       uint64
	Least, P50, P99, P999, Most time.Duration
	Steps                       []Step // from the least to the most, each a little longer than the one before by the same factor
}

// Step is how many times were longer than the step before it and at most so long.
type Step struct {
	UpTo  time.Duration
	Count uint64
}

// Verdict is how a scheme compares with the baseline, of batches that both were given.
type Verdict struct {
	Kind  VerdictKind
	Ratio float64 // of the rates: 1.2 is 20 percent faster
	Noise float64 // half the 95 percent interval of the ratio
	Pairs int     // of batches
}

// VerdictKind is what can be said of a scheme and the baseline.
type VerdictKind int

// The verdicts.
const (
	Unclear      VerdictKind = iota // too few batches, or too much noise, to tell
	IsBaseline                      // it is the baseline itself
	Incomparable                    // they were given different inputs, or did not do the operation
	Faster                          // by more than the noise, and more than SameWithin
	Slower
	Same // within SameWithin, and the noise does not reach beyond it
)

// SameWithin is the difference in rate that nobody would choose a scheme for.
const SameWithin = 0.02

// Entry is a line of the log.
type Entry struct {
	At     time.Duration // on the clock of Elapsed
	Where  string        // point and phase
	Batch  uint64        // of the phase; 0: none
	Scheme int           // -1: the run
	Kind   EntryKind
	Text   string
}

// EntryKind is what an entry is about.
type EntryKind int

// The kinds of entries.
const (
	Began EntryKind = iota // a point or a phase
	Note                   // a scheme or a script says something
	Failure
	Threshold
	Mismatch // an input or a result is not what it should be
	Command  // the user did something
)
