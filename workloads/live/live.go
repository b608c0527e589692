package live

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Setup describes a run before it begins.
type Setup struct {
	About
	Schemes []string         // as on the command line
	Now     func() time.Time // defaults to time.Now
}

// Run is the state of a run. Its methods may be called by any goroutine.
type Run struct {
	Setup
	mutex sync.Mutex
	now   Snapshot // without the fields that depend on the view or the time

	began  time.Time
	halted time.Time     // since when it has paused; zero: it has not
	waited time.Duration // in earlier pauses

	progress run.Progress
	lanes    []*lane
	log      []*Entry
	mix      mix
}

// New returns a run that is about to begin.
func New(s Setup) *Run {
	if s.Now == nil {
		s.Now = time.Now
	}
	r := &Run{Setup: s, began: s.Now(), now: Snapshot{About: s.About}}
	r.enter(s.Schemes)
	return r
}

// Hear is a run.Listener.
func (r *Run) Hear(e run.Event) error {
	r.mixed(e)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.progress.Hear(e, r.elapsed())
	switch e := e.(type) {
	case run.PointBegan:
		r.point(e)
	case run.PhaseBegan:
		r.now.State = Running
		r.now.Incomparable, r.mix = "", mix{stage: e.Stage}
		r.now.Phases++
		for _, l := range r.lanes {
			l.begin()
		}
		r.begins(e.Name + " begins")
	case run.Measured:
		r.measured(e)
		r.mix.add(e)
	case run.Looked:
		r.lanes[e.Scheme].Gauges = e.Gauges
	case run.Halted:
		if e.On { // the clock of the run stands still
			r.now.State, r.halted = Paused, r.Now()
		} else {
			r.now.State, r.waited, r.halted = Running, r.waited+r.Now().Sub(r.halted), time.Time{}
		}
	case run.Differed:
		r.now.Incomparable = e.Why
		r.entry(Note, -1, 0, "not comparable: "+e.Why)
	case run.Noted:
		r.note(e.Scheme, e.Text)
	case run.Mismatched:
		r.entry(Mismatch, e.Scheme, r.lanes[e.Scheme].all.Batches, e.Text)
	case run.Cleared:
		r.lanes[e.Scheme].Scheme.Failed = 0
		r.note(e.Scheme, "the script emptied the table")
	case run.Parted:
		r.part(e)
	case run.PointEnded:
		for _, s := range e.Summaries {
			for _, t := range lists.Filter(s.Thresholds, func(t results.Threshold) bool { return !t.Holds }) {
				r.entry(Threshold, r.scheme(s.Scheme), 0, fmt.Sprintf("threshold %s does not hold: it is %v", t.Condition, t.Value))
			}
		}
	}
	return nil
}

func (r *Run) point(e run.PointBegan) {
	r.now.State = Running
	if e.Given != nil && !slices.Equal(e.Given, r.Schemes) {
		r.enter(e.Given)
	}
	for i, l := range r.lanes {
		switch {
		case l.State == Failed:
		case e.Schemes[i] == "":
			l.State = Out
		default:
			*l = lane{Scheme: Scheme{Name: e.Schemes[i], State: Working}, ops: l.ops, all: l.all, curves: l.curves}
		}
		l.begin()
	}
	if len(e.Point) > 0 {
		r.begins("the tables are made")
	}
}

// begins logs the first lap only, so that later ones drive nothing out of the log.
func (r *Run) begins(what string) {
	if r.progress.Point.Lap == 0 {
		r.entry(Began, -1, 0, what)
	}
}

// enter makes lanes for other schemes: a search runs one set after another.
func (r *Run) enter(given []string) {
	for _, e := range r.log {
		if e.Scheme >= 0 {
			e.Text, e.Scheme = r.lanes[e.Scheme].Name+": "+e.Text, -1
		}
	}
	r.Schemes, r.now.Ops, r.now.Curves = given, nil, nil
	r.lanes = lists.Map(given, func(name string) *lane { return &lane{Scheme: Scheme{Name: name}, all: newOperation()} })
}

func (r *Run) measured(e run.Measured) {
	op := slices.Index(r.now.Ops, e.Sample.Op)
	if op < 0 {
		op, r.now.Ops = len(r.now.Ops), append(r.now.Ops, e.Sample.Op)
		for _, l := range r.lanes {
			l.ops = append(l.ops, newOperation())
		}
	}
	r.now.Warmup = e.Warmup
	l := r.lanes[e.Scheme]
	l.add(r.elapsed(), op, e)
	r.plot(e)
	if n := e.Sample.Counts.Get("failed"); n > 0 && !e.Refused {
		r.note(e.Scheme, fmt.Sprintf("%s: %d found no room", e.Sample.Op, n))
	}
}

func (r *Run) part(e run.Parted) {
	l := r.lanes[e.Scheme]
	l.State, l.Why = Out, e.Why.Reason
	if e.Why.Eliminated {
		r.entry(Note, e.Scheme, l.all.Batches, "eliminated: "+l.Why)
		return
	}
	if e.Why.Failed {
		l.State = Failed
		r.entry(Failure, e.Scheme, l.all.Batches, l.Why)
		return
	}
	if e.Why.Where != "" {
		l.Why += " (" + e.Why.Where + ")"
	}
	r.entry(Note, e.Scheme, l.all.Batches, "left out: "+l.Why)
}

