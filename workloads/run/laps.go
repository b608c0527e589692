package run

import (
	"context"
	"maps"
	"math"
	"time"

	"github.com/hashzoo/hashzoo/runtime/results"
)

// A run with a time (Plan.For) visits all points lap after lap until the time is over. Each lap has new tables and a new
// instance of the script, with the same seed. The figures of a point are those of all its laps together.

// Forever is the time of a run that goes on until it is told that it is enough, or stopped.
const Forever = time.Duration(math.MaxInt64)

// earlier is kept of a point from one lap to the next: each scheme's measurements, and why it has left.
type earlier struct {
	members []*member
	differs map[string]string // as point.differs
}

// laps visits all points, once or until the time is over. A lap that no scheme ends is the last one.
func (r *runner) laps(ctx context.Context) error {
	r.earlier, r.deadline = make([]earlier, len(r.Points)), r.clock.Now().Add(r.For)
	for before := -1; before < r.ended; r.lap++ {
		before = r.ended
		for i, at := range r.Points {
			if (r.lap > 0 || i > 0) && r.enough() {
				return nil
			}
			if err := newPoint(r, i, at).run(ctx); err != nil {
				return err
			}
		}
		if r.For == 0 {
			return nil
		}
	}
	return nil
}

// enough reports whether the run is to end after the current round.
func (r *runner) enough() bool {
	return r.Control.now().enough || r.For > 0 && !r.clock.Now().Before(r.deadline)
}

// resume gives a point what its earlier laps have measured. Schemes that have left stay away, and the rehearsal of the
// first lap is one for all.
func (p *point) resume() {
	if p.lap == 0 {
		return
	}
	if p.Rehearse && !p.digests {
		p.verify, p.digests, p.counted = false, false, false
	}
	for _, m := range p.earlier[p.index].members {
		if m.left == nil && p.aside[m.index] {
			m.left = &results.LeftOut{Scheme: m.Scheme(), Point: p.at.Map(), Reason: "failed at another point", Failed: true}
		}
		if m.left != nil {
			p.gone = append(p.gone, m)
		}
	}
}

// before returns the member of the last lap; one without figures if there is none.
func (p *point) before(scheme int) *member {
	for _, m := range p.earlier[p.index].members {
		if m.index == scheme {
			return m
		}
	}
	return &member{}
}

// keep keeps what the next lap at this point adds to, without tables and scripts.
func (p *point) keep() {
	e := earlier{differs: map[string]string{}}
	for _, m := range p.everyone() {
		e.members = append(e.members, &member{caller: caller{spent: m.spent}, index: m.index, config: m.config, shape: m.shape,
			tallies: m.tallies, remarks: m.remarks, left: m.left})
	}
	maps.Copy(e.differs, p.earlier[p.index].differs)
	maps.Copy(e.differs, p.differs)
	p.earlier[p.index] = e
}
