// Package run runs a script on several schemes side by side. At every point on the script's axes, each scheme has a
// fresh table and an instance of the script, all with the same seed. The instances make their batches strictly in turn
// - A B A B - so that drift of the machine affects all alike. The inputs of their batches are compared: schemes whose
// scripts asked for different things are not ranked.
//
// Rates come from kernels that count only outcomes. What instrumented kernels count comes
// from a second table of each scheme, which gets the same batches.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/limits"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
)

// Plan describes a run: script, schemes, devices and settings.
type Plan struct {
	Script  Script
	Schemes []schemes.Config
	Options map[string]any
	Points  []Point // see Points
	Seed    uint64
	Rules

	Digests bool // digest the results of every batch, and the tables after every phase
	Counted bool // give every batch to a table of instrumented kernels, too

	// Keep reads the tables at the end of each point: the pairs of the first scheme that is still there, and digests of
	// the others. Samples have what operations listed.
	Keep bool

	// Rehearse does what Verify, Digests and Counted ask for before the measurements, on
	// other tables, unless a listener needs the digests of every batch.
	Rehearse bool

	// Look is the shortest time between readings of a scheme's gauges; 0 is never. They take
	// less than a 50th of the run's time, and are always read at the end of a phase.
	Look time.Duration

	Bounds limits.List // what the memory of the device allows, if that was measured
}

// Rules are the part of a plan that is the same for all scripts and recordings.
type Rules struct {
	Pair       schemes.Pair  // of the tables, instead of the script's; zero: the script's
	Policy     engine.Policy // when noise counts as settled
	For        time.Duration // visits all points again and again until it is over; 0: once
	Timeout    time.Duration // of a batch
	Chunk      uint64        // operations that a batch carries out at a time; 0: as many as memory allows
	Launch     uint64        // operations of a launch; 0: as many as the batch has
	Verify     bool          // check every batch, and the tables after every phase, against the oracle
	Thresholds []string      // besides the script's
	Control    *Control      // steers the run; may be nil
	LeaveOut   bool          // leave out schemes that lack what the script asks for, instead of ending the run
	KeepGoing  bool          // put aside schemes that fail, instead of ending the run
}

// ScriptError is a mistake in the script, not a failure of what it runs on.
type ScriptError struct{ error }

// Mistake makes an error, if there is one, that of the script, or of how it is used.
func Mistake(err error) error {
	if err == nil {
		return nil
	}
	return &ScriptError{err}
}

// Unwrap returns the script's error.
func (e *ScriptError) Unwrap() error { return e.error }

// Run carries out a plan. The listener has heard what was measured before an error or the end of the context.
// If all is done and a threshold does not hold, the error is an ErrThreshold.
func Run(ctx context.Context, dev device.Device, plan Plan, listener Listener) error {
	r := &runner{Plan: plan, dev: dev, listener: listener, clock: realClock{}}
	return r.controlled(ctx)
}

func (r *runner) controlled(ctx context.Context) error {
	ctx, again := context.WithCancelCause(ctx)
	defer again(nil)
	r.Control = cmp.Or(r.Control, &Control{})
	r.Control.begin(func() { again(ErrAgain) })
	err := r.run(ctx)
	if err != nil && context.Cause(ctx) == ErrAgain {
		return fmt.Errorf("%w: %w", ErrAgain, err)
	}
	return err
}

type runner struct {
	Plan
	dev      device.Device
	listener Listener
	clock    clock
	cache    *engine.Cache
	broken   [][]string // thresholds that do not hold, by point
	ended    int        // how many members reached the end of a point
	lacking  error      // why the first scheme was left out; nil if none was
	faults   SchemesFailed
	aside    map[int]bool // schemes that have failed, by index
	crowded  string       // why nothing is compared any longer; empty if no kernel hangs
	rest     time.Time    // until then nobody looks at a table
	lap      int          // counted from 0
	earlier  []earlier    // laps, by point
	deadline time.Time    // of a run with a time
}

// numberBytes bounds the numbers from files and scripts that stay on the device.
const numberBytes = 1 << 30

func (r *runner) run(ctx context.Context) (err error) {
	r.cache = engine.NewCache(r.dev, numberBytes).Chunk(engine.Chunked{AsNeeded: true, Most: r.Chunk})
	r.aside, r.broken = map[int]bool{}, make([][]string, len(r.Points))
	defer func() {
		if len(r.faults) > 0 {
			err = errors.Join(r.faults, err)
		}
		if hanging(err) == nil {
			err = errors.Join(err, r.cache.Close())
		}
	}()
	if err = r.laps(ctx); err != nil {
		return err
	}
	if err := r.nobody(r.lacking); err != nil && len(r.faults) == 0 {
		return err
	}
	broken := slices.Concat(r.broken...)
	switch more := len(broken) - 1; {
	case more == 0:
		return fmt.Errorf("%w: %s", ErrThreshold, broken[0])
	case more > 0:
		return fmt.Errorf("%w: %s, and %d more", ErrThreshold, broken[0], more)
	}
	return nil
}

