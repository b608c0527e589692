package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/engine"
)

func (p *point) all(ctx context.Context) error {
	if err := p.begin(Stage{Name: Prepare}); err != nil {
		return err
	}
	err := p.round(ctx, "prepare", p.staying(), func(m *member) error { return m.script.Prepare() })
	if err == nil {
		err = p.end()
	}
	for _, stage := range p.stages {
		if err != nil || p.enough() || !slices.ContainsFunc(p.members, func(m *member) bool { return !m.over }) {
			return err
		}
		err = p.runStage(ctx, stage)
	}
	return err
}

func (p *point) begin(stage Stage) error {
	for _, m := range p.members {
		m.phase, m.now, m.open, m.freed = stage.Name, progress{}, nil, p.clock.Now()
		m.settled, m.skips, m.first = false, false, nil
		if stage.Rate > 0 || stage.Schedule != nil {
			m.open = &pace{rate: stage.Rate, schedule: stage.Schedule}
		}
	}
	p.stage, p.warmup = stage, false
	p.begun++
	if !p.rehearsing {
		p.Control.enter()
	}
	if err := p.listener(PhaseBegan{Index: p.begun - 1, Of: len(p.stages) + 1, Name: stage.Name, Stage: stage}); err != nil {
		return err
	}
	p.cannotCompare(cmp.Or(p.differed, p.crowded))
	return nil
}

// runStage calls event until the stage ends. Events are numbered through all stages.
func (p *point) runStage(ctx context.Context, stage Stage) error {
	if stage.Settles {
		stage.Warmup = uint64(p.Policy.Warmup)
	}
	if err := p.begin(stage); err != nil {
		return err
	}
	defer p.endStage()
	for rounds := uint64(0); p.goesOn(rounds); rounds++ {
		p.number++
		p.warmup = rounds < stage.Warmup && !p.rehearsing
		before := p.asked
		members := p.staying()
		if err := p.round(ctx, fmt.Sprintf("event %d", p.number), members, p.event); err != nil {
			return err
		}
		p.settle(members)
		if p.asked == before && stage.Batches == 0 && len(p.active()) > 0 {
			return &ScriptError{fmt.Errorf("event %d made no batch, so stage %s would never end: give it a number of batches, or return false",
				p.number, stage.Name)}
		}
	}
	return p.end()
}

func (p *point) event(m *member) error {
	if m.over {
		return nil
	}
	more, err := m.script.Event(p.number, p.stage.Name)
	if err != nil {
		return err
	}
	m.over = !more
	if !p.warmup {
		m.now.rounds++
	}
	if p.stage.Settles {
		return p.sameBatches(m)
	}
	return nil
}

func (p *point) endStage() {
	for _, m := range p.members {
		if m.open == nil {
			continue
		}
		for _, t := range m.phaseTallies() {
			t.rate, t.behind = m.open.perSecond(), m.open.behind()
		}
	}
}

// staying are the members that have not left the stage.
func (p *point) staying() []*member {
	return slices.DeleteFunc(slices.Clone(p.members), func(m *member) bool { return m.settled || m.skips })
}

// active are those of them whose event is called.
func (p *point) active() []*member {
	return slices.DeleteFunc(p.staying(), func(m *member) bool { return m.over })
}

func (p *point) goesOn(rounds uint64) bool {
	switch {
	case len(p.active()) == 0:
		return false
	case p.rehearsing:
		return rounds < 1
	case p.enough():
		return false
	}
	return p.part(rounds < p.stage.Warmup) < 1
}

// part is the part of the stage that is over; negative if unknown. All end when the fastest reaches the end.
func (p *point) part(warmup bool) float64 {
	if warmup {
		return 0
	}
	furthest := -1.0
	for _, m := range p.active() {
		furthest = max(furthest, p.stage.done(m.now))
	}
	return furthest
}

// rotated begins with another member in each round. The first one to run a short batch on a GPU, after its input was
// generated, is a tenth slower than the others.
func rotated(members []*member, round uint64) []*member {
	first := 0
	if round > 0 && len(members) > 0 {
		first = int((round - 1) % uint64(len(members)))
	}
	return slices.Concat(members[first:], members[:first])
}

// round makes one call on each member, their batches in turn, and compares these.
func (p *point) round(ctx context.Context, what string, members []*member, body func(*member) error) error {
	err := inTurns(rotated(members, p.number),
		func(m *member) error {
			if err := body(m); err != nil && m.left == nil && !p.leaveOut(m, err) {
				return err
			}
			return nil
		},
		func(m *member, a *ask) { a.sample, a.err = p.serve(ctx, m, a) })
	hangs := hanging(p.failure) != nil
	if !hangs {
		err = cmp.Or(err, p.parting())
	}
	p.compare(what, members, err != nil || p.failure != nil)
	if !hangs && !p.rehearsing {
		p.cache.EndRound()
	}
	switch {
	case p.failure != nil && errors.Is(err, p.failure):
		return err // it has the place in the script
	case p.failure != nil || ctx.Err() != nil:
		return cmp.Or(p.failure, ctx.Err()) // also if it stopped a script
	case err != nil:
		return &ScriptError{err}
	}
	return p.roundEnded()
}

