package choose

import (
	"context"
	"slices"

	"github.com/hashzoo/hashzoo/schemes"
)

// leap runs the parameters that small counted runs of each scheme suggest.
func (s *search) leap(ctx context.Context) error {
	var list []*candidate
	for _, c := range s.near(1.0 / 3) {
		to, err := s.descend(c)
		if err != nil {
			return err
		}
		if !to.tried {
			list = append(list, to)
		}
	}
	return s.compete(ctx, list)
}

// descend goes from neighbor to neighbor as long as the expected work gets less.
func (s *search) descend(from *candidate) (*candidate, error) {
	at := from
	for range 6 {
		next, err := s.around(at)
		if err != nil {
			return at, err
		}
		best := at
		for _, c := range next {
			if x := s.expected(c); x > 0 && x < 0.97*s.expected(best) && !s.late(untilClimbed/2) {
				best = c
			}
		}
		if best == at {
			break
		}
		at = best
	}
	return at, nil
}

// around are the neighbors of a candidate that can do the work, by their declarations. If one does not fill as high as
// the candidate, its neighbors that do stand for it: smaller buckets may take one hash function more.
func (s *search) around(c *candidate) (list []*candidate, err error) {
	for _, config := range neighbors(c.config, c.shape.Load, s.choices(c)) {
		stand := []schemes.Config{config}
		if s.fillsLess(config, c) {
			stand = append(stand, neighbors(config, c.shape.Load, nil)...)
		}
		for i, config := range stand {
			if i > 0 && s.fillsLess(config, c) {
				continue
			}
			n, err := s.enter(config)
			if err != nil {
				return nil, err
			}
			if n.why == "" && s.fillsLess(config, c) {
				s.refuse(n, notSoFull)
			}
			if n.why == "" && n.beaten == "" && n != c && !slices.Contains(list, n) {
				list = append(list, n)
			}
		}
	}
	return list, nil
}

// fillsLess reports whether tables of a configuration do not get as full as asked, and less full than a candidate's.
func (s *search) fillsLess(config schemes.Config, c *candidate) bool {
	most, load := config.MaxLoad(config), max(config.Load, c.shape.Load)
	return s.Failed == 0 && c.shape.N > 0 && most < load && most < c.config.MaxLoad(c.config)
}

// The parts of the best rate from which on a search goes on around the best candidate of a scheme. Another layout of its
// memory may double its rate, so these are tried from layouts on. Other parameters change less: they are tried from
// tuned on. Where it is known what a change did elsewhere in the scheme, the candidate must promise to be close. From alike
// on, it goes on around every candidate: which of them is the best is not known yet.
const (
	layouts   = 0.5
	tuned     = 0.8
	promising = 0.85
	alike     = 0.92
)

// climb runs what differs in one parameter from the best candidates, until nothing promises to be close. Every value is
// tried, not only the next one, so that no slow value hides a fast one behind it.
func (s *search) climb(ctx context.Context) error {
	for !s.late(untilClimbed) {
		list, err := s.further()
		if err != nil || len(list) == 0 {
			return err
		}
		if err := s.compete(ctx, list); err != nil {
			return err
		}
	}
	return nil
}

// further are the candidates to run next.
func (s *search) further() (list []*candidate, err error) {
	for _, top := range s.centers() {
		fresh, err := s.worth(top)
		if err != nil {
			return nil, err
		}
		for _, c := range fresh {
			if !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
	}
	return list, nil
}

// mostAlike bounds the candidates besides the best of each scheme around which a search goes on at a time.
const mostAlike = 2

// centers are the best candidates of the schemes that are not far behind, and those that may be the best one.
func (s *search) centers() []*candidate {
	list := s.near(layouts)
	others := slices.DeleteFunc(slices.Clone(s.order), func(c *candidate) bool {
		return c.why != "" || c.rate < alike*s.best.rate || slices.Contains(list, c)
	})
	slices.SortStableFunc(others, byRate)
	return append(list, others[:min(len(others), mostAlike)]...)
}

// worth are the candidates around a measured one that did not run and may win.
func (s *search) worth(top *candidate) (list []*candidate, err error) {
	all, err := s.around(top)
	for _, c := range all {
		if c.tried || !s.promises(c, top) {
			continue
		}
		switch reach := s.reach(c, top); {
		case reach > 0 && reach < hopeless*s.best.rate:
			s.untried.add(c.name, "cannot win by its probes in a small run")
		case s.idle(c, top):
			s.untried.add(c.name, "the same as a neighbor in a small run")
		default:
			list = append(list, c)
		}
	}
	return list, err
}

// promises reports whether a candidate may be close to the best one, by one that was measured and what changes did
// elsewhere.
func (s *search) promises(c, measured *candidate) bool {
	if gain, known := s.gain(c, measured); known {
		return gain*measured.rate >= promising*s.best.rate
	}
	return measured.rate >= tuned*s.best.rate || c.config.Variant() != measured.config.Variant()
}

// gain is what the changes from one candidate to another are worth together, each by the most that it was worth
// alone; false: one was never made alone.
func (s *search) gain(to, from *candidate) (gain float64, known bool) {
	gain = 1
	for _, p := range to.config.Params {
		if x, y := from.config.Get(p.Name), to.config.Get(p.Name); x != y {
			gain *= s.effect(to.config.Name, p, x, y)
		}
	}
	return gain, gain > 0 && to.config.Load == from.config.Load
}

// effect is the highest ratio of the rates of two measured candidates of a scheme that differ in this alone; 0: fewer than
// two pairs do, since one may be an exception.
func (s *search) effect(scheme string, p schemes.Param, from, to int64) (most float64) {
	pairs := 0
	for _, x := range s.order {
		if x.config.Name != scheme || x.rate == 0 || x.config.Get(p.Name) != from {
			continue
		}
		other, err := x.config.With(p.Name, p.Text(to))
		if y := s.known[other.String()]; err == nil && y != nil && y.rate > 0 {
			most, pairs = max(most, y.rate/x.rate), pairs+1
		}
	}
	if pairs < 2 {
		return 0
	}
	return most
}

// idle reports whether candidates differ only in what a host side reads, and not in a small run.
func (s *search) idle(c, from *candidate) bool {
	for _, p := range c.config.Params {
		if c.config.Get(p.Name) != from.config.Get(p.Name) && p.Role != schemes.HostOnly {
			return false
		}
	}
	x, y := s.expected(c), s.expected(from)
	return c.config.Load == from.config.Load && c.sized == from.sized && x > 0.97*y && x < 1.03*y
}
