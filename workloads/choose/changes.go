package choose

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// mostCompared bounds the schemes that are compared at other load factors and for changed workloads.
const mostCompared = 6

// frontLoads are the load factors at which the front of rate against memory is looked for.
var frontLoads = []float64{0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5}

// overLoads runs the best candidates at other load factors: for the front, and for what the choice depends on.
func (s *search) overLoads(ctx context.Context) error {
	if s.best.shape.N == 0 {
		return nil
	}
	rivals := s.rivals()
	closest := func(a, b float64) int {
		return cmp.Compare(math.Abs(a-s.best.shape.Load), math.Abs(b-s.best.shape.Load))
	}
	for _, load := range slices.SortedStableFunc(slices.Values(frontLoads), closest) {
		members, err := s.atLoad(rivals, load)
		if err == nil {
			err = s.change(ctx, &round{members: members}, fmt.Sprintf("load=%g", load), untilLoads)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// change runs the best candidates while something is changed, and records what is faster than the winner then.
func (s *search) change(ctx context.Context, r *round, when string, until float64) error {
	if s.late(until) {
		s.untried.add(when, "the budget ended")
		return nil
	}
	if len(r.members) < 2 && r.knob == nil {
		return nil
	}
	err := s.race(ctx, r)
	if err != nil && r.knob != nil && ctx.Err() == nil {
		s.untried.add(when, "the script cannot do it")
		return nil
	}
	if err == nil && r.knob == nil {
		s.learn(r)
	}
	if err == nil && !r.cut {
		s.compare(r, when)
	}
	return err
}

// rivals are the best candidate and those of other schemes, then others that are as fast.
func (s *search) rivals() []*candidate {
	others := slices.DeleteFunc(s.near(0.5), func(c *candidate) bool { return c.config.Name == s.best.config.Name })
	list := lists.Add(lists.Add([]*candidate{s.best}, others...), s.within()...)
	return list[:min(len(list), mostCompared)]
}

// atLoad are candidates at another load factor, and the best one.
func (s *search) atLoad(rivals []*candidate, load float64) (list []*candidate, err error) {
	list = []*candidate{s.best}
	for _, c := range rivals {
		if c.shape.Load != load {
			if c, err = s.make(c.config.AtLoad(load)); err != nil {
				return nil, err
			}
			if c.why == "" {
				c.aside = !slices.Contains(s.choices(c), load)
				c = s.register(c)
			}
		}
		if c.why == "" {
			list = lists.Add(list, c)
		}
	}
	return list, nil
}

// winner is the best candidate; in a round at another load factor, the member with its parameters; nil: none.
func (s *search) winner(r *round) *candidate {
	if r.knob != nil {
		return s.best
	}
	for _, other := range r.members[1:] {
		if other.config.AtLoad(0).String() == s.best.config.AtLoad(0).String() {
			return other
		}
	}
	return nil
}

// compare records whether another candidate than the winner is the fastest in a round on a changed workload.
func (s *search) compare(r *round, when string) {
	winner := s.winner(r)
	if k := slices.Index(r.members, winner); k < 0 || r.out[k] {
		return
	}
	var found *results.Depends
	for i, c := range r.members {
		e, ok := r.against(c, winner)
		alike := r.knob != nil || c.shape.Load == winner.shape.Load
		if ok && alike && !r.out[i] && e.Verdict(analysis.Least) == analysis.Faster && (found == nil || e.Ratio > found.Ratio) {
			found = &results.Depends{When: when, Scheme: c.name, Ratio: e.Ratio}
		}
	}
	if found == nil {
		s.alike = append(s.alike, when)
		return
	}
	s.depends = append(s.depends, *found)
}

func (s *search) overKnobs(ctx context.Context) error {
	rivals := s.rivals()
	for _, k := range s.Knobs {
		for _, x := range k.steps() {
			r := &round{members: rivals, knob: &run.Coordinate{Name: k.Name, Value: x}}
			if err := s.change(ctx, r, fmt.Sprintf("%s=%s", k.Name, run.Text(x)), untilKnobs); err != nil {
				return err
			}
		}
	}
	return nil
}

// steps are the changes of a number that are tried: of a fraction, a quarter less and more; of a size, a quarter of it.
func (k Knob) steps() (list []float64) {
	var values []float64
	switch {
	case k.Value >= 0 && k.Value <= 1:
		values = []float64{max(0, k.Value-0.25), min(1, k.Value+0.25)}
	case k.Value >= 1000:
		values = []float64{math.Round(k.Value / 4), 2 * k.Value}
	}
	for _, x := range values {
		if x != k.Value && k.Takes(x) {
			list = append(list, math.Round(1e6*x)/1e6)
		}
	}
	return list
}
