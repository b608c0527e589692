package choose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Parts of the budget after which a step of the search begins no further run.
const (
	untilClimbed = 0.55
	untilSure    = 0.75
	untilLoads   = 0.88
	untilKnobs   = 1.0
)

func (s *search) find(ctx context.Context) error {
	var first []*candidate
	for _, config := range s.plan.Schemes {
		c, err := s.start(config)
		if err != nil {
			return err
		}
		if c.why == "" {
			first = lists.Add(first, c)
		}
	}
	steps := []func(context.Context) error{
		func(ctx context.Context) error { return s.compete(ctx, first) },
		s.done, s.climb, s.decide,
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
		if s.best == nil {
			return run.Mistake(fmt.Errorf("no scheme can do it: %s", s.whyNone()))
		}
	}
	return nil
}

// done refuses weights of operations that the workload does not do, and hits without lookups.
func (s *search) done(context.Context) error {
	looksUp := func(op string) bool { return kernels.Op(op).LooksUp() }
	if s.Hits && !slices.ContainsFunc(slices.Collect(maps.Keys(s.seen)), looksUp) {
		s.best = nil
		return run.Mistake(errors.New("--maximize: the workload has no batches of lookups, which hit or miss"))
	}
	for op := range s.Maximize {
		if !s.seen[op] {
			s.best = nil // there is no answer
			return run.Mistake(fmt.Errorf("--maximize: the workload does no %s; it does %s", op, strings.Join(slices.Sorted(maps.Keys(s.seen)), ", ")))
		}
	}
	return nil
}

func (s *search) whyNone() string {
	if len(s.cannot) == 0 {
		return "the budget ended before the first run; hint: --budget 10m"
	}
	large := slices.DeleteFunc(slices.Clone(s.order), func(c *candidate) bool { return c.why != s.tooLarge() || c.sized == 0 })
	if len(large) == 0 {
		return fmt.Sprintf("%s: %s", s.cannot[0].Schemes[0], s.cannot[0].Why)
	}
	least := slices.MinFunc(large, func(a, b *candidate) int { return cmp.Compare(a.sized, b.sized) })
	text := fmt.Sprintf("the smallest, %s, takes %.1f bytes per pair, and %g are wanted", least.name, least.sized, s.BytesPerPair)
	if pair := float64(least.shape.Pair.Bytes()); pair > s.BytesPerPair {
		text += fmt.Sprintf("; a pair alone has %g", pair)
	}
	return text
}

// start makes a candidate of a scheme, at the lowest of the load factors at which it is small enough.
func (s *search) start(config schemes.Config) (*candidate, error) {
	c, err := s.make(config)
	if err == nil && c.why == "" && s.Loads != nil && c.shape.N == 0 {
		return c, run.Mistake(schemes.ErrNoLoad)
	}
	if err != nil || config.Load > 0 || s.choices(c) == nil {
		return s.register(c), err
	}
	for i, load := range s.choices(c) {
		next, err := s.make(config.AtLoad(load))
		if err != nil {
			return c, err
		}
		if i == 0 || next.why != notSoFull { // otherwise the reason is that of the highest load factor that it fills to
			c = next
		}
		if c.why == "" {
			break
		}
	}
	return s.register(c), nil
}

// choices are the load factors between which the search chooses for a candidate; nil: it has one.
func (s *search) choices(c *candidate) []float64 {
	switch {
	case c.shape.N == 0:
		return nil
	case s.loads != nil:
		return s.loads
	case s.BytesPerPair > 0:
		return loadGrid
	}
	return nil
}

// enter makes a candidate of a configuration, or finds it. What cannot do the work has a reason.
func (s *search) enter(config schemes.Config) (*candidate, error) {
	if c := s.known[config.String()]; c != nil {
		return c, nil
	}
	c, err := s.make(config)
	return s.register(c), err
}

func (s *search) register(c *candidate) *candidate {
	if known := s.known[c.name]; known != nil {
		return known
	}
	s.known[c.name], s.order = c, append(s.order, c)
	if c.why != "" {
		s.cannot.add(c.name, c.why)
	}
	return c
}

// make makes a candidate, with the reason if it cannot do the work. It tries the script, but no table.
func (s *search) make(config schemes.Config) (*candidate, error) {
	c := &candidate{config: config, name: config.String(), whole: map[int]*times{}}
	setup := run.Setup{Options: s.plan.Options, Seed: s.plan.Seed, Pair: s.plan.Pair, Config: config}
	instance, err := s.script(nil)(setup, struct{ run.Table }{})
	if err == nil {
		if instance.Close != nil {
			instance.Close()
		}
		c.config = instance.Config
		c.shape, err = config.Shaped(instance.Shape)
	}
	if err == nil {
		err = config.CompiledFor(c.shape.Pair)
	}
	if lack := schemes.Lacking(err); lack != nil {
		c.why = lack.What
		return c, nil
	}
	if err != nil {
		return c, run.Mistake(err)
	}
	c.why = s.fits(c, s.free)
	return c, nil
}

