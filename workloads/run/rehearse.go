package run

import (
	"context"
	"errors"
)

// rehearse runs prepare and one event of each stage on each scheme by itself, before the measured tables exist.
// Its tables count, digest and verify as the plan says, so the measured ones need not, and have all the memory.
func (p *point) rehearse(ctx context.Context) error {
	p.rehearsed = map[int][]*tally{}
	for i := range p.Schemes {
		if p.aside[i] {
			continue
		}
		r := newPoint(p.runner, p.index, p.at)
		r.only, r.rehearsing, r.digests, r.listener = i, true, true, listenerFunc(r.hearRehearsal)
		if err := r.carryOut(ctx); err != nil {
			return err
		}
		for _, m := range r.members {
			p.rehearsed[i] = m.tallies
		}
		for _, m := range r.gone {
			if m.left.Failed {
				m.tallies = nil // nothing of it was measured
				p.gone = append(p.gone, m)
			}
		}
	}
	p.verify, p.digests, p.counted = false, false, false
	return nil
}

func (p *point) carryOut(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, p.close(err)) }()
	if err := p.start(); err != nil || len(p.members) == 0 {
		return err
	}
	return p.all(ctx)
}

func (p *point) hearRehearsal(e Event) error {
	switch e := e.(type) {
	case Measured:
		return p.runner.listener.Hear(Rehearsed{p.at, p.Schemes[p.only].String(), e.Phase, e.Sample})
	case Halted:
		return p.runner.listener.Hear(e)
	}
	return nil
}
