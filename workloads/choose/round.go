package choose

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// round is one run of the workload with some candidates side by side.
type round struct {
	members    []*candidate
	knob       *run.Coordinate // a changed option
	eliminates bool            // what is slow leaves, and the round ends when it is known how slow the others are
	whole      bool            // stages that settle go on until they do

	times   []*times
	failed  []uint64
	out     []bool // members that have left
	phase   run.PhaseBegan
	batches int     // of the phase
	look    int     // the number of batches after which the figures are looked at next
	done    float64 // the part of the phase that is over; negative: unknown
	cut     bool    // the budget ended before the workload
	differ  string
}

// race runs a round. Candidates that cannot do the work, fail or break a constraint are out.
func (s *search) race(ctx context.Context, r *round) error {
	err := run.Run(ctx, s.dev, s.planOf(r), func(e run.Event) error {
		s.record(r, e)
		return s.listener(e)
	})
	var failures run.SchemesFailed
	switch {
	case ctx.Err() != nil:
		return err
	case errors.Is(err, run.ErrThreshold), errors.As(err, &failures), schemes.Lacking(err) != nil:
		err = nil
	}
	if err == nil && r.differ != "" {
		err = fmt.Errorf("the candidates did different work, so nothing can be chosen: %s", r.differ)
	}
	return err
}

// planOf begins a round, and returns its plan.
func (s *search) planOf(r *round) run.Plan {
	plan := s.plan
	plan.Schemes = nil
	for _, c := range r.members {
		r.times = append(r.times, &times{s.Wish, map[stratum][]piece{}})
		plan.Schemes = append(plan.Schemes, c.config)
	}
	r.failed, r.out = make([]uint64, len(r.members)), make([]bool, len(r.members))
	s.runs++
	point := append(run.Point{{Name: "round", Value: float64(s.runs)}}, s.point...)
	if r.knob != nil {
		point = append(point, *r.knob)
	}
	plan.Points = []run.Point{point}
	plan.Script, plan.LeaveOut, plan.KeepGoing = s.script(r.knob), true, true
	if !r.whole {
		plan.Policy.Most, plan.Policy.LeastTime = min(plan.Policy.Most, leastRatios+2), 0
	}
	return plan
}

// script is the plan's, at the point without the number of the round, with a changed option.
func (s *search) script(knob *run.Coordinate) run.Script {
	return func(setup run.Setup, t run.Table) (*run.Instance, error) {
		setup.Point = s.point.Map()
		if knob != nil {
			options := map[string]any{}
			maps.Copy(options, setup.Options)
			options[knob.Name] = knob.Value
			setup.Options = options
		}
		return s.plan.Script(setup, t)
	}
}

func (s *search) record(r *round, e run.Event) {
	switch e := e.(type) {
	case run.PhaseBegan:
		r.phase, r.batches, r.look = e, 0, earlyLook
	case run.Measured:
		s.measured(r, e)
	case run.RoundEnded:
		if !e.Warmup {
			r.batches++
			s.judge(r)
		}
	case run.Differed:
		r.differ = e.Why
	case run.Parted:
		r.out[e.Scheme] = true
		if !e.Why.Eliminated {
			s.refuseIn(r, r.members[e.Scheme], e.Why.Reason)
		}
	case run.PointEnded:
		for _, summary := range e.Summaries {
			for _, t := range lists.Filter(summary.Thresholds, func(t results.Threshold) bool { return !t.Holds }) {
				for _, c := range lists.Filter(r.members, func(c *candidate) bool { return c.name == summary.Scheme }) {
					s.refuseIn(r, c, fmt.Sprintf("the threshold %s does not hold", t.Condition))
				}
			}
		}
	}
}

func (s *search) measured(r *round, e run.Measured) {
	c := r.members[e.Scheme]
	r.done = e.Done
	s.seen[e.Sample.Op] = true
	s.service += e.Sample.Service
	if !e.Refused {
		r.failed[e.Scheme] += e.Sample.Counts.Get("failed")
	}
	if e.Sample.Size > 0 && r.knob == nil {
		if c.bytes == 0 || e.Sample.Load > c.load { // the table at its fullest
			c.load, c.bytes = e.Sample.Load, float64(e.Bytes)/float64(e.Sample.Size)
		}
	}
	if e.Warmup || s.Maximize != nil && s.Maximize[e.Sample.Op] <= 0 {
		return
	}
	r.times[e.Scheme].add(e)
	if r.knob == nil && e.Phase != run.Prepare {
		c.batches = append(c.batches, max(e.Response, e.Sample.Service))
	}
}

