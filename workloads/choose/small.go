package choose

import (
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/survey"
)

// mix counts what the workload does, as far as the goal counts it.
type mix struct{ added, found, missing uint64 }

func (m *mix) add(e run.Measured) {
	get := e.Sample.Counts.Get
	added := get("added") + get("failed")
	m.added += added
	m.missing += get("missing")
	m.found += e.Sample.N - min(e.Sample.N, added+get("missing"))
}

// Pairs of a small counted run: a part of those of the workload, within bounds. Probes per operation hardly depend on it.
const (
	smallPart  = 16
	smallLeast = 1 << 10
	smallMost  = 1 << 13
)

// sectorCost is what a further sector of a probe costs, of what a probe costs.
const sectorCost = 1.0 / 6

// expected is the work of a candidate by a small counted run, in probes. Only figures of one scheme are compared.
func (s *search) expected(c *candidate) float64 {
	if c.small == nil {
		load := c.shape.Load
		if load == 0 {
			load = c.load
		}
		load = min(max(load, 0.05), c.config.MaxLoad(c.config))
		p, err := survey.Survey{Device: s.dev, N: min(max(c.shape.N/smallPart, smallLeast), smallMost), Seed: s.plan.Seed}.At(c.config.AtLoad(0), load, c.shape.Pair)
		if err != nil {
			p = survey.Probes{}
		}
		c.small = &p
		s.service += p.Service
	}
	p, sum := c.small, 0.0
	for i, of := range []struct {
		n      uint64
		probes float64
	}{{s.mix.added, p.Insert}, {s.mix.found, p.Present}, {s.mix.missing, p.Absent}} {
		sum += float64(of.n) * (of.probes + sectorCost*max(0, p.Sectors[i]-of.probes))
	}
	return sum
}

// hopeless is the part of the best rate that a candidate must be expected to reach.
const hopeless = 0.5

// reach is the rate that a candidate is expected to have, by that of another one of its scheme; 0: unknown.
func (s *search) reach(c, measured *candidate) float64 {
	mine, others := s.expected(c), s.expected(measured)
	if mine == 0 || others == 0 {
		return 0
	}
	return measured.rate * others / mine
}
