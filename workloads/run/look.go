package run

import (
	"slices"
	"time"
)

// lookRest is how many times as long as a look nobody looks after it: a look visits the whole table, takes
// longer than many a batch, and changes what the caches hold. Results need those at the ends of phases.
const lookRest = 50

// AtEnds is the period of a run that looks at the end of phases only.
const AtEnds = time.Duration(1<<63 - 1)

// lookNow looks at a table after its batch, if it is time and no other waits longer.
func (p *point) lookNow(m *member) error {
	now := p.clock.Now()
	waitsLonger := func(o *member) bool { return !o.over && o.left == nil && o.looked.Before(m.looked) }
	if p.Look == 0 || p.rehearsing || now.Before(p.rest) || now.Sub(m.looked) < p.Look || slices.ContainsFunc(p.members, waitsLonger) {
		return nil
	}
	return p.look(m)
}

// look reads the gauges of a table, and the probes that instrumented kernels counted in this phase.
func (p *point) look(m *member) error {
	began := p.clock.Now()
	readings, err := m.Gauges()
	if err != nil {
		return err
	}
	for _, t := range m.phaseTallies() {
		if r, counted := t.lengths(); counted {
			readings = append(readings, r)
		}
	}
	m.gauges, m.looked = readings, p.clock.Now()
	p.rest = m.looked.Add(lookRest * m.looked.Sub(began))
	p.hear(Looked{Scheme: m.index, Phase: m.phase, Gauges: readings})
	return nil
}

func (p *point) lookAtAll() error {
	if p.Look == 0 || p.rehearsing {
		return nil
	}
	for _, m := range p.members {
		if err := p.look(m); err != nil && !p.putAside(m, err) {
			return err
		}
	}
	return p.failure
}
