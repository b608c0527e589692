package choose

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// closeBy is the part of the best rate from which on a candidate may be the best in truth: what the rounds before have
// not seen of the workload may suit it better.
const closeBy = 0.8

// mostDecided bounds the candidates between which whole rounds decide, besides the best ones of each scheme.
const (
	mostDecided = 6
	finals      = 4 // whole rounds at the most

	leastDecisive = 25 * time.Millisecond // of service, in a whole round; of shorter workloads there are more
)

// decide runs the candidates that are close, to the end of the workload, until it is certain which are slower.
func (s *search) decide(ctx context.Context) error {
	near := slices.DeleteFunc(slices.Clone(s.order), func(c *candidate) bool { return !c.stands() || c.rate < closeBy*s.best.rate })
	slices.SortStableFunc(near, byRate)
	list := lists.Add(near[:min(len(near), mostDecided)], s.near(closeBy)...) // they may be the best one
	list = list[:min(len(list), mostMembers)]
	for k := 0; s.unsure(list, k) && (k == 0 || !s.late(untilSure)); k++ {
		r, before := &round{members: list, whole: true}, s.service
		if err := s.race(ctx, r); err != nil {
			return err
		}
		if r.cut {
			break
		}
		s.pool(r)
		s.decisive += s.service - before
		if s.best == nil {
			return nil
		}
		list = slices.DeleteFunc(list, func(c *candidate) bool {
			return c != s.best && (c.why != "" || s.versus(c, s.best).High <= 1+analysis.Least)
		})
	}
	s.decided = true
	return nil
}

// unsure reports whether a further whole round is needed: to tell candidates apart, or for a percentile.
func (s *search) unsure(list []*candidate, rounds int) bool {
	few := s.P99 > 0 && !results.Enough(0.99, uint64(len(s.best.batches)))
	more := rounds < finals || rounds < 10*finals && s.decisive < time.Duration(finals)*leastDecisive
	return few || more && len(list) > 1
}

// pool finds the best candidate by all whole rounds.
func (s *search) pool(r *round) {
	for i, c := range r.members {
		if !r.out[i] {
			c.whole[s.runs] = r.times[i]
		}
	}
	if s.best.why != "" {
		s.best = nil
	}
	for i, c := range r.members {
		if c.why == "" && !r.out[i] && (s.best == nil || s.versus(c, s.best).Ratio > 1) {
			s.best = c
		}
	}
	for _, c := range r.members {
		if s.best != nil && len(c.whole) > 0 {
			c.rate = s.best.rate * s.versus(c, s.best).Ratio
		}
	}
}

// versus estimates the ratio of the rates of two candidates by the whole rounds in which both took part.
func (s *search) versus(c, base *candidate) analysis.Estimate {
	var list []float64
	for _, k := range slices.Sorted(maps.Keys(c.whole)) {
		if base.whole[k] != nil {
			list = append(list, ratios(c.whole[k], base.whole[k])...)
		}
	}
	if len(list) == 0 {
		return analysis.Estimate{Ratio: c.rate / base.rate, High: math.Inf(1)}
	}
	return analysis.Paired(list)
}

func (s *search) answer() results.Choice {
	a := results.Choice{Goal: s.goalText(), Depends: s.depends, Alike: s.alike, Cannot: s.cannot, NotTried: s.untried, P99: s.P99.Seconds(),
		Runs: s.runs, Seconds: time.Since(s.began).Seconds(), Service: s.service.Seconds()}
	a.Measured = len(lists.Filter(s.order, func(c *candidate) bool { return c.rate > 0 }))
	if s.best == nil {
		return a
	}
	best := s.entry(s.best)
	a.Winner = &best
	if s.Command != nil {
		a.Command = s.Command(s.best.name)
	}
	a.Within = lists.Map(s.within(), s.entry)
	for i, c := range s.within() {
		a.Within[i].Same = s.versus(c, s.best).Verdict(analysis.Least) == analysis.Same
	}
	top := append(s.within(), s.best) // the others are the best candidates of schemes that are not among the fastest
	a.Others = lists.Map(lists.Filter(s.near(0), func(c *candidate) bool {
		return !slices.ContainsFunc(top, func(t *candidate) bool { return t.config.Name == c.config.Name })
	}), s.entry)
	a.Front = lists.Map(s.front(), s.entry)
	return a
}

// within are the candidates that are not certainly slower than the best one, by whole runs.
func (s *search) within() []*candidate {
	list := lists.Filter(s.order, func(c *candidate) bool {
		return c != s.best && c.why == "" && len(c.whole) > 0 && s.versus(c, s.best).Verdict(analysis.Least) != analysis.Slower
	})
	slices.SortStableFunc(list, byRate)
	return list
}

func byRate(a, b *candidate) int { return cmp.Compare(b.rate, a.rate) }

// front lists the candidates that no other beats in both size and rate, the smallest first.
func (s *search) front() (list []*candidate) {
	all := slices.DeleteFunc(slices.Clone(s.order), func(c *candidate) bool { return c.why != "" || c.rate == 0 || c.bytes == 0 })
	slices.SortStableFunc(all, func(a, b *candidate) int { return cmp.Or(cmp.Compare(a.bytes, b.bytes), byRate(a, b)) })
	fastest := 0.0
	for _, c := range all {
		if c.rate > fastest*(1+analysis.Least) {
			list, fastest = append(list, c), c.rate
		}
	}
	return list
}