// roundEnded tells the listener, and takes out the schemes that it drops.
func (p *point) roundEnded() error {
	if p.rehearsing {
		return nil
	}
	if err := p.listener(RoundEnded{Phase: p.stage.Name, Round: p.number, Warmup: p.warmup}); err != nil {
		return err
	}
	drops := p.Control.now().drops
	for _, m := range p.members {
		if why := drops[m.index]; why != "" {
			m.leave(why)
			m.left.Eliminated = true
			p.aside[m.index] = true
		}
	}
	return p.parting()
}

// end looks at all tables after a phase, and at their contents if the plan says so.
func (p *point) end() error {
	if err := p.lookAtAll(); err != nil {
		return err
	}
	ended := PhaseEnded{Name: p.stage.Name, Contents: map[int]engine.Contents{}}
	for _, m := range p.members {
		if err := p.inspect(m, ended.Contents); err != nil && !p.putAside(m, err) {
			return err
		}
	}
	return cmp.Or(p.parting(), p.listener(ended))
}

// inspect reads the contents of a table if the plan says so. Nobody hears of those of a rehearsal, so there the pairs are
// counted, unless an oracle wants to see them.
func (p *point) inspect(m *member, read map[int]engine.Contents) (err error) {
	switch {
	case !p.verify && !p.digests || m.left != nil:
	case p.rehearsing && !p.verify:
		return m.Recount()
	default:
		var c engine.Contents
		if c, err = m.contents(); err == nil {
			read[m.index] = c
		}
	}
	return err
}

// kept reads the tables of all that are there at the end.
func (p *point) kept() (map[int]engine.Contents, error) {
	read := map[int]engine.Contents{}
	for i, m := range p.members {
		c, err := m.Contents()
		if err != nil {
			return nil, err
		}
		if i > 0 {
			c.Keys, c.Values = nil, nil
		}
		read[m.index] = c
	}
	return read, nil
}

// policy says when the measurements of a stage have settled.
func (p *point) policy(s Stage) engine.Policy {
	policy := p.Policy
	if s.Noise > 0 {
		policy.Noise = s.Noise
	}
	return policy
}

func (p *point) settle(members []*member) {
	if !p.stage.Settles || p.warmup {
		return
	}
	for _, m := range members {
		quiet := true // the noise of all that the phase measures is below its bound
		for _, t := range m.phaseTallies() {
			t.endEvent()
			quiet = quiet && t.policy.Summarize(t.runs.kept).Settled
		}
		m.settled = p.Policy.Enough(m.now.rounds, m.now.spent) &&
			(m.now.rounds >= uint64(p.Policy.Most) || m.now.spent >= p.Policy.MaxTime || quiet)
	}
}

// sameBatches checks that an event made the batches of the first one. A scheme whose first event made none skips the stage.
func (p *point) sameBatches(m *member) error {
	if m.first == nil {
		first := m.batches
		m.first, m.skips = &first, first.count == 0
	}
	if m.first.equal(&m.batches) || m.left != nil || p.failure != nil {
		return nil
	}
	return fmt.Errorf("stage %s settles, so every event makes the same batches: event %d made %v, the first made %v",
		p.stage.Name, p.number, &m.batches, m.first)
}

// rehearse runs prepare and one event of each stage on each scheme by itself, before the measured tables exist.
// Its tables count, digest and verify as the plan says, so the measured ones need not, and have all the memory.
func (p *point) rehearse(ctx context.Context) error {
	p.rehearsed = map[int][]*tally{}
	for i := range p.Schemes {
		if p.aside[i] {
			continue
		}
		r := newPoint(p.runner, p.index, p.at)
		r.only, r.rehearsing, r.digests, r.listener = i, true, true, r.hearRehearsal
		if err := r.carryOut(ctx); err != nil {
			return err
		}
		p.spent.Verified += r.verified()
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
	err = p.instances()
	if err == nil {
		err = p.start()
	}
	if err != nil || len(p.members) == 0 {
		return err
	}
	return p.all(ctx)
}

func (p *point) hearRehearsal(e Event) error {
	switch e := e.(type) {
	case Measured:
		return p.runner.listener(Rehearsed{p.at, p.Schemes[p.only].String(), e.Phase, e.Sample})
	case Halted:
		return p.runner.listener(e)
	}
	return nil
}