// scheme returns the number of a scheme; -1: unknown.
func (r *Run) scheme(name string) int {
	return slices.IndexFunc(r.lanes, func(l *lane) bool { return l.Name == name })
}

// End ends the run, with the error that ended it early.
func (r *Run) End(err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.now.State == Ended {
		return
	}
	if r.halted.IsZero() { // stops the clock
		r.halted = r.Now()
	}
	r.now.State, r.now.Err = Ended, err
	if hang := new(engine.HangError); errors.As(err, &hang) && !errors.As(err, new(run.SchemesFailed)) {
		for _, l := range r.lanes { // one scheme hangs, and all end
			if l.State == Working {
				l.State, l.Why = Failed, hang.Error()
			}
		}
	}
	if err != nil {
		r.entry(Failure, -1, 0, err.Error())
	}
}

// Log adds an entry for a scheme; without a name, for the run.
func (r *Run) Log(kind EntryKind, scheme, text string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.entry(kind, r.scheme(scheme), 0, text)
}

// Set changes what a run says about itself.
func (r *Run) Set(change func(*Snapshot)) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	change(&r.now)
}

const (
	logged   = 400                           // entries
	maxKinds = 40                            // of notes of one scheme in one phase
	more     = "further notes are not shown" // stands for all notes of further kinds
)

// notes are those of one scheme in one phase. Those that differ only in numbers share an entry, which counts them.
type notes struct {
	run.Notes
	entries []*Entry // of each kind
}

// note adds a note to the log, or to the entry of its kind.
func (r *Run) note(scheme int, text string) {
	l := r.lanes[scheme]
	if len(l.notes.entries) >= maxKinds {
		text = more
	}
	kind := l.notes.Add(text)
	if kind == len(l.notes.entries) {
		l.notes.entries = append(l.notes.entries, nil)
	}
	text = l.notes.Kind(kind)
	if entry := l.notes.entries[kind]; slices.Contains(r.log, entry) {
		entry.Text = text
	} else {
		l.notes.entries[kind] = r.entry(Note, scheme, l.all.Batches, text)
	}
}

func (r *Run) entry(kind EntryKind, scheme int, batch uint64, text string) *Entry {
	if len(r.log) == logged {
		r.log = slices.Delete(r.log, 0, 1)
		r.now.Forgotten++
	}
	e := &Entry{At: r.elapsed(), Where: r.progress.Where(), Batch: batch, Scheme: scheme, Kind: kind, Text: text}
	r.log = append(r.log, e)
	return e
}

// elapsed is the time since the run began, without pauses.
func (r *Run) elapsed() time.Duration {
	now := lists.Either(r.halted.IsZero(), r.Now(), r.halted)
	return now.Sub(r.began) - r.waited
}

const sampledOps = 1 << 14 // of a mixed batch, counted to find its parts

// mix is the parts of the batches of a phase, and the rate at which they arrive, seen on one scheme.
type mix struct {
	stage run.Stage
	of    int // the scheme, counted from 1; 0: none yet
	total float64
	parts []Share // in order of appearance
	mixed []Share // of mixed batches; only Hear uses it

	n  uint64        // operations that count
	at time.Duration // of the last batch that counts
}

// mixed reads the parts of the first mixed batch of a phase, before the lock is taken. The others are alike.
func (r *Run) mixed(e run.Event) {
	m, ok := e.(run.Measured)
	if !ok || m.Sample.Op != engine.Mix || m.Input == nil || r.mix.mixed != nil { // only Hear changes it
		return
	}
	ops, err := m.Input.Ops(sampledOps)
	if err != nil {
		return
	}
	for op, name := range kernels.Ops {
		if n := bytes.Count(ops, []byte{byte(op)}); n > 0 {
			r.mix.mixed = append(r.mix.mixed, Share{name, float64(n) / float64(len(ops))})
		}
	}
}

func (m *mix) add(e run.Measured) {
	m.of = cmp.Or(m.of, e.Scheme+1)
	if m.of != e.Scheme+1 || e.Sample.N == 0 {
		return
	}
	if !e.Warmup {
		m.n, m.at = m.n+e.Sample.N, e.At
	}
	parts := lists.Either(e.Sample.Op == engine.Mix && m.mixed != nil, m.mixed, []Share{{e.Sample.Op, 1}})
	m.total += float64(e.Sample.N)
	for _, p := range parts {
		lists.At(&m.parts, func(s Share) bool { return s.Op == p.Op }, Share{Op: p.Op}).Part += p.Part * float64(e.Sample.N)
	}
}

func (m *mix) shares() []Share {
	shares := slices.Clone(m.parts)
	for i := range shares {
		shares[i].Part /= m.total
	}
	return shares
}

// perSecond is the rate of the stage, or of a schedule so far; 0: none.
func (m *mix) perSecond() float64 {
	return lists.Either(m.stage.Schedule != nil && m.n > 0, float64(m.n)/max(m.at, time.Millisecond).Seconds(), m.stage.Rate)
}
