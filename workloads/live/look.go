package live

import (
	"math"
	"slices"
	"time"
)

// Snapshot is the run as it is now.
func (r *Run) Snapshot(v View) *Snapshot {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	now := r.elapsed()
	f := framed(v, now)
	v.Baseline = min(max(v.Baseline, 0), max(len(r.lanes)-1, 0))
	p := &r.progress
	s := &Snapshot{
		State: r.state, Err: r.err, Elapsed: now, Done: p.Done(now), Left: p.Left(now),
		Name: r.Name, Title: r.Title, Replay: r.Replay, Speed: r.speed, Recording: r.recording, Seed: r.Seed, Device: r.Device, Free: r.free,
		Point: p.Point.Point.String(), PointIndex: p.Point.Index, PointOf: p.Point.Of,
		Phase: p.Phase.Name, PhaseIndex: p.Phase.Index, PhaseOf: p.Phase.Of, Warmup: r.warmup, Rate: r.rate.perSecond(),
		Incomparable: r.incomparable, Mix: r.mix.shares(), Ops: append([]string(nil), r.ops...),
		Log: append([]Entry(nil), r.log.entries...), Forgotten: r.log.forgotten,
		Baseline: v.Baseline, View: v, Begin: f.begin, End: f.end(), LoadTo: 1, Counted: r.Counted, Finished: r.finished,
	}
	if r.most > 1 {
		s.LoadTo = float64(loadBins-1) / loadWidth
	}
	if r.state == Ended && r.err == nil {
		s.Done, s.Left = 1, 0
	}
	d := drawing{Snapshot: s, frame: f, room: make([]Bin, 2*f.columns*(len(r.ops)+1)*len(r.lanes))}
	for i, l := range r.lanes {
		shown := d.lane(l, len(r.ops))
		shown.Verdict = r.verdict(i, v)
		s.Schemes = append(s.Schemes, shown)
		if s.Input == "" && l.state == Working {
			s.Input = l.input.String()
		}
		if l.state == Out {
			s.LeftOut++
		}
	}
	return s
}

// verdict is how a scheme compares with the baseline.
func (r *Run) verdict(i int, v View) Verdict {
	op := -1
	if v.Op != "" {
		if op = slices.Index(r.ops, v.Op); op < 0 {
			return Verdict{}
		}
	}
	l, base := r.lanes[i], r.lanes[v.Baseline]
	switch {
	case i == v.Baseline:
		return Verdict{Kind: IsBaseline, Ratio: 1}
	case r.incomparable != "" || l.gone() || base.gone():
		return Verdict{Kind: Incomparable}
	}
	return l.outcomes.verdict(&base.outcomes, op)
}

// gone says whether a scheme does nothing any more.
func (l *lane) gone() bool { return l.state == Out || l.state == Failed }

// drawing is a snapshot that is being made.
type drawing struct {
	*Snapshot
	frame frame
	room  []Bin // for series
}

func (d *drawing) lane(l *lane, ops int) Scheme {
	s := Scheme{Name: l.name, State: l.state, Why: l.why, All: d.operation(l.all, l.all.service),
		Load: l.load, Size: l.size, Capacity: l.capacity, Bytes: l.bytes, Gauges: l.gauges, Notes: l.notes.Texts()}
	for i := range ops {
		var o *operation
		if i < len(l.ops) {
			o = l.ops[i]
		}
		s.Ops = append(s.Ops, d.operation(o, l.all.service))
	}
	if d.Counted && l.counted > 0 {
		s.PerOp = l.counts.PerOp(l.counted)
	}
	return s
}

// operation is one of a scheme, which has taken that much device time in all.
func (d *drawing) operation(o *operation, all time.Duration) Op {
	shown := Op{Now: math.NaN(), Mean: math.NaN(), Series: d.take(), ByLoad: d.take()}
	if o == nil {
		return shown
	}
	shown.Batches, shown.N, shown.Completed, shown.Failed, shown.Missing = o.batches, o.n, o.completed, o.failed, o.missing
	shown.Service, shown.Now, shown.Mean = o.service, o.now(d.Elapsed), o.mean()
	shown.Share = float64(o.service) / float64(max(all, 1))
	shown.Times, shown.Responses = o.times.show(), o.responses.show()
	o.series.show(d.frame, d.Elapsed, shown.Series)
	o.series.byLoad(d.LoadTo, shown.ByLoad)
	return shown
}

// take is room for a series.
func (d *drawing) take() []Bin {
	n := d.frame.columns
	taken := d.room[:n:n]
	d.room = d.room[n:]
	return taken
}