// point is a run's part at one point on the axes.
type point struct {
	*runner
	index   int
	at      Point
	members []*member
	gone    []*member // those that were left out

	listener                 Listener
	verify, digests, counted bool             // as the plan says, unless there was a rehearsal
	rehearsing               bool             // this is one
	only                     int              // the scheme that it is of; negative: of all
	rehearsed                map[int][]*tally // what it has seen, by scheme

	stages   []Stage
	limits   []condition
	begun    int // phases
	stage    Stage
	number   uint64 // of the call of event, through all stages
	warmup   bool
	differs  map[string]string // why schemes cannot be compared, by phase
	differed string            // the first reason
	asked    uint64            // batches
	failure  error             // of what the scripts run on
	spent    results.Spent
}

func newPoint(r *runner, index int, at Point) *point {
	return &point{runner: r, index: index, at: at, listener: r.listener, only: -1, differs: map[string]string{},
		verify: r.Verify, digests: r.Digests || r.Control.now().digests, counted: r.Counted}
}

func (p *point) run(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, p.close(err)) }()
	before := p.dev.Compiled()
	p.resume()
	if err = p.instances(); err == nil {
		err = p.obtain()
	}
	if err == nil && p.Rehearse && !p.digests && p.lap == 0 {
		began, before := time.Now(), p.dev.Compiled()
		err = p.rehearse(ctx)
		p.spent.Rehearsed = (time.Since(began) - p.dev.Compiled() + before).Seconds()
	}
	if err == nil {
		err = p.start()
	}
	if err != nil {
		return err
	}
	if len(p.members) > 0 {
		err = p.all(ctx)
	}
	p.spent.Kernels += (p.dev.Compiled() - before).Seconds()
	p.spent.Verified += p.verified()
	ended := PointEnded{Index: p.index, Lap: p.lap, Rows: p.rows(), Spent: p.spent,
		LeftOut: lists.Map(p.gone, func(m *member) results.LeftOut { return *m.left })}
	if err == nil {
		ended.Summaries, err = p.summaries()
	}
	if err == nil && p.Keep {
		ended.Contents, err = p.kept()
	}
	p.keep()
	return errors.Join(err, p.listener(ended))
}

func (p *point) verified() float64 {
	made := lists.Filter(slices.Concat(p.members, p.gone), func(m *member) bool { return m.Table != nil })
	return lists.Sum(made, func(m *member) float64 { return m.Verified().Seconds() })
}

func (p *point) close(err error) error {
	if hanging(err) != nil {
		return nil
	}
	if !p.rehearsing { // the next scheme gets the same batches
		p.cache.Clear()
	}
	return errors.Join(lists.Map(p.members, (*member).close)...)
}

// instances makes an instance of the script for each scheme, and refuses tables that do not fit side by side.
func (p *point) instances() error {
	for i, config := range p.Schemes {
		// of the last lap; one without figures if there is none
		before := cmp.Or(lists.First(p.earlier[p.index].members, func(m *member) bool { return m.index == i }), &member{})
		if p.aside[i] || before.left != nil || p.only >= 0 && p.only != i {
			continue
		}
		m := &member{caller: before.caller, index: i, config: config, point: p, looked: p.clock.Now(), tallies: before.tallies, remarks: before.remarks}
		p.members = append(p.members, m)
		if err := p.unless(m, m.begin()); err != nil {
			return err
		}
	}
	if len(p.members) == 0 {
		return nil
	}
	return cmp.Or(p.conditions(p.members[0].script), p.room())
}

// unless leaves out a scheme for an error, or returns it.
func (p *point) unless(m *member, err error) error {
	if p.leaveOut(m, err) || p.putAside(m, err) {
		return p.parting()
	}
	return err
}

// room refuses tables that the device has no room for all at once. If schemes may fail, it is seen when they are made.
func (p *point) room() error {
	var all int64
	var parts []string
	for _, m := range p.members {
		bytes, err := engine.TableBytes(p.dev, m.script.Config, m.script.Shape)
		if err != nil {
			return err
		}
		if p.Counted && !p.Rehearse {
			bytes *= 2 // with its twin
		}
		all += bytes
		parts = append(parts, fmt.Sprintf("%s %d", m.script.Config, bytes))
	}
	if p.KeepGoing || len(parts) < 2 {
		return nil
	}
	err := engine.Fits(p.dev, fmt.Sprintf("the tables%s (%s) take", p.at.Where(), strings.Join(parts, ", ")), all, p.members[0].script.Shape.Pair)
	if err != nil {
		err = fmt.Errorf("%w; hint: fewer schemes at once, or smaller tables", err)
	}
	return err
}

