package bench

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
)

// Listener is told what happens, as it happens.
type Listener interface {
	// Row is what one scheme did in one operation.
	Row(results.Row) error
	// Now says what is being done, before every batch.
	Now(what string)
}

// Run carries out a plan. When the context ends, it stops after the batch that is
// running; what was measured until then has been reported.
func Run(ctx context.Context, dev device.Device, plan Plan, listener Listener) error {
	m := &measurement{Plan: plan, dev: dev, listener: listener, steps: plan.steps()}
	defer m.release()
	for _, s := range m.inputs() {
		listener.Now("making the input of " + s.label)
		var err error
		if s.input, err = engine.Load(dev, plan.Pair, s.batch); err != nil {
			return err
		}
	}
	for _, load := range plan.Loads {
		if err := m.at(ctx, load); err != nil {
			return err
		}
	}
	return nil
}

type measurement struct {
	Plan
	dev      device.Device
	listener Listener
	steps    []*step
}

func (m *measurement) release() {
	for _, s := range m.inputs() {
		if s.input != nil {
			s.input.Release()
		}
	}
}

// inputs are all steps that have one, those that only fill tables included.
func (m *measurement) inputs() []*step {
	list := slices.Clone(m.steps)
	for _, s := range m.steps {
		if s.fill != nil && !slices.Contains(list, s.fill) {
			list = append(list, s.fill)
		}
	}
	return list
}

// contender is one scheme at one load factor.
type contender struct {
	schemes.Config
	load   float64
	seen   map[*step]engine.Sample // a run that looked at everything and was not timed
	table  *engine.Table
	repeat *engine.Repetition
	last   engine.Sample // of the timed runs of a step
	done   uint64        // operations completed, in the run with the fewest
}

// at measures everything at one load factor.
func (m *measurement) at(ctx context.Context, load float64) error {
	var all []*contender
	defer func() {
		for _, c := range all {
			if c.table != nil {
				c.table.Close()
			}
		}
	}()
	for _, config := range m.Schemes {
		c := &contender{Config: config, load: load, seen: map[*step]engine.Sample{}}
		if err := m.look(ctx, c); err != nil {
			return err
		}
		all = append(all, c)
	}
	for _, c := range all {
		var err error
		if c.table, err = engine.New(m.dev, m.spec(c)); err != nil {
			return err
		}
	}
	for _, s := range m.steps {
		able := slices.DeleteFunc(slices.Clone(all), func(c *contender) bool { return !s.can(c.Scheme) })
		if err := m.series(ctx, s, able); err != nil {
			return err
		}
	}
	return nil
}

func (m *measurement) spec(c *contender) engine.Spec {
	return engine.Spec{Config: c.Config, Shape: m.shape(c.load), Seed: m.Seed, Timeout: m.Timeout}
}

// look runs everything once with instrumented kernels, result digests and the
// oracle, as far as asked for: all that timed runs do without. It is a warm-up,
// too.
func (m *measurement) look(ctx context.Context, c *contender) error {
	spec := m.spec(c)
	spec.Counted, spec.Results, spec.Verify = m.Counted, true, m.Verify
	table, err := engine.New(m.dev, spec)
	if err != nil {
		return err
	}
	defer table.Close()
	for _, s := range m.steps {
		if !s.can(c.Scheme) {
			continue
		}
		if err := m.before(ctx, c, s, table); err != nil {
			return err
		}
		sample, err := m.run(ctx, c, s, table, "first look")
		if err != nil {
			return err
		}
		c.seen[s] = sample
		if err := m.plausible(c, s, sample); err != nil {
			return err
		}
	}
	if m.Verify {
		_, err = table.Contents()
	}
	return err
}

// plausible says whether as many keys were found as are said to be there. A rate of
// finds means nothing if they looked for other keys.
func (m *measurement) plausible(c *contender, s *step, sample engine.Sample) error {
	if s.present == nil {
		return nil
	}
	n, p := float64(m.N), *s.present
	found, failed := float64(sample.Counts.Get("ok")), float64(c.seen[m.steps[0]].Counts.Get("failed"))
	slack := 6 * math.Sqrt(n*p*(1-p)) // no seed in a milliard is further off
	if found < n*p-slack-failed || found > n*p+slack {
		return fmt.Errorf("scheme %s at load factor %g: %s: found %.0f of %d keys: either the table or the input is wrong; --verify tells",
			c.Name, c.load, s.label, found, m.N)
	}
	return nil
}

// series repeats a step on all contenders in turn, until each has settled or
// reached its limits.
func (m *measurement) series(ctx context.Context, s *step, all []*contender) error {
	for _, c := range all {
		c.repeat, c.done = engine.NewRepetition(m.Repeat), s.input.N
	}
	err := m.turns(ctx, s, all)
	var rows []results.Row
	for _, c := range all {
		if len(c.repeat.Series().Runs) > 0 {
			rows = append(rows, m.row(s, c))
		}
	}
	results.MarkIncomparable(rows)
	for _, r := range rows {
		if err := m.listener.Row(r); err != nil {
			return err
		}
	}
	return err
}

func (m *measurement) turns(ctx context.Context, s *step, all []*contender) error {
	for more := true; more; {
		more = false
		for _, c := range all {
			if c.repeat.Done() {
				continue
			}
			more = true
			if err := m.turn(ctx, s, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// before makes a table what a step starts with.
func (m *measurement) before(ctx context.Context, c *contender, s *step, table *engine.Table) error {
	if !s.fresh {
		return nil
	}
	if err := table.Clear(); err != nil || s.fill == nil {
		return err
	}
	_, err := m.run(ctx, c, s.fill, table, "before "+s.label)
	return err
}

// turn is one timed run of one contender.
func (m *measurement) turn(ctx context.Context, s *step, c *contender) error {
	if err := m.before(ctx, c, s, c.table); err != nil {
		return err
	}
	what := fmt.Sprintf("run %d", len(c.repeat.Series().Runs)+1)
	sample, err := m.run(ctx, c, s, c.table, what)
	if err != nil {
		return err
	}
	c.repeat.Add(sample.Service)
	c.last = sample
	c.done = min(c.done, sample.Completed())
	return nil
}

func (m *measurement) run(ctx context.Context, c *contender, s *step, table *engine.Table, what string) (engine.Sample, error) {
	if ctx.Err() != nil {
		return engine.Sample{}, ctx.Err()
	}
	m.listener.Now(fmt.Sprintf("%s at load factor %g: %s, %s", c.Config, c.load, s.label, what))
	return table.Run(s.input)
}
