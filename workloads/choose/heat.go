package choose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// heat is one run of the workload with some candidates side by side: a round, in what users see.
type heat struct {
	lanes []*candidate
	knob  *run.Coordinate // a changed option
	keep  bool            // nobody is eliminated for being slow
	quick bool            // stages that settle end early

	times  []*times
	seen   []mix
	failed []uint64
	out    []string // why a lane has left
	phase  run.PhaseBegan
	rounds int     // of the phase
	done   float64 // the part of the phase that is over; negative: unknown
	cut    bool    // the budget ended before the workload
	differ string
}

// leastRounds is how many ratios an interval takes.
const leastRounds = 6

// bar is the difference that eliminates while a workload goes on: what is still to come may be different.
const bar = 0.25

// race runs a heat. Candidates that cannot do the work, fail or break a constraint are out.
func (s *search) race(ctx context.Context, h *heat) error {
	n := len(h.lanes)
	h.times, h.seen, h.failed, h.out = make([]*times, n), make([]mix, n), make([]uint64, n), make([]string, n)
	plan := s.plan
	plan.Schemes = nil
	for i, c := range h.lanes {
		h.times[i] = newTimes()
		plan.Schemes = append(plan.Schemes, c.config)
	}
	s.runs++
	at := run.Coordinate{Name: "round", Value: float64(s.runs)}
	plan.Points = []run.Point{append(run.Point{at}, s.point...)}
	plan.Script, plan.LeaveOut, plan.KeepGoing = s.script(h.knob), true, true
	if h.knob != nil {
		plan.Points[0] = append(plan.Points[0], *h.knob)
	}
	if h.quick {
		plan.Policy.Most, plan.Policy.LeastTime = min(plan.Policy.Most, leastRounds+2), 0
	}
	err := run.Run(ctx, s.dev, plan, func(e run.Event) error {
		s.hear(h, e)
		return s.listener(e)
	})
	var failures run.SchemesFailed
	switch {
	case ctx.Err() != nil:
		return err
	case errors.Is(err, run.ErrThreshold), errors.As(err, &failures), schemes.Lacking(err) != nil:
		err = nil
	}
	if err == nil && h.differ != "" {
		err = fmt.Errorf("the candidates did different work, so nothing can be chosen: %s", h.differ)
	}
	return err
}

// script is the plan's, at the point without the number of the heat, with a changed option.
func (s *search) script(knob *run.Coordinate) run.Script {
	return func(setup run.Setup, t run.Table) (*run.Instance, error) {
		setup.Point = s.point.Map()
		if knob != nil {
			options := map[string]any{knob.Name: knob.Value}
			for name, value := range setup.Options {
				if name != knob.Name {
					options[name] = value
				}
			}
			setup.Options = options
		}
		return s.plan.Script(setup, t)
	}
}

func (s *search) hear(h *heat, e run.Event) {
	switch e := e.(type) {
	case run.PhaseBegan:
		h.phase, h.rounds = e, 0
	case run.Measured:
		s.measured(h, e)
	case run.RoundEnded:
		if !e.Warmup {
			h.rounds++
			s.judge(h)
		}
	case run.Differed:
		h.differ = e.Why
	case run.Parted:
		s.parted(h, e.Scheme, e.Why)
	case run.PointEnded:
		for _, summary := range e.Summaries {
			s.thresholds(h, summary)
		}
	}
}

func (s *search) measured(h *heat, e run.Measured) {
	c := h.lanes[e.Scheme]
	h.done = e.Done
	s.seen[e.Sample.Op] = true
	s.service += e.Sample.Service
	if !e.Refused {
		h.failed[e.Scheme] += e.Sample.Counts.Get("failed")
	}
	if e.Sample.Size > 0 && h.knob == nil {
		c.fill(e.Sample.Load, float64(e.Bytes)/float64(e.Sample.Size))
	}
	if e.Warmup {
		return
	}
	if s.goal().counts(e.Sample.Op) {
		h.times[e.Scheme].add(s.goal(), e)
		h.seen[e.Scheme].add(e)
		if h.knob == nil && e.Phase != run.Prepare {
			c.batches = append(c.batches, max(e.Response, e.Sample.Service))
		}
	}
}

func (s *search) goal() goal { return goal{s.Maximize} }

// parted takes a candidate out that lacks something or failed.
func (s *search) parted(h *heat, lane int, why results.LeftOut) {
	h.out[lane] = why.Reason
	if !why.Eliminated && h.knob == nil {
		s.refuse(h.lanes[lane], why.Reason)
	}
}

func (s *search) refuse(c *candidate, why string) {
	c.why = why
	s.cannot.add(c.name, why)
}

func (s *search) thresholds(h *heat, summary results.Summary) {
	for _, t := range summary.Thresholds {
		for _, c := range h.lanes {
			if !t.Holds && c.name == summary.Scheme && h.knob == nil {
				s.refuse(c, fmt.Sprintf("the threshold %s does not hold", t.Condition))
			}
		}
	}
}