// obtain compiles the kernels that the point needs and the program lacks.
func (p *point) obtain() error {
	began := time.Now()
	err := engine.Obtain(p.dev.Info().Driver != "", slices.Concat(lists.Map(p.members, (*member).specs)...)...)
	p.spent.Kernels = time.Since(began).Seconds()
	return err
}

func (p *point) start() error {
	began := PointBegan{Index: p.index, Of: len(p.Points), Lap: p.lap, For: p.For, Point: p.at, Digests: p.verify || p.digests,
		Given: lists.Map(p.Schemes, schemes.Config.String), Schemes: make([]string, len(p.Schemes)), Shapes: make([]schemes.Shape, len(p.Schemes))}
	for _, m := range slices.Clone(p.members) {
		if p.aside[m.index] { // since its rehearsal
			p.members = slices.DeleteFunc(p.members, func(o *member) bool { return o == m })
			if err := m.close(); err != nil {
				return err
			}
			continue
		}
		m.seen, m.looked = p.rehearsed[m.index], p.clock.Now()
		err := p.startMember(m)
		if err == nil {
			began.Schemes[m.index], began.Shapes[m.index] = m.Scheme(), m.shape
		} else if err = p.unless(m, err); err != nil {
			return err
		}
	}
	if len(p.members) == 0 {
		return nil
	}
	return p.listener(began)
}

func (p *point) startMember(m *member) (err error) {
	m.config, m.shape = m.script.Config, m.script.Shape
	m.counted = p.counted && !m.config.Reference // a library's table tells nothing
	spec := engine.Spec{Config: m.config, Shape: m.shape, Seed: p.Seed, Results: p.verify || p.digests || m.script.Answers, Verify: p.verify, Timeout: p.Timeout, Launch: p.Launch,
		Counted: m.counted && p.rehearsing, Keep: p.Keep && !p.rehearsing || m.script.Answers}
	if m.Table, err = engine.New(p.dev, spec); err != nil || !m.counted || p.rehearsing {
		return err
	}
	spec.Counted, spec.Results, spec.Verify, spec.Keep = true, true, false, false
	m.twin, err = engine.New(p.dev, spec)
	return err
}

// hear tells the listener. Its error ends the run.
func (p *point) hear(e Event) {
	err := p.listener(e)
	p.failure = cmp.Or(p.failure, err)
}

// A run with a time (Plan.For) visits all points lap after lap until the time is over. Each lap has new tables and a new
// instance of the script, with the same seed. The figures of a point are those of all its laps together.

// Forever is the time of a run that goes on until it is told that it is enough, or stopped.
const Forever = time.Duration(math.MaxInt64)

// earlier is kept of a point from one lap to the next: each scheme's measurements, and why it has left.
type earlier struct {
	members []*member
	differs map[string]string // as point.differs
}

// laps visits all points, once or until the time is over. A lap that no scheme ends is the last one.
func (r *runner) laps(ctx context.Context) error {
	r.earlier, r.deadline = make([]earlier, len(r.Points)), r.clock.Now().Add(r.For)
	for before := -1; before < r.ended; r.lap++ {
		before = r.ended
		for i, at := range r.Points {
			if (r.lap > 0 || i > 0) && r.enough() {
				return nil
			}
			if err := newPoint(r, i, at).run(ctx); err != nil {
				return err
			}
		}
		if r.For == 0 {
			return nil
		}
	}
	return nil
}

// enough reports whether the run is to end after the current round.
func (r *runner) enough() bool {
	return r.Control.now().enough || r.For > 0 && !r.clock.Now().Before(r.deadline)
}

// resume gives a point what its earlier laps have measured. Schemes that have left stay away, and the rehearsal of the
// first lap is one for all.
func (p *point) resume() {
	if p.lap == 0 {
		return
	}
	if p.Rehearse && !p.digests {
		p.verify, p.digests, p.counted = false, false, false
	}
	for _, m := range p.earlier[p.index].members {
		if m.left == nil && p.aside[m.index] {
			m.left = &results.LeftOut{Scheme: m.Scheme(), Point: p.at.Map(), Reason: "failed at another point", Failed: true}
		}
		if m.left != nil {
			p.gone = append(p.gone, m)
		}
	}
}

// keep keeps what the next lap at this point adds to, without tables and scripts.
func (p *point) keep() {
	e := earlier{differs: map[string]string{}}
	for _, m := range p.everyone() {
		e.members = append(e.members, &member{caller: caller{spent: m.spent}, index: m.index, config: m.config, shape: m.shape,
			tallies: m.tallies, remarks: m.remarks, left: m.left})
	}
	maps.Copy(e.differs, p.earlier[p.index].differs)
	maps.Copy(e.differs, p.differs)
	p.earlier[p.index] = e
}
