package live

import (
	"math"
	"slices"
	"time"
)

// Snapshot returns the present state of the run.
func (r *Run) Snapshot(v View) *Snapshot {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	now := r.elapsed()
	f := framed(v, now)
	v.Baseline = min(max(v.Baseline, 0), max(len(r.lanes)-1, 0))
	p, s := &r.progress, r.now
	s.Elapsed, s.Done, s.Left, s.Rate = now, p.Done(now), p.Left(now), r.rate.perSecond()
	s.Point, s.PointIndex, s.PointOf = p.Point.Point.String(), p.Point.Index, p.Point.Of
	s.Phase, s.PhaseIndex, s.PhaseOf = p.Phase.Name, p.Phase.Index, p.Phase.Of
	s.Mix, s.Ops, s.Log, s.Forgotten = r.mix.shares(), slices.Clone(s.Ops), slices.Clone(r.log.entries), r.log.forgotten
	s.View, s.Begin, s.End, s.LoadTo = v, f.begin, f.end(), 1
	if r.most > 1 {
		s.LoadTo = float64(loadBins-1) / loadWidth
	}
	if s.State == Ended && s.Err == nil {
		s.Done, s.Left = 1, 0
	}
	d := drawing{Snapshot: &s, frame: f, room: make([]Bin, 2*f.columns*(len(s.Ops)+1)*len(r.lanes))}
	for i, l := range r.lanes {
		shown := d.lane(l, len(s.Ops))
		shown.Verdict = r.verdict(i, v)
		s.Schemes = append(s.Schemes, shown)
		if s.Input == "" && l.State == Working {
			s.Input = l.input.String()
		}
	}
	return &s
}

// verdict compares a scheme with the baseline.
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
		return Verdict{Kind: IsBaseline, Ratio: 1}
	case r.now.Incomparable != "" || l.gone() || base.gone():
		return Verdict{Kind: Incomparable}
	}
	return l.outcomes.verdict(&base.outcomes, op)
}

func (l *lane) gone() bool { return l.State == Out || l.State == Failed }

// drawing is a snapshot under construction.
type drawing struct {
	*Snapshot
	frame frame
	room  []Bin // for series
}

func (d *drawing) lane(l *lane, ops int) Scheme {
	s := l.Scheme
	s.All, s.Notes = d.operation(l.all, l.all.Service), l.notes.Texts()
	for i := range ops {
		var o *operation
		if i < len(l.ops) {
			o = l.ops[i]
		}
		s.Ops = append(s.Ops, d.operation(o, l.all.Service))
	}
	if d.Counted && l.counted > 0 {
		s.PerOp = l.counts.PerOp(l.counted)
	}
	return s
}

// operation shows an operation of a scheme that has taken this much device time in all.
func (d *drawing) operation(o *operation, all time.Duration) Op {
	shown := Op{Now: math.NaN(), Mean: math.NaN(), Series: d.take(), ByLoad: d.take()}
	if o == nil {
		return shown
	}
	shown.Totals, shown.Now, shown.Mean = o.Totals, o.now(d.Elapsed), o.mean()
	shown.Share = float64(o.Service) / float64(max(all, 1))
	shown.Times, shown.Responses = o.times.show(), o.responses.show()
	o.series.show(d.frame, d.Elapsed, shown.Series)
	o.series.byLoad(d.LoadTo, shown.ByLoad)
	return shown
}

func (d *drawing) take() []Bin {
	n := d.frame.columns
	taken := d.room[:n:n]
	d.room = d.room[n:]
	return taken
}
