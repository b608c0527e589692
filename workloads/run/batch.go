package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
)

// serve runs a batch. What goes wrong there is no mistake of the script, and ends the
// run, or the member alone, whatever the script makes of it.
func (p *point) serve(ctx context.Context, m *member, b engine.Batch) (engine.Sample, error) {
	if p.failure != nil || m.left != nil {
		return engine.Sample{}, ErrStopped
	}
	if err := m.Supports(b.Op); err != nil {
		return engine.Sample{}, err
	}
	s, err := p.batch(ctx, m, b)
	return s, p.fault(m, err)
}

func (p *point) batch(ctx context.Context, m *member, b engine.Batch) (engine.Sample, error) {
	if err := ctx.Err(); err != nil {
		return engine.Sample{}, err
	}
	in, err := p.shared.get(m.pair, b)
	if err != nil {
		return engine.Sample{}, fmt.Errorf("scheme %s: %w", m.config.Name, err)
	}
	if !slices.Contains(schemes.TableOps, b.Op) { // which some schemes need, and have no input
		m.batches = append(m.batches, batch{b.Op, in.N, in.Digest})
	}
	p.asked++
	p.hold(ctx)
	var due arrival
	at := m.now.spent
	if !p.closed(m) {
		p.await(ctx, m, in.N)
		due = m.open.begin(in.N)
		at = m.open.now
	}
	p.closeGap(ctx, m)
	if err := ctx.Err(); err != nil {
		return engine.Sample{}, err
	}
	s, seen, err := m.run(in)
	p.openGap(m)
	if err != nil {
		return s, err
	}
	m.freed = p.clock.Now()
	told := m.measured(b, in, s)
	told.Response = p.account(m, b, s, seen, due)
	told.Round, told.Warmup, told.At, told.Done = p.number, p.warmup, at, p.part(p.warmup)
	p.hear(told)
	return s, p.lookNow(m)
}

// account adds up what a batch was, and tells the listener what is to be noted. It returns
// the response time, of an open loop.
func (p *point) account(m *member, b engine.Batch, s, seen engine.Sample, due arrival) (response time.Duration) {
	m.failed = m.failed || s.Counts.Get("failed") > 0
	if !p.warmup {
		t := m.record(b, s, seen)
		m.now.ops += s.N
		m.now.spent += s.Service
		if m.open != nil {
			response = m.open.end(due, s.Service)
			t.respond(due, response)
			m.now.spent = max(m.open.now, m.open.due())
		}
	}
	for _, note := range s.Notes {
		p.hear(Noted{m.index, note})
	}
	return response
}
