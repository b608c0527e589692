package choose

import (
	"context"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// The parts of the best rate from which on a search goes on around the best candidate of a scheme. Another layout of its
// memory may double its rate, and so may another load factor: these are tried from layouts on. Other parameters change less: they are tried from
// tuned on. From alike on, it goes on around any candidate: which of them is the best is not known yet.
const (
	layouts = 0.5
	tuned   = 0.75
	alike   = 0.92
)

// mostAlike bounds the candidates besides the best of each scheme around which a search goes on at a time.
const mostAlike = 2

// climb runs what differs in one parameter from the best candidates, until nothing new is close. Every value is
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
	for _, center := range s.centers() {
		next, err := s.around(center)
		if err != nil {
			return nil, err
		}
		for _, c := range next {
			near := center.rate >= tuned*s.best.rate || c.config.Variant() != center.config.Variant() || c.config.Load != center.config.Load
			if near && !c.tried {
				list = lists.Add(list, c)
			}
		}
	}
	return list, nil
}

// centers are the best candidates of the schemes that are not far behind, and those that may be the best one.
func (s *search) centers() []*candidate {
	list := s.near(layouts)
	others := slices.DeleteFunc(slices.Clone(s.order), func(c *candidate) bool {
		return c.why != "" || c.rate < alike*s.best.rate || slices.Contains(list, c)
	})
	slices.SortStableFunc(others, byRate)
	return append(list, others[:min(len(others), mostAlike)]...)
}

// around are the neighbors of a candidate that can do the work, by their declarations. If one does not fill as high as
// the candidate, its neighbors that do stand for it: smaller buckets may take one hash function more.
func (s *search) around(c *candidate) (list []*candidate, err error) {
	for _, config := range neighbors(c.config, s.choices(c)) {
		stand := []schemes.Config{config}
		if s.fillsLess(config, c) {
			stand = append(stand, neighbors(config, nil)...)
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
			if n.why == "" && n != c {
				list = lists.Add(list, n)
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

// loadGrid are the load factors between which a search chooses.
var loadGrid = []float64{0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98}

// ladder lists the values of a parameter that are worth trying, in order; nil: none. Limits that a table derives by
// itself, the family of hash functions, and what happens to a full table are the user's to choose: words that only the
// host side reads, and the numbers beside them.
func ladder(s *schemes.Scheme, p schemes.Param) (list []int64) {
	hostWords := func(p schemes.Param) bool { return p.Role == schemes.HostOnly && p.Words != nil }
	switch few := p.Words != nil || p.Values != nil || p.Max-p.Min < 8; {
	case p.Role == schemes.HashFamily || p.Auto || p.Role == schemes.HostOnly && slices.ContainsFunc(s.Params, hostWords):
		return nil
	case few:
		return p.All()
	case p.Max > 256:
		return nil
	}
	if p.Max > 100 {
		for v := max(p.Min, 1); v <= p.Max; v *= 2 {
			list = append(list, v)
		}
		return list
	}
	return lists.Make(5, func(k int) int64 { return p.Min + (p.Max-p.Min)*int64(k)/4 })
}

// neighbors are the configurations that differ from one in the value of a parameter, or in the load factor.
// Where the value leads to one that is not compiled, the nearest that are stand for it.
func neighbors(c schemes.Config, loads []float64) (list []schemes.Config) {
	for _, p := range c.Params {
		for _, v := range ladder(c.Scheme, p) {
			if other, err := c.With(p.Name, p.Text(v)); err == nil && v != c.Get(p.Name) {
				list = append(list, compiledNear(other, p)...)
			}
		}
	}
	return append(list, lists.Map(lists.Filter(loads, func(load float64) bool { return load != c.Load }), c.AtLoad)...)
}

// compiledNear is a configuration if it is compiled, else those that are, with the same value of a parameter and the
// fewest changes of others.
func compiledNear(c schemes.Config, fixed schemes.Param) (list []schemes.Config) {
	if c.Compiled() == nil {
		return []schemes.Config{c}
	}
	fewest := len(c.Params)
	for _, variant := range c.Variants() {
		other, changes := c, 0
		for _, p := range c.Params {
			if v := variant.Get(p.Name); p.Role == schemes.Variant && v != c.Get(p.Name) {
				other, _ = other.With(p.Name, p.Text(v)) // a variant is compiled for each of its values
				changes++
			}
		}
		if variant.Get(fixed.Name) != c.Get(fixed.Name) || changes > fewest {
			continue
		}
		if changes < fewest {
			list, fewest = nil, changes
		}
		list = append(list, other)
	}
	return list
}