// compete runs candidates side by side with the best one so far, a few at a time.
func (s *search) compete(ctx context.Context, list []*candidate) error {
	for len(list) > 0 && !s.late(untilClimbed) {
		var base []*candidate
		if s.best != nil {
			base = append(base, s.best)
		}
		room, c := mostMembers, list[0] // tables like its own that fit into memory at once
		if layout, err := c.config.Size(c.config, c.shape); err == nil && s.free >= 0 {
			room = min(mostMembers, max(2, int(s.free/2/max(layout.Bytes(), 1))))
		}
		n := min(len(list), room-len(base))
		r := &round{members: append(base, list[:n]...), eliminates: true}
		for _, c := range list[:n] {
			c.tried = true
		}
		list = list[n:]
		if err := s.race(ctx, r); err != nil {
			return err
		}
		s.learn(r)
	}
	for _, c := range list {
		s.untried.add(c.name, "the budget ended")
	}
	return nil
}

// mostMembers bounds the candidates of a round: the more there are, the longer each waits for its next turn.
const mostMembers = 16

// learn takes over what a round has shown. The fastest candidate is the best one, unless that is decided.
func (s *search) learn(r *round) {
	fastest := r.fastest()
	if fastest < 0 || r.cut && s.best != nil {
		return
	}
	base := s.best
	if base == nil {
		base = r.members[fastest]
		base.rate = 1
	}
	for i, c := range r.members {
		if e, ok := r.against(c, base); ok && len(c.whole) == 0 {
			c.rate, c.part = base.rate*e.Ratio, r.times[i]
		}
		if s.BytesPerPair > 0 && c.bytes > s.BytesPerPair && c.why == "" {
			s.refuse(c, s.tooLarge())
		}
	}
	if s.best != nil && s.best.why != "" && !s.decided {
		s.best = nil
	}
	for i, c := range r.members {
		faster := s.best == nil || c.rate > (1+analysis.Least/2)*s.best.rate
		if !s.decided && !r.out[i] && c.why == "" && faster {
			s.best = c
		}
	}
}

// near are the best candidates of the schemes that are not far behind, the fastest first.
func (s *search) near(part float64) (list []*candidate) {
	for _, c := range slices.SortedStableFunc(slices.Values(s.order), byRate) {
		another := !slices.ContainsFunc(list, func(o *candidate) bool { return o.config.Name == c.config.Name })
		if c.stands() && another && c.rate > part*s.best.rate {
			list = append(list, c)
		}
	}
	return list
}

// candidate is a scheme with its parameters and the load factor of its table.
type candidate struct {
	config schemes.Config
	name   string
	shape  schemes.Shape // of its table
	sized  float64       // bytes per pair by its declaration; 0: unknown
	why    string        // why it cannot be the answer; empty: it can
	aside  bool          // its load factor was not asked for: it only shows what another one would give

	tried bool           // it ran, or was to run
	rate  float64        // relative to the first best candidate; 0: it was not measured
	part  *times         // of the latest round that was none to the end
	whole map[int]*times // of rounds to the end, by their number

	load, bytes float64
	batches     []time.Duration
}

func (c *candidate) stands() bool { return c.why == "" && !c.aside }

// entry is the candidate as results have it.
func (s *search) entry(c *candidate) results.Candidate {
	r := results.Candidate{Scheme: c.name, Load: c.load, BytesPerPair: c.bytes, Ratio: c.rate / s.best.rate}
	if e := s.versus(c, s.best); c != s.best && !math.IsInf(e.High, 0) && !math.IsNaN(e.High) {
		r.Ratio, r.Low, r.High = e.Ratio, &e.Low, &e.High
	}
	if best := s.best.total(); best.seconds > 0 {
		r.Mops = r.Ratio * float64(best.n) / best.seconds / 1e6
	}
	if all := c.total(); s.Hits && all.lookups > 0 {
		r.Hits = 100 * float64(all.n) / float64(all.lookups)
	}
	if s.P99 > 0 && results.Enough(0.99, uint64(len(c.batches))) {
		sorted := slices.Sorted(slices.Values(c.batches))
		r.P99 = sorted[max(0, int(math.Ceil(0.99*float64(len(sorted))))-1)].Seconds()
	}
	return r
}

// total adds up the rounds that ended, or returns the latest one if none did.
func (c *candidate) total() piece {
	if len(c.whole) == 0 && c.part != nil {
		return total([]*times{c.part})
	}
	return total(slices.Collect(maps.Values(c.whole)))
}

// notSoFull is why a candidate cannot have its load factor.
const notSoFull = "does not fill so high"

func (w Wish) tooLarge() string {
	return fmt.Sprintf("takes more than %g bytes per pair", w.BytesPerPair)
}

// fits says why a table cannot be as the user wants it, by its declaration.
func (w Wish) fits(c *candidate, free int64) string {
	layout, err := c.config.Size(c.config, c.shape)
	if err != nil {
		return err.Error()
	}
	if c.shape.N > 0 {
		c.sized = float64(layout.Bytes()) / float64(c.shape.N)
	}
	switch most := c.config.MaxLoad(c.config); {
	case c.shape.Host && !c.config.Caps.HostMemory:
		return "its tables lie in device memory only"
	case c.config.Load > most+0.005 && w.Failed == 0:
		return notSoFull
	case w.BytesPerPair > 0 && c.sized > w.BytesPerPair:
		return w.tooLarge()
	case free >= 0 && layout.Bytes() > free:
		return fmt.Sprintf("takes %d MB, and the device has %d MB left", layout.Bytes()>>20, free>>20)
	}
	return ""
}
