package choose

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/survey"
)

// candidate is a scheme with its parameters and the load factor of its table.
type candidate struct {
	config schemes.Config
	name   string
	shape  schemes.Shape // of its table
	sized  float64       // bytes per pair by its declaration; 0: unknown
	why    string        // why it cannot be the answer; empty: it can
	aside  bool          // its load factor was not asked for: it only shows what another one would give

	small  *survey.Probes // of a small counted run
	tried  bool           // it ran, or was to run
	rate   float64        // relative to the first best candidate; 0: it was not measured
	guess  float64        // its rate before the whole runs
	beaten string         // why it was eliminated; empty: it was not
	whole  map[int]*times // of runs to the end, by the number of the run

	mops, load, bytes float64
	batches           []time.Duration
}

// stands reports whether a candidate may be the answer.
func (c *candidate) stands() bool { return c.why == "" && !c.aside }

// fill records the table at its fullest.
func (c *candidate) fill(load, bytes float64) {
	if c.bytes == 0 || load > c.load {
		c.load, c.bytes = load, bytes
	}
}

// entry is the candidate as results have it.
func (s *search) entry(c *candidate) results.Candidate {
	r := results.Candidate{Scheme: c.name, Load: c.load, BytesPerPair: c.bytes, Ratio: c.rate / s.best.rate}
	if e := s.versus(c, s.best); c != s.best && !math.IsInf(e.High, 0) && !math.IsNaN(e.High) {
		r.Ratio, r.Low, r.High = e.Ratio, &e.Low, &e.High
	}
	r.Mops = r.Ratio * s.best.mops
	if s.P99 > 0 && results.Enough(0.99, uint64(len(c.batches))) {
		r.P99 = c.p99().Seconds()
	}
	return r
}

// p99 is the time that 99 percent of the batches do not exceed.
func (c *candidate) p99() time.Duration {
	sorted := slices.Sorted(slices.Values(c.batches))
	return sorted[max(0, int(math.Ceil(0.99*float64(len(sorted))))-1)]
}

// loadGrid are the load factors between which a search chooses.
var loadGrid = []float64{0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98}

// ladder lists the values of a parameter that are worth trying, in order; nil: none. Limits that a table derives by
// itself, the family of hash functions, and what happens to a full table are the user's to choose.
func ladder(p schemes.Param) []int64 {
	few := p.Words != nil || p.Values != nil || p.Max-p.Min < 8
	switch {
	case p.Role == schemes.HashFamily || p.Auto || p.Role == schemes.HostOnly && p.Words != nil:
		return nil
	case few:
		return p.All()
	case p.Max > 256:
		return nil
	}
	var list []int64
	if p.Max > 100 {
		for v := max(p.Min, 1); v <= p.Max; v *= 2 {
			list = append(list, v)
		}
		return list
	}
	for k := range int64(5) {
		list = append(list, p.Min+(p.Max-p.Min)*k/4)
	}
	return list
}

// around returns the values next to one; of words, all others.
func around(p schemes.Param, value int64) (list []int64) {
	values := ladder(p)
	for i, v := range values {
		next := i+1 < len(values) && v < value && values[i+1] >= value || i > 0 && v > value && values[i-1] <= value
		if v != value && (next || p.Words != nil) {
			list = append(list, v)
		}
	}
	return list
}

// neighbors are the configurations that differ from one in the value of a parameter, or in one step of the load factor.
// Where the value leads to one that is not compiled, the nearest that are stand for it.
func neighbors(c schemes.Config, load float64, loads []float64) (list []schemes.Config) {
	for _, p := range c.Params {
		for _, other := range steps(c, p, ladder(p)) {
			list = append(list, compiledNear(other, p.Name)...)
		}
	}
	if i := slices.Index(loads, load); i >= 0 {
		for _, k := range []int{i - 1, i + 1} {
			if k >= 0 && k < len(loads) {
				list = append(list, c.AtLoad(loads[k]))
			}
		}
	}
	return list
}

// compiledNear is a configuration if it is compiled, else the nearest that are, by steps of other parameters.
func compiledNear(c schemes.Config, but string) []schemes.Config {
	isCompiled := func(c schemes.Config) bool { return c.Compiled() == nil }
	seen := map[string]bool{}
	for near := []schemes.Config{c}; len(near) > 0; {
		if slices.ContainsFunc(near, isCompiled) {
			return slices.DeleteFunc(near, func(c schemes.Config) bool { return !isCompiled(c) })
		}
		var further []schemes.Config
		for _, c := range near {
			if !seen[c.Variant()] {
				seen[c.Variant()] = true
				further = append(further, variantSteps(c, but)...)
			}
		}
		near = further
	}
	return nil
}

// variantSteps are those of the parameters that tell variants apart, but one.
func variantSteps(c schemes.Config, but string) (list []schemes.Config) {
	for _, p := range c.Params {
		if p.Name != but && p.Role == schemes.Variant {
			list = append(list, steps(c, p, around(p, c.Get(p.Name)))...)
		}
	}
	return list
}

// steps are the configurations that differ from one in a parameter, which takes some values.
func steps(c schemes.Config, p schemes.Param, values []int64) (list []schemes.Config) {
	for _, v := range values {
		if other, err := c.With(p.Name, p.Text(v)); err == nil && v != c.Get(p.Name) {
			list = append(list, other)
		}
	}
	return list
}

// notSoFull is why a candidate cannot have its load factor.
const notSoFull = "does not fill so high"

// tooLarge is why a candidate breaks the constraint on memory.
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
	most := c.config.MaxLoad(c.config)
	switch {
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
