package choose

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/aclements/go-moremath/stats"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// closeBy is the part of the best rate from which on a candidate may be the best in truth.
const closeBy = 0.85

// mostDecided bounds the candidates between which whole runs decide, and finals is how many there are at the most.
const (
	mostDecided = 6
	finals      = 4

	leastDecisive = 25 * time.Millisecond // of service, in a whole run; of shorter workloads there are more runs
)

// other is the part of the best rate from which on the best candidate of another scheme may be the best in truth: what the
// runs before have not seen of the workload may suit that scheme better.
const other = 0.8

// decide runs the candidates that are close, to the end of the workload, until it is certain which are slower. Whole runs
// also show how well the rates were known before, and so which of the remaining ones may be as fast after all.
func (s *search) decide(ctx context.Context) error {
	list := s.contenders()
	for _, c := range s.near(other) {
		if !slices.Contains(list, c) && len(list) < mostLanes {
			list = append(list, c)
		}
	}
	for _, c := range s.order {
		c.guess = c.rate
	}
	for k := 0; s.unsure(list, k) && (k == 0 || !s.late(untilSure)); k++ {
		h, before := &heat{lanes: list, keep: true}, s.service
		if err := s.race(ctx, h); err != nil {
			return err
		}
		if h.cut {
			break
		}
		s.pool(h)
		s.decisive += s.service - before
		if s.best == nil {
			return nil
		}
		list = append(s.undecided(list), s.overlooked()...)
	}
	s.decided = true
	return nil
}

// unsure reports whether a further whole run is needed: to tell candidates apart, or for a percentile.
func (s *search) unsure(list []*candidate, runs int) bool {
	few := s.P99 > 0 && !results.Enough(0.99, uint64(len(s.best.batches)))
	more := runs < finals || runs < 10*finals && s.decisive < time.Duration(finals)*leastDecisive
	return few || more && len(list) > 1
}

func (s *search) contenders() (list []*candidate) {
	for _, c := range s.order {
		if c.stands() && c.rate >= closeBy*s.best.rate && c.beaten == "" {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *candidate) int { return cmp.Compare(b.rate, a.rate) })
	return list[:min(len(list), mostDecided)]
}

// pool finds the best candidate by all whole runs.
func (s *search) pool(h *heat) {
	g := s.goal()
	for i, c := range h.lanes {
		if h.out[i] != "" {
			continue
		}
		c.whole[s.runs] = h.times[i]
		c.mops = g.mops(slices.Collect(maps.Values(c.whole)))
	}
	if s.best.why != "" {
		s.best = nil
	}
	for i, c := range h.lanes {
		if c.why == "" && h.out[i] == "" && (s.best == nil || s.versus(c, s.best).Ratio > 1) {
			s.best = c
		}
	}
	for _, c := range h.lanes {
		if s.best != nil && len(c.whole) > 0 {
			c.rate = s.best.rate * s.versus(c, s.best).Ratio
		}
	}
	s.correct()
}

// undecided are the best candidate and those that may be as fast.
func (s *search) undecided(list []*candidate) (rest []*candidate) {
	for _, c := range list {
		if c == s.best || c.why == "" && !s.certain(c) {
			rest = append(rest, c)
		}
	}
	return rest
}

// overlooked are the candidates without a whole run that may be faster than the best one.
func (s *search) overlooked() (list []*candidate) {
	for _, c := range s.order {
		if len(c.whole) == 0 && c.stands() && c.beaten == "" && s.maybeFaster(c) {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, byRate)
	return list[:min(len(list), mostDecided)]
}

// correct learns from the changes that whole runs made to rates: what the others are worth, and how much a run may be off.
// Rounds of one run agree better than runs do, as each run has other tables elsewhere in memory.
func (s *search) correct() {
	var changes []float64
	for _, c := range s.order {
		if len(c.whole) > 0 && c.guess > 0 {
			changes = append(changes, math.Log(c.rate/c.guess))
		}
	}
	var mean float64
	if len(changes) > 1 {
		mean, s.spread = stats.Mean(changes), stats.StdDev(changes)
	}
	for _, c := range s.order {
		if len(c.whole) == 0 {
			c.rate = c.guess * math.Exp(mean)
		}
	}
}

// maybeFaster reports whether a candidate may be faster than the best one, by how much its runs may be off.
func (s *search) maybeFaster(c *candidate) bool {
	off := 2 * s.spread / math.Sqrt(float64(max(1, len(c.whole))))
	return c.rate*math.Exp(off) > (1+analysis.Least)*s.best.rate
}

// certain reports whether it is known if a candidate is slower than the best one, or the same.
func (s *search) certain(c *candidate) bool {
	return s.versus(c, s.best).High <= 1+analysis.Least && !s.maybeFaster(c)
}

// versus estimates the ratio of the rates of two candidates by the whole runs in which both took part.
func (s *search) versus(c, base *candidate) analysis.Estimate {
	var list []float64
	for _, k := range slices.Sorted(maps.Keys(c.whole)) {
		if base.whole[k] != nil {
			list = append(list, ratios(s.goal(), c.whole[k], base.whole[k])...)
		}
	}
	if len(list) == 0 {
		return analysis.Estimate{Ratio: c.rate / base.rate, High: math.Inf(1)}
	}
	return analysis.Paired(list)
}
