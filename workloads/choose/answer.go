package choose

import (
	"cmp"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

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
