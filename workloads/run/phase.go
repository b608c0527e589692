package run

import (
	"cmp"
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
		err = p.end()
	}
	for _, stage := range p.stages {
		if err != nil || p.over() {
			return err
		}
		err = p.runStage(ctx, stage)
	}
	return err
}

func (p *point) begin(stage Stage) error {
	for _, m := range p.members {
		m.phase, m.now, m.open, m.freed = stage.Name, progress{}, nil, p.clock.Now()
		if stage.Rate > 0 || stage.Schedule != nil {
			m.open = &pace{rate: stage.Rate, schedule: stage.Schedule}
		}
	}
	p.stage, p.warmup = stage, false
	p.phases = append(p.phases, stage.Name)
	p.Control.enter()
	if err := p.listener.Hear(PhaseBegan{Index: len(p.phases) - 1, Of: len(p.stages) + 1, Name: stage.Name, Stage: stage}); err != nil {
		return err
	}
	p.cannotCompare(cmp.Or(p.differed(), p.crowded))
	return nil
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

// runStage calls event until the stage ends. Events are numbered through all stages.
func (p *point) runStage(ctx context.Context, stage Stage) error {
	if err := p.begin(stage); err != nil {
		return err
	}
	defer p.endStage()
	for rounds := uint64(0); !p.over() && p.part(rounds < stage.Warmup) < 1; rounds++ {
		p.number++
		number := p.number
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
			return err
		}
		if p.asked == before && stage.Batches == 0 && !p.over() {
			return &ScriptError{fmt.Errorf("event %d made no batch, so stage %s would never end: give it a number of batches, or return false",
				number, stage.Name)}
		}
	}
	return p.end()
}

// endStage says what the members of an open loop could not keep up with.
func (p *point) endStage() {
	for _, m := range p.members {
		for _, t := range m.tallies {
			if m.open != nil && t.phase == m.phase {
				t.rate, t.behind = m.open.perSecond(), m.open.behind()
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
		func(i int) error {
			m := p.members[i]
			if err := body(m); err != nil && m.left == nil && !p.leaveOut(m, err) {
				return err
			}
			return nil
		},
		func(i int, a *ask) { a.sample, a.err = p.serve(ctx, p.members[i], a.batch) })
	if !hangs(p.failure) {
		err = cmp.Or(err, p.parting())
	}
	p.compare(what, err != nil || p.failure != nil)
	if !hangs(p.failure) {
		p.shared.endRound()
	}
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

// end looks at all tables after a phase, and at what is in them, as far as asked to.
func (p *point) end() error {
	if err := p.lookAtAll(); err != nil {
		return err
	}
	ended := PhaseEnded{Name: p.stage.Name, Contents: map[int]engine.Contents{}}
	for _, m := range p.members {
		if !p.Verify && !p.digests {
			break
		}
		if m.left != nil {
			continue
		}
		c, err := m.contents()
		if err != nil && !p.alone(m, err) {
			return err
		}
		if err == nil {
			ended.Contents[m.index] = c
		}
	}
	return cmp.Or(p.parting(), p.listener.Hear(ended))
}
