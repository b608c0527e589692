// Package live follows a run, and takes snapshots of it.
//
// Run.Hear is a run.Listener. It sums up what it hears in a few microseconds per batch, and in bounded memory however
// long the run is. Any goroutine may take a Snapshot, a copy, at any time: neither waits for the other.
package live

import (
	"math"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// View selects what a snapshot shows.
type View struct {
	Window   time.Duration // how far back series go; 0: to the beginning
	Columns  int           // bins of each series
	Op       string        // the operation of verdicts; empty: all
	Baseline int           // the scheme that the others are compared with
	Curve    int           // of Snapshot.Curves, counted from 1; 0: that of the operation in the present phase
}

// About describes a run before it begins.
type About struct {
	Name      string // of the script or recording
	Replay    bool   // of a recording
	Seed      uint64
	Device    device.Info
	Counted   bool    // a second table of instrumented kernels runs the same batches
	Speed     float64 // of a replay
	Recording string  // the file of the recording; empty: none
}

// Snapshot is a run at one moment. It is immutable.
type Snapshot struct {
	About
	State   State
	Err     error         // why it ended early
	Elapsed time.Duration // since the run began, without pauses
	Done    float64       // the finished part of the run; negative: unknown
	Left    time.Duration // the estimated time left; negative: unknown
	Machine device.State  // when it was last asked, between batches

	Point        run.PointBegan // the present one
	Phase        run.PhaseBegan // the present one; without a name: none yet
	Phases       int            // that have begun, through all points
	Warmup       bool           // present measurements do not count
	Rate         float64        // of an open loop, operations a second; 0: a closed loop
	Input        string         // digest of the inputs of the phase so far
	Incomparable string         // why schemes cannot be compared in this phase; empty: they can
	Mix          []Share        // the parts of the phase's batches
	Ops          []string
	Schemes      []Scheme // in the given order
	Log          []Entry  // the last few hundred, the oldest first
	Forgotten    int      // entries before those
	View         View
	Begin, End   time.Duration // of series over time, on the clock of Elapsed
	Curves       []Curve       // that can be drawn over the load factor
	Curve        int           // the one of the view; -1: none yet
}

// State is the progress of a run.
type State int

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

// Scheme is one scheme of a run.
type Scheme struct {
	Name  string // as on the command line
	State SchemeState
	Why   string // why it was left out, or failed
	Ops   []Op   // as Snapshot.Ops; without batches if not done
	All   Op     // all operations together

	Load     float64
	Failed   uint64 // operations that found no room since the table was empty
	Lost     bool   // the table lacks pairs that it should have: its rates are not ranked
	Size     uint64 // pairs in the table
	Capacity uint64
	Bytes    int64              // of the table
	PerOp    map[string]float64 // counters of instrumented kernels in this phase, per operation; nil: none
	Gauges   []schemes.Reading  // the last reading
	Notes    []string           // of unusual events, each once
	Verdict  Verdict            // against the baseline, of the operation of the view
	ByLoad   []Spot             // of the curve of the view, sorted by load factor
}

// SchemeState is the state of a scheme.
type SchemeState int

const (
	Waiting SchemeState = iota // has no table yet
	Working
	Out    // lacks something that the script needs
	Failed // returned an error, ran out of memory, or hangs
)

// Op is one operation of one scheme in the present phase. Series are of the whole run.
type Op struct {
	Totals
	Now       float64 // Mop/s over the last second, or of the last batch; NaN: no batch in this phase
	Mean      float64 // Mop/s; NaN: no batch that counts
	Median    float64 // Mop/s of the median batch, within a percent; NaN: too few batches
	HitsNow   float64 // the part of the last batch of lookups that found its key; NaN: no such batch in this phase
	Share     float64 // of the scheme's device time
	Times     Times   // service times of batches
	Responses Times   // response times of batches, in an open loop

	Series []Bin // over time: View.Columns bins from Snapshot.Begin to End
}

// Totals are sums over the batches of a phase.
type Totals struct {
	Batches, N, Completed uint64
	Failed                uint64        // inserts that found no room
	Missing               uint64        // finds, updates and erases of absent keys
	Lookups, Hits         uint64        // those that change nothing, and those of them that found their key
	Evicted               uint64        // pairs that left for others
	Service               time.Duration // device time
}

// Bin is the work done in a part of a series.
type Bin struct {
	Completed uint64
	Service   time.Duration
}

// Mops is the rate in a bin; NaN if it is empty.
func (b Bin) Mops() float64 { return float64(b.Completed) / (float64(b.Service) / 1e3) }

// Times is a distribution of times. A percentile is 0 if there are too few times for it.
type Times struct {
	Count                       uint64
	Least, P50, P99, P999, Most time.Duration
	Steps                       []Step // from the least to the most, on a logarithmic scale
}

// Step is the number of times up to a limit, and above the limit of the step before.
type Step struct {
	UpTo  time.Duration
	Count uint64
}

// Verdict compares a scheme with the baseline, by batches that both have run.
type Verdict struct {
	None  string // why there is no verdict: Baseline, OtherInput or LostPairs; empty: there is one
	Kind  analysis.Kind
	Ratio float64 // of the rates: 1.2 is 20 percent faster
	Noise float64 // half the 95 percent interval of the ratio
	Pairs int     // of batches
}

// The reasons for no verdict.
const (
	Baseline   = "baseline"
	OtherInput = "other input" // or one did not do the operation
	LostPairs  = "lost pairs"  // inserts failed in one of the tables, which hold different pairs
)

// Entry is a line of the log.
type Entry struct {
	At     time.Duration // on the clock of Elapsed
	Where  string        // point and phase
	Batch  uint64        // of the phase; 0: none
	Scheme int           // -1: the run
	Kind   EntryKind
	Text   string
}

// EntryKind is the kind of an entry.
type EntryKind int

const (
	Began EntryKind = iota // a point or a phase
	Note                   // of a scheme or a script
	Failure
	Threshold
	Mismatch // a wrong input or result
	Command  // of the user
)

// Snapshot returns the present state of the run.
func (r *Run) Snapshot(v View) *Snapshot {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	now := r.elapsed()
	f := framed(v, now)
	v.Baseline = min(max(v.Baseline, 0), max(len(r.lanes)-1, 0))
	p, s := &r.progress, r.now
	s.Elapsed, s.Done, s.Left, s.Rate = now, p.Done(now), p.Left(now), r.mix.perSecond()
	s.Point, s.Phase = p.Point, p.Phase
	s.Mix, s.Ops = r.mix.shares(), slices.Clone(s.Ops)
	s.Log = lists.Map(r.log, func(e *Entry) Entry { return *e })
	s.View, s.Begin, s.End = v, f.begin, f.end()
	s.Curves, s.Curve = slices.Clone(s.Curves), r.curve(v)
	if s.State == Ended && s.Err == nil {
		s.Done, s.Left = 1, 0
	}
	for i, l := range r.lanes {
		shown := s.lane(l, f)
		shown.Verdict, shown.Lost = r.verdict(i, v), r.lost(l)
		if s.Curve >= 0 {
			shown.ByLoad = slices.Clone(l.curves[s.Curve])
		}
		s.Schemes = append(s.Schemes, shown)
		if s.Input == "" && l.State == Working {
			s.Input = l.input.String()
		}
	}
	return &s
}

func (r *Run) verdict(i int, v View) Verdict {
	op := -1
	if v.Op != "" {
		if op = slices.Index(r.now.Ops, v.Op); op < 0 {
			return Verdict{}
		}
	}
	l, base := r.lanes[i], r.lanes[v.Baseline]
	switch {
	case i == v.Baseline:
		return Verdict{None: Baseline, Ratio: 1}
	case r.now.Incomparable != "" || l.gone() || base.gone():
		return Verdict{None: OtherInput}
	case l.Failed+base.Failed > 0 && l.Size != base.Size:
		return Verdict{None: LostPairs}
	}
	return l.outcomes.verdict(&base.outcomes, op)
}

// lost reports whether failed inserts left a table without pairs. Some schemes also count inserts of present keys as
// failed: then it is as large as another one in which none failed.
func (r *Run) lost(l *lane) bool {
	whole := func(other *lane) bool { return other.Scheme.Failed == 0 && other.Size == l.Size }
	return l.Scheme.Failed > 0 && !slices.ContainsFunc(r.lanes, whole)
}

func (l *lane) gone() bool { return l.State == Out || l.State == Failed }

func (s *Snapshot) lane(l *lane, f frame) Scheme {
	shown := l.Scheme
	shown.All, shown.Notes = s.operation(l.all, l.all.Service, f), l.notes.Texts()
	shown.Ops = lists.Map(l.ops, func(o *operation) Op { return s.operation(o, l.all.Service, f) })
	if n := l.counted.N; s.Counted && n > 0 {
		shown.PerOp = l.counted.Counts.PerOp(n)
	}
	return shown
}

// operation shows an operation of a scheme that has taken this much device time in all.
func (s *Snapshot) operation(o *operation, all time.Duration, f frame) Op {
	end := (s.Elapsed/widths[0] + 1) * widths[0]
	recent := o.series.levels[0].sum(max(0, end-lately), end)
	if recent.Service == 0 || o.latest == (Bin{}) {
		recent = o.latest
	}
	shown := Op{Totals: o.Totals, Now: recent.Mops(), Mean: Bin{o.Completed, o.Service}.Mops(), Median: math.NaN(), HitsNow: o.hits,
		Share: float64(o.Service) / float64(max(all, 1)), Times: o.times.show(), Responses: o.responses.show(),
		Series: make([]Bin, f.columns)}
	if pace := o.paces.quantile(0.5); pace > 0 {
		shown.Median = Bin{1e6, pace}.Mops()
	}
	o.series.show(f, s.Elapsed, shown.Series)
	return shown
}
