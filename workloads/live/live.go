package live

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Setup is what is known of a run before it begins.
type Setup struct {
	Name, Title string // of the script or recording
	Replay      bool   // of a recording
	Seed        uint64
	Device      device.Info
	Schemes     []string // as on the command line
	Counted     bool     // a second table of instrumented kernels is given the batches, too

	// Free is the memory that the device has left. It is asked for now and then by the
	// goroutine that the run is on, between batches; nil: nobody knows.
	Free func() (int64, error)
	// Now is the time of the world; nil: it is.
	Now func() time.Time
}

// Run is what is known of a run. Its methods may be called by any goroutine.
type Run struct {
	Setup
	mutex sync.Mutex

	began  time.Time
	halted time.Time     // since when it pauses; zero: it does not
	waited time.Duration // in pauses that are over
	state  State
	err    error

	progress     run.Progress
	incomparable string // in this phase
	warmup       bool
	ops          []string
	lanes        []*lane
	log          log
	finished     int
	most         float64 // load factor so far
	free         int64
	asked        time.Time // for free memory
	mix          mix
	rate         pace

	recording string
	speed     float64
}

// New is a run that is about to begin.
func New(s Setup) *Run {
	if s.Now == nil {
		s.Now = time.Now
	}
	r := &Run{Setup: s, began: s.Now(), speed: 1, free: -1}
	for _, name := range s.Schemes {
		r.lanes = append(r.lanes, newLane(name))
	}
	return r
}

// Hear makes it a run.Listener.
func (r *Run) Hear(e run.Event) error {
	r.ask()
	share := r.mixed(e)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.progress.Hear(e, r.elapsed())
	switch e := e.(type) {
	case run.PointBegan:
		r.point(e)
	case run.PhaseBegan:
		r.phase(e)
	case run.Measured:
		r.measured(e)
		r.mix.add(e, share)
	case run.Looked:
		r.lanes[e.Scheme].gauges = e.Gauges
	case run.Halted:
		r.halt(e.On)
	case run.Differed:
		r.incomparable = e.Why
		r.entry(Note, -1, 0, "not comparable: "+e.Why)
	case run.Noted:
		r.note(e.Scheme, r.lanes[e.Scheme].all.batches, e.Text)
	case run.Mismatched:
		r.entry(Mismatch, e.Scheme, r.lanes[e.Scheme].all.batches, e.Text)
	case run.Cleared:
		r.note(e.Scheme, r.lanes[e.Scheme].all.batches, "the script emptied the table")
	case run.Parted:
		r.part(e)
	case run.PointEnded:
		r.ended(e)
	}
	return nil
}

// ask asks for the device's free memory, at most once a second.
func (r *Run) ask() {
	if now := r.Now(); r.Free != nil && now.Sub(r.asked) >= time.Second {
		free, err := r.Free()
		r.mutex.Lock()
		defer r.mutex.Unlock()
		if r.asked = now; err == nil {
			r.free = free
		}
	}
}

func (r *Run) point(e run.PointBegan) {
	r.state = Running
	for i, l := range r.lanes {
		switch {
		case l.state == Failed:
		case e.Schemes[i] == "":
			l.state = Out
		default:
			*l = lane{name: e.Schemes[i], state: Working, ops: l.ops, all: l.all}
		}
		l.begin()
	}
	if len(e.Point) > 0 {
		r.entry(Began, -1, 0, "the tables are made")
	}
}

func (r *Run) phase(e run.PhaseBegan) {
	r.state = Running
	r.incomparable, r.mix, r.rate = "", mix{}, newPace(e.Stage)
	for _, l := range r.lanes {
		l.begin()
	}
	r.entry(Began, -1, 0, e.Name+" begins")
}

// halt stops the clock of the run, or lets it go on.
func (r *Run) halt(on bool) {
	if on {
		r.state, r.halted = Paused, r.Now()
		return
	}
	r.state, r.waited, r.halted = Running, r.waited+r.Now().Sub(r.halted), time.Time{}
}

func (r *Run) measured(e run.Measured) {
	op := slices.Index(r.ops, e.Sample.Op)
	if op < 0 {
		op, r.ops = len(r.ops), append(r.ops, e.Sample.Op)
	}
	r.warmup, r.most = e.Warmup, max(r.most, e.Sample.Load)
	r.rate.add(e)
	l := r.lanes[e.Scheme]
	l.add(r.elapsed(), op, e)
	if n := e.Sample.Counts.Get("failed"); n > 0 {
		r.note(e.Scheme, l.all.batches, failedText(e.Sample.Op, n))
	}
}

func (r *Run) part(e run.Parted) {
	l := r.lanes[e.Scheme]
	l.state, l.why = Out, e.Why.Reason
	if e.Why.Failed {
		l.state = Failed
		r.entry(Failure, e.Scheme, l.all.batches, l.why)
		return
	}
	if e.Why.Where != "" {
		l.why += " (" + e.Why.Where + ")"
	}
	r.entry(Note, e.Scheme, l.all.batches, "left out: "+l.why)
}

func (r *Run) ended(e run.PointEnded) {
	r.finished = len(e.Summaries)
	for _, s := range e.Summaries {
		for _, t := range s.Thresholds {
			if !t.Holds {
				r.entry(Threshold, r.scheme(s), 0, thresholdText(t))
			}
		}
	}
}

// scheme is the scheme of a summary.
func (r *Run) scheme(s results.Summary) int {
	return slices.IndexFunc(r.lanes, func(l *lane) bool { return l.name == s.Scheme })
}

// End says that the run is over, and why if not because all is done.
func (r *Run) End(err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.state == Ended {
		return
	}
	if r.halted.IsZero() { // the clock stands still from now on
		r.halted = r.Now()
	}
	r.state, r.err = Ended, err
	if hang := new(engine.HangError); errors.As(err, &hang) && !errors.As(err, new(run.SchemesFailed)) {
		r.hung(hang)
	}
	if err != nil {
		r.entry(Failure, -1, 0, err.Error())
	}
}

// hung says of all schemes that were still at work why they are not any more: the run could
// not go on without the one that hangs.
func (r *Run) hung(hang *engine.HangError) {
	for _, l := range r.lanes {
		if l.state == Working {
			l.state, l.why = Failed, hang.Error()
		}
	}
}

// Command puts into the log what the user did.
func (r *Run) Command(text string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.entry(Command, -1, 0, text)
}

// Said puts into the log what a script printed for a scheme.
func (r *Run) Said(scheme, line string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.entry(Note, slices.IndexFunc(r.lanes, func(l *lane) bool { return l.name == scheme }), 0, line)
}

// Recorded says in which file the run is recorded; empty: in none.
func (r *Run) Recorded(path string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.recording = path
}

// Sped says how fast a replay goes.
func (r *Run) Sped(factor float64) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.speed = factor
}
