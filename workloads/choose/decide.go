package choose

import (
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
	list := s.contenders()
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

// contenders are the candidates that may be the best one.
func (s *search) contenders() []*candidate {
	near := slices.DeleteFunc(slices.Clone(s.order), func(c *candidate) bool { return !c.stands() || c.rate < closeBy*s.best.rate })
	slices.SortStableFunc(near, byRate)
	list := lists.Add(near[:min(len(near), mostDecided)], s.near(closeBy)...)
	return list[:min(len(list), mostMembers)]
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