// judge eliminates candidates after a round, and ends the heat when there is nothing more to learn or the budget is spent.
func (s *search) judge(h *heat) {
	last := h.phase.Index == h.phase.Of-1
	if time.Now().After(s.deadline) {
		h.cut = true
		s.plan.Control.Enough()
		return
	}
	for i, c := range h.lanes {
		if h.out[i] == "" {
			if why := s.broken(h, i); why != "" {
				s.drop(h, i, why)
				if h.knob == nil {
					s.refuse(c, why)
				}
			}
		}
	}
	if h.keep || h.phase.Name == run.Prepare && !last {
		return
	}
	if h.quick && last && h.done >= seenPart && h.rounds == earlyRounds {
		s.dropHopeless(h)
	}
	if !looks(h.rounds) {
		return
	}
	if !last {
		s.dropLong(h)
		return
	}
	if s.dropSlow(h) && len(h.lanes) > 2 {
		s.plan.Control.Enough()
	}
}

// looks spaces the looks at the figures, so that chance has few opportunities.
func looks(rounds int) bool {
	for at := float64(leastRounds); int(at) <= rounds; at *= 1.25 {
		if int(at) == rounds {
			return true
		}
	}
	return false
}

// broken says which constraint a lane has broken.
func (s *search) broken(h *heat, lane int) string {
	c := h.lanes[lane]
	over := 0
	for _, took := range c.batches {
		if s.P99 > 0 && took > s.P99 {
			over++
		}
	}
	switch {
	case h.failed[lane] > s.Failed:
		return "inserts find no room"
	case over > max(1, len(c.batches)/100):
		return fmt.Sprintf("more than 1 %% of its batches take longer than %v", s.P99)
	}
	return ""
}

func (s *search) drop(h *heat, lane int, why string) {
	h.out[lane] = why
	s.plan.Control.Drop(lane, why)
}

// dropLong eliminates, before the last stage, what has taken longer already than the best candidate takes in all.
func (s *search) dropLong(h *heat) {
	if s.shortest == 0 || h.knob != nil || s.Maximize != nil {
		return
	}
	for i, c := range h.lanes {
		if h.out[i] == "" && c != s.best && s.goal().total(h.times[i]) > (1+bar)*s.shortest {
			s.drop(h, i, "took longer before the last stage than "+s.best.name+" in all")
			c.beaten = h.out[i]
		}
	}
}

// earlyRounds is after how many rounds a candidate leaves a quick run if it took twice as long in each.
const earlyRounds = 3

// dropHopeless eliminates what took twice as long in every round as the fastest lane.
func (s *search) dropHopeless(h *heat) {
	best := h.fastest(s.goal())
	for i := range h.lanes {
		if h.out[i] != "" || best < 0 {
			continue
		}
		list := ratios(s.goal(), h.times[i], h.times[best])
		if e, ok := estimate(list); ok && slices.Max(list) < hopeless {
			s.slower(h, i, best, e)
		}
	}
}

// slower eliminates a lane that is slower than another one.
func (s *search) slower(h *heat, lane, than int, e analysis.Estimate) {
	s.drop(h, lane, fmt.Sprintf("%.2f of the rate of %s", e.Ratio, h.lanes[than].name))
	h.lanes[lane].beaten = h.out[lane]
}

// A quick run ends when the ratios of all rates are known this well, and this part of the last stage has been seen.
const (
	knownWell = 0.05
	seenPart  = 0.25
)

// dropSlow eliminates what is certainly slower than the fastest lane. It reports whether the run has nothing more to
// show: no other lane is left, or in a quick run, how fast each is.
func (s *search) dropSlow(h *heat) (decided bool) {
	best := h.fastest(s.goal())
	decided = best >= 0
	for i := range h.lanes {
		if h.out[i] != "" || i == best {
			continue
		}
		e, ok := estimate(ratios(s.goal(), h.times[i], h.times[best]))
		if ok && e.Verdict(bar) == analysis.Slower {
			s.slower(h, i, best, e)
			continue
		}
		known := h.quick && h.done >= seenPart && (e.High-e.Low)/2 <= knownWell
		decided = decided && ok && known
	}
	return decided
}

// fastest is the lane with the best rate of those that are left; -1: none.
func (h *heat) fastest(g goal) int {
	best, first, most := -1, -1, 0.0
	for i := range h.lanes {
		if h.out[i] != "" || h.lanes[i].why != "" {
			continue
		}
		if first < 0 {
			first = i
		}
		e, ok := estimate(ratios(g, h.times[i], h.times[first]))
		if ok && e.Ratio > most {
			best, most = i, e.Ratio
		}
	}
	return best
}

// against estimates the rate of a lane relative to another one.
func (h *heat) against(g goal, c, base *candidate) (analysis.Estimate, []float64, bool) {
	i, k := slices.Index(h.lanes, c), slices.Index(h.lanes, base)
	if i < 0 || k < 0 {
		return analysis.Estimate{}, nil, false
	}
	list := ratios(g, h.times[i], h.times[k])
	e, ok := estimate(list)
	return e, list, ok
}
