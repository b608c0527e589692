package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/engine"
)

// all runs prepare, then the stages.
func (p *point) all(ctx context.Context) error {
	if err := p.begin(Stage{Name: Prepare}); err != nil {
		return err
	}
	err := p.round(ctx, "prepare", func(m *member) error { return m.script.Prepare() })
	if err == nil {
		err = p.verify()
	}
	number := uint64(0)
	for _, stage := range p.stages {
		if err != nil || p.over() {
			return err
		}
		number, err = p.runStage(ctx, stage, number)
	}
	return err
}

func (p *point) begin(stage Stage) error {
	for _, m := range p.members {
		m.phase, m.now, m.open = stage.Name, progress{}, nil
		if stage.Rate > 0 {
			m.open = &pace{rate: stage.Rate}
		}
	}
	p.stage = stage
	p.phases = append(p.phases, stage.Name)
	if reason := p.differed(); reason != "" {
		p.differs[stage.Name] = reason
	}
	return p.listener.Hear(PhaseBegan{Index: len(p.phases) - 1, Of: len(p.stages) + 1, Name: stage.Name, Stage: stage})
}

// differed is how the inputs of an earlier phase differed: what follows is on tables
// that hold different things.
func (p *point) differed() string {
	for _, phase := range p.phases {
		if reason := p.differs[phase]; reason != "" {
			return reason
		}
	}
	return ""
}

// runStage calls event until the stage ends. Events are numbered through all stages;
// it returns the number of the last one.
func (p *point) runStage(ctx context.Context, stage Stage, number uint64) (uint64, error) {
	if err := p.begin(stage); err != nil {
		return number, err
	}
	defer p.endStage()
	for rounds := uint64(0); !p.over() && p.part(rounds < stage.Warmup) < 1; rounds++ {
		number++
		p.warmup = rounds < stage.Warmup
		before := p.asked
		err := p.round(ctx, fmt.Sprintf("event %d", number), func(m *member) error {
			if m.over {
				return nil
			}
			more, err := m.script.Event(number, stage.Name)
			m.over = !more
			if !p.warmup {
				m.now.rounds++
			}
			return err
		})
		if err != nil {
			return number, err
		}
		if p.asked == before && stage.Batches == 0 && !p.over() {
			return number, &ScriptError{fmt.Errorf("event %d made no batch, so stage %s would never end: give it a number of batches, or return false",
				number, stage.Name)}
		}
	}
	return number, p.verify()
}

// endStage says what the members of an open loop could not keep up with.
func (p *point) endStage() {
	for _, m := range p.members {
		for _, t := range m.tallies {
			if m.open != nil && t.phase == m.phase {
				t.rate, t.behind = m.open.rate, m.open.behind()
			}
		}
	}
}

// over says whether all members have ended the run.
func (p *point) over() bool {
	return !slices.ContainsFunc(p.members, func(m *member) bool { return !m.over })
}

// part is how much of the stage is over. All members end it in the same round: when
// the one that is the furthest has reached the end.
func (p *point) part(warmup bool) float64 {
	if warmup {
		return 0
	}
	furthest := -1.0
	for _, m := range p.members {
		if !m.over {
			furthest = max(furthest, p.stage.done(m.now))
		}
	}
	return furthest
}

// round makes one call on each of the members, their batches in turn, and compares
// what they asked for.
func (p *point) round(ctx context.Context, what string, body func(*member) error) error {
	var callers []*caller
	for _, m := range p.members {
		callers = append(callers, &m.caller)
	}
	err := inTurns(callers,
		func(i int) error { return body(p.members[i]) },
		func(i int, a *ask) { a.sample, a.err = p.serve(ctx, p.members[i], a.batch) })
	p.compare(what, p.failure != nil)
	p.shared.endRound()
	switch {
	case p.failure == nil && ctx.Err() != nil:
		return ctx.Err() // also if it stopped a script
	case p.failure == nil && err != nil:
		return &ScriptError{err}
	case p.failure != nil && errors.Is(err, p.failure):
		return err // it says where in the script, too
	case p.failure != nil:
		return p.failure
	}
	return ctx.Err()
}

// verify checks all tables, if asked to.
func (p *point) verify() error {
	if !p.Verify {
		return nil
	}
	for _, m := range p.members {
		if err := m.verify(); err != nil {
			return err
		}
	}
	return nil
}

// serve runs a batch. What goes wrong there is no mistake of the script, and ends the
// run whatever the script makes of it.
func (p *point) serve(ctx context.Context, m *member, b engine.Batch) (engine.Sample, error) {
	if p.failure != nil {
		return engine.Sample{}, ErrStopped
	}
	if err := m.Supports(b.Op); err != nil {
		return engine.Sample{}, err
	}
	s, err := p.batch(ctx, m, b)
	if err != nil && p.failure == nil {
		p.failure = err
	}
	return s, p.failure
}

func (p *point) batch(ctx context.Context, m *member, b engine.Batch) (engine.Sample, error) {
	if err := ctx.Err(); err != nil {
		return engine.Sample{}, err
	}
	in, err := p.shared.get(m.pair, b)
	if err != nil {
		return engine.Sample{}, fmt.Errorf("scheme %s: %w", m.config.Name, err)
	}
	m.batches = append(m.batches, batch{b.Op, in.N, in.Digest})
	p.asked++
	var due arrival
	if m.open != nil && !p.warmup {
		due = m.open.begin(in.N)
		p.clock.Sleep(ctx, m.freed.Add(due.idle))
	}
	if err := ctx.Err(); err != nil {
		return engine.Sample{}, err
	}
	s, seen, err := m.run(in)
	if err != nil {
		return s, err
	}
	m.freed = p.clock.Now()
	p.account(m, b, s, seen, due)
	return s, nil
}

// account adds up what a batch was, and tells the listener.
func (p *point) account(m *member, b engine.Batch, s, seen engine.Sample, due arrival) {
	if !p.warmup {
		t := m.record(s, seen, b.Keys.String())
		m.now.ops += s.N
		m.now.spent += s.Service
		if m.open != nil {
			t.respond(due, m.open.end(due, s.Service))
			m.now.spent = max(m.open.now, m.open.due())
		}
	}
	for _, note := range s.Notes {
		p.hear(Noted{m.index, note})
	}
	p.hear(Measured{Scheme: m.index, Phase: m.phase, Sample: s, Warmup: p.warmup, Done: p.part(p.warmup)})
}

// compare says in which round the members first asked for different things. When the
// run was stopped, some of them have not asked for all yet.
func (p *point) compare(what string, stopped bool) {
	first := p.members[0]
	for _, m := range p.members[1:] {
		if p.differs[m.phase] == "" {
			p.differs[m.phase] = difference(what, first, m, stopped)
		}
	}
	for _, m := range p.members {
		m.batches = m.batches[:0]
	}
}

func difference(what string, a, b *member, stopped bool) string {
	for k := range min(len(a.batches), len(b.batches)) {
		if x, y := a.batches[k], b.batches[k]; x != y {
			return fmt.Sprintf("batch %d of %s was %v on %s, %v on %s", k+1, what, x, a.Scheme(), y, b.Scheme())
		}
	}
	if len(a.batches) != len(b.batches) && !stopped {
		return fmt.Sprintf("%s made %d batches on %s, %d on %s", what, len(a.batches), a.Scheme(), len(b.batches), b.Scheme())
	}
	return ""
}