// refuseIn makes a candidate no answer, unless the workload of the round is a changed one.
func (s *search) refuseIn(r *round, c *candidate, why string) {
	if r.knob == nil {
		s.refuse(c, why)
	}
}

// judge drops candidates after a batch, and ends the round when there is nothing more to learn or the budget is spent.
func (s *search) judge(r *round) {
	if time.Now().After(s.deadline) {
		r.cut = true
		s.plan.Control.Enough()
		return
	}
	for i, c := range r.members {
		if why := s.broken(r, i); why != "" && !r.out[i] {
			s.drop(r, i, why)
			s.refuseIn(r, c, why)
		}
	}
	if last := r.phase.Index == r.phase.Of-1; r.eliminates && last && s.eliminate(r) && len(r.members) > 2 {
		s.plan.Control.Enough()
	}
}

func (s *search) broken(r *round, member int) string {
	batches := r.members[member].batches
	over := len(lists.Filter(batches, func(took time.Duration) bool { return s.P99 > 0 && took > s.P99 }))
	switch {
	case r.failed[member] > s.Failed:
		return "inserts find no room"
	case over > max(1, len(batches)/100):
		return fmt.Sprintf("more than 1 %% of its batches take longer than %v", s.P99)
	}
	return ""
}

func (s *search) drop(r *round, member int, why string) {
	r.out[member] = true
	s.plan.Control.Drop(member, why)
}

// A candidate leaves a round if it is certainly slower by more than bar, by leastRatios or more ratios: what is still to
// come may be different. It also leaves if it had less than hopeless of the best rate in each of the first earlyLook
// batches, if these are seenPart of the last stage. A round ends when the ratios of all rates are known this well.
const (
	bar         = 0.25
	leastRatios = 6
	earlyLook   = 3
	hopeless    = 0.7
	seenPart    = 0.25
	knownWell   = 0.05
)

// eliminate drops what is slower than the fastest member. It reports whether the round has nothing more to show.
// Looks at the figures are further and further apart, so that chance has few opportunities.
func (s *search) eliminate(r *round) (decided bool) {
	best := r.fastest()
	if best < 0 || r.batches < r.look {
		return false
	}
	r.look = max(leastRatios, r.look*5/4)
	decided = r.done >= seenPart && r.batches >= leastRatios
	for i := range r.members {
		if r.out[i] || i == best {
			continue
		}
		e, ok := r.against(r.members[i], r.members[best])
		slow := e.Verdict(bar) == analysis.Slower
		if ok && r.batches < leastRatios {
			slow = r.done >= seenPart && slices.Max(ratios(r.times[i], r.times[best])) < hopeless
		}
		if ok && slow {
			s.drop(r, i, fmt.Sprintf("%.2f of the rate of %s", e.Ratio, r.members[best].name))
			continue
		}
		decided = decided && ok && (e.High-e.Low)/2 <= knownWell
	}
	return decided
}

// fastest is the member with the best rate of those that are left; -1: none.
func (r *round) fastest() int {
	best, first, most := -1, -1, 0.0
	for i, c := range r.members {
		if r.out[i] || c.why != "" {
			continue
		}
		if first < 0 {
			first = i
		}
		if e, ok := r.against(c, r.members[first]); ok && e.Ratio > most {
			best, most = i, e.Ratio
		}
	}
	return best
}

// against estimates the rate of a candidate relative to another one; false: one did not take part, or did nothing.
func (r *round) against(c, base *candidate) (e analysis.Estimate, ok bool) {
	i, k := slices.Index(r.members, c), slices.Index(r.members, base)
	if i < 0 || k < 0 {
		return e, false
	}
	list := ratios(r.times[i], r.times[k])
	if ok = len(list) > 0; ok {
		e = analysis.Paired(list)
	}
	return e, ok
}
