package choose

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
)

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
	r.Mops = r.Ratio * s.best.total().mops()
	if all := c.total(); s.Hits && all.lookups > 0 {
		r.Hits = 100 * float64(all.n) / float64(all.lookups)
	}
	if s.P99 > 0 && results.Enough(0.99, uint64(len(c.batches))) {
		sorted := slices.Sorted(slices.Values(c.batches))
		r.P99 = sorted[max(0, int(math.Ceil(0.99*float64(len(sorted))))-1)].Seconds()
	}
	return r
}

// total is what counts of the rounds to the end; if there was none, of the latest.
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
