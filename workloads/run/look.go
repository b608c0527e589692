package run

import (
	"slices"
	"time"
)

// When gauges are read. It is done between batches, so no batch pays for it directly. But
// a look goes over the whole table, for longer than many a batch takes, and leaves other
// things in the caches than the batch before it did: if there were one after every batch,
// the run would take twice as long, and rates would be those of tables that were just looked
// at. So looks have a budget of the run's time, whatever the period that was asked for.
//
// At the end of a phase all tables are looked at in any case, for that is what results keep.

// lookRest is how many times as long as a look took nobody looks after it.
const lookRest = 50

// AtEnds is the period of a run that looks at the end of phases only.
const AtEnds = time.Duration(1<<63 - 1)

// lookNow looks at a table after its batch, if it is time. Of several whose time has come,
// the one goes first that waits the longest.
func (p *point) lookNow(m *member) error {
	now := p.clock.Now()
	if p.Look == 0 || p.rehearsing || now.Before(p.rest) || now.Sub(m.looked) < p.Look {
		return nil
	}
	if slices.ContainsFunc(p.members, func(o *member) bool { return !o.over && o.left == nil && o.looked.Before(m.looked) }) {
		return nil
	}
	return p.look(m)
}

// look reads the gauges of a table, and makes others of what instrumented kernels have
// counted in this phase.
func (p *point) look(m *member) error {
	began := p.clock.Now()
	readings, err := m.table.Gauges()
	if err != nil {
		return err
	}
	for _, t := range m.tallies {
		if r, counted := t.lengths(); t.phase == m.phase && counted {
			readings = append(readings, r)
		}
	}
	m.gauges, m.looked = readings, p.clock.Now()
	p.rest = m.looked.Add(lookRest * m.looked.Sub(began))
	p.hear(Looked{Scheme: m.index, Phase: m.phase, Gauges: readings})
	return nil
}

// lookAtAll looks at all tables at the end of a phase.
func (p *point) lookAtAll() error {
	if p.Look == 0 || p.rehearsing {
		return nil
	}
	for _, m := range p.members {
		if err := p.look(m); err != nil && !p.alone(m, err) {
			return err
		}
	}
	return p.failure
}
