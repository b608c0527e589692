package choose

import (
	"cmp"
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
		if to.rate == 0 {
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

// climbing is the part of the best rate from which on a scheme's neighbors are tried; it rises with each step, to
// climbed. Among candidates of one scheme, those that reach secondBest of its best rate are tried, too: parameters act
// together, so the way to the best ones may lead over others.
const (
	climbing   = 0.5
	rises      = 0.1
	climbed    = 0.85
	secondBest = 0.9
)

// climb runs the neighbors of the best candidates until none of them is better.
func (s *search) climb(ctx context.Context) error {
	visited := map[*candidate]bool{}
	for k := 0.0; !s.late(untilClimbed); k++ {
		var list []*candidate
		for _, c := range s.hopeful(min(climbing+k*rises, climbed)) {
			if visited[c] {
				continue
			}
			visited[c] = true
			fresh, err := s.worth(c)
			if err != nil {
				return err
			}
			for _, n := range fresh {
				if !slices.Contains(list, n) {
					list = append(list, n)
				}
			}
		}
		if len(list) == 0 {
			return nil
		}
		if err := s.compete(ctx, list); err != nil {
			return err
		}
	}
	return nil
}

// hopeful are the best candidates of the schemes that are not far behind, and those close to them.
func (s *search) hopeful(part float64) (list []*candidate) {
	for _, top := range s.near(part) {
		list = append(list, top)
		for _, c := range s.order {
			if c != top && c.config.Name == top.config.Name && c.why == "" && c.rate >= max(part*s.best.rate, secondBest*top.rate) {
				list = append(list, c)
			}
		}
	}
	return list
}

// worth are the neighbors of a measured candidate that were not measured and can win, the most promising first.
func (s *search) worth(c *candidate) (list []*candidate, err error) {
	all, err := s.around(c)
	for _, n := range all {
		if n.rate > 0 {
			continue
		}
		switch reach := s.reach(n, c); {
		case reach > 0 && reach < hopeless*s.best.rate:
			s.untried.add(n.name, "cannot win by its probes in a small run")
		case s.idle(n, c):
			s.untried.add(n.name, "the same as a neighbor in a small run")
		default:
			list = append(list, n)
		}
	}
	slices.SortStableFunc(list, func(a, b *candidate) int { return cmp.Compare(s.expected(a), s.expected(b)) })
	return list, err
}

// idle reports whether candidates differ only in what a host side reads, and not in a small run.
func (s *search) idle(c, from *candidate) bool {
	for _, p := range c.config.Params {
		if c.config.Get(p.Name) != from.config.Get(p.Name) && p.Role != schemes.HostOnly {
			return false
		}
	}
	x, y := s.expected(c), s.expected(from)
	return c.config.Load == from.config.Load && c.sized == from.sized && x > 0.99*y && x < 1.01*y
}
