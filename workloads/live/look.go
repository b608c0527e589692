package live

import (
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
	s.Elapsed, s.Done, s.Left, s.Rate = now, p.Done(now), p.Left(now), r.mix.perSecond()
	s.Point, s.PointIndex, s.PointOf = p.Point.Point.String(), p.Point.Index, p.Point.Of
	s.Phase, s.PhaseIndex, s.PhaseOf = p.Phase.Name, p.Phase.Index, p.Phase.Of
	s.Mix, s.Ops = r.mix.shares(), slices.Clone(s.Ops)
	for _, e := range r.log {
		s.Log = append(s.Log, *e)
	}
	s.View, s.Begin, s.End, s.LoadTo = v, f.begin, f.end(), 1
	if r.most > 1 {
		s.LoadTo = float64(loadBins-1) / loadWidth
	}
	if s.State == Ended && s.Err == nil {
		s.Done, s.Left = 1, 0
	}
	for i, l := range r.lanes {
		shown := s.lane(l, f)
		shown.Verdict = r.verdict(i, v)
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
		return Verdict{Kind: IsBaseline, Ratio: 1}
	case r.now.Incomparable != "" || l.gone() || base.gone():
		return Verdict{Kind: Incomparable}
	}
	return l.outcomes.verdict(&base.outcomes, op)
}

func (l *lane) gone() bool { return l.State == Out || l.State == Failed }

func (s *Snapshot) lane(l *lane, f frame) Scheme {
	shown := l.Scheme
	shown.All, shown.Notes = s.operation(l.all, l.all.Service, f), l.notes.Texts()
	for _, o := range l.ops {
		shown.Ops = append(shown.Ops, s.operation(o, l.all.Service, f))
	}
	if s.Counted && l.counted > 0 {
		shown.PerOp = l.counts.PerOp(l.counted)
	}
	return shown
}

// operation shows an operation of a scheme that has taken this much device time in all.
func (s *Snapshot) operation(o *operation, all time.Duration, f frame) Op {
	shown := Op{Totals: o.Totals, Now: o.now(s.Elapsed), Mean: Bin{o.Completed, o.Service}.Mops(),
		Share: float64(o.Service) / float64(max(all, 1)), Times: o.times.show(), Responses: o.responses.show(),
		Series: make([]Bin, f.columns), ByLoad: make([]Bin, f.columns)}
	o.series.show(f, s.Elapsed, shown.Series)
	o.series.byLoad(s.LoadTo, shown.ByLoad)
	return shown
}
