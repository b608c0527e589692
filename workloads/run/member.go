package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
)

// member is one scheme at one point: its table as the script sees it, its instance, and what was measured.
type member struct {
	caller
	*engine.Table
	index   int
	config  schemes.Config
	shape   schemes.Shape
	script  *Instance
	twin    *engine.Table // of instrumented kernels, given the same batches; may be nil
	counted bool          // the table or the twin has instrumented kernels
	point   *point

	tallies []*tally
	phase   string
	settled bool      // in this phase
	skips   bool      // this phase: its event makes no batch
	first   *batches  // what an event asks for, in a phase that settles
	seen    []*tally  // in the rehearsal
	open    *pace     // in an open loop
	freed   time.Time // when the last batch ended
	now     progress
	remarks []string
	over    bool    // event returned false
	batches batches // of this round
	failed  bool    // an insert failed, so which pair is in the table depends on timing
	lacks   bool    // an insert found no room, so the table lacks a pair
	left    *results.LeftOut
	last    *given            // the last batch, while its answers can be asked for
	gauges  []schemes.Reading // last read
	looked  time.Time         // when gauges were last read, or the point began
}

// Do runs a batch when it is the scheme's turn.
func (m *member) Do(b engine.Batch) (engine.Sample, error) { return m.caller.do(&ask{batch: b}) }

// Fill is Do for a batch that is not measured.
func (m *member) Fill(b engine.Batch) (engine.Sample, error) {
	return m.caller.do(&ask{batch: b, fill: true})
}

// given is a batch that was carried out.
type given struct {
	in     *engine.Input
	sample engine.Sample
}

// Gave answers a question about the last batch.
func (m *member) Gave(what string) ([]uint64, error) {
	if m.last == nil {
		return nil, errors.New("its answers are kept until the next batch only")
	}
	if all := m.last.sample.Counts.Get("found"); what == "values" && all > 0 && uint64(len(m.last.sample.Listed.Values)) != all {
		return nil, fmt.Errorf("it gave %d values, and there was room for %d; hint: fewer keys in a batch", all, len(m.last.sample.Listed.Values))
	}
	return m.last.in.Gave(what, m.last.sample.Listed)
}

// Clear empties the table, with other hash functions if reseed is set.
func (m *member) Clear(reseed bool) error {
	if m.left != nil {
		return ErrStopped
	}
	for _, t := range m.tables() {
		err := t.Clear()
		if err == nil && reseed {
			err = t.Reseed()
		}
		if err != nil {
			return m.point.fault(m, err)
		}
	}
	m.failed, m.lacks = false, false
	m.point.hear(Cleared{m.index, m.phase, m.point.number, reseed})
	return nil
}

func (m *member) tables() []*engine.Table {
	return slices.DeleteFunc([]*engine.Table{m.Table, m.twin}, func(t *engine.Table) bool { return t == nil })
}

// Scheme returns the scheme as on the command line.
func (m *member) Scheme() string { return m.config.String() }

// Supports returns why the scheme lacks an operation.
func (m *member) Supports(op string) error {
	if op == engine.Mix {
		return nil
	}
	return engine.Supports(m.config, op)
}

// Note adds a remark on the run.
func (m *member) Note(text string) {
	if m.Table != nil { // the run has begun
		m.remarks = lists.Add(m.remarks, text)
		m.point.hear(Noted{m.index, text})
	}
}

// run runs a batch on the table, then on its twin, whose counts of work become part of the sample.
func (m *member) run(in *engine.Input) (s, seen engine.Sample, err error) {
	if s, err = m.Run(in); err != nil || m.twin == nil {
		return s, s, err
	}
	if seen, err = m.twin.Run(in); err != nil {
		return s, seen, err
	}
	s.Counts.SetWork(seen.Counts)
	s.Result = cmp.Or(s.Result, seen.Result)
	return s, seen, nil
}

func (m *member) record(b engine.Batch, s, seen engine.Sample) *tally {
	t := m.tally(s.Op)
	if t.batches == 0 && b.Keys != nil { // nil for operations on the whole table
		t.keys = b.Keys.String()
	}
	t.add(s)
	t.capacity, t.bytes = m.Capacity(), m.Bytes()
	t.lossy = t.lossy || m.lacks
	if t.rehearsed {
		return t
	}
	if m.counted {
		t.seen.Add(seen.Counts)
		t.seenN += seen.N
	}
	if m.failed {
		s.Result = ""
	}
	t.result.Add(s.Result)
	return t
}

// tally returns that of an operation in this phase. A new one has what the rehearsal saw.
func (m *member) tally(op string) *tally {
	of := func(t *tally) bool { return t.phase == m.phase && t.op == op }
	if i := slices.IndexFunc(m.tallies, of); i >= 0 {
		return m.tallies[i]
	}
	t := newTally(m.phase, op)
	t.settles, t.policy = m.point.stage.Settles, m.point.policy(m.point.stage)
	if i := slices.IndexFunc(m.seen, of); i >= 0 {
		t.rehearsed, t.seen, t.seenN, t.result = true, m.seen[i].seen, m.seen[i].seenN, m.seen[i].result
	}
	m.tallies = append(m.tallies, t)
	return t
}

func (m *member) phaseTallies() []*tally {
	return slices.DeleteFunc(slices.Clone(m.tallies), func(t *tally) bool { return t.phase != m.phase })
}

// contents returns those of the table. Reading them checks them, in the twin as well.
func (m *member) contents() (engine.Contents, error) {
	c, err := m.Contents()
	if err == nil && m.twin != nil {
		_, err = m.twin.Contents()
	}
	return c, err
}

func (m *member) close() error {
	if m.script != nil && m.script.Close != nil {
		m.script.Close()
	}
	return errors.Join(lists.Map(m.tables(), (*engine.Table).Close)...)
}

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

// A run can continue without schemes that lack something the script asks for (Plan.LeaveOut) or fail
// (Plan.KeepGoing, or always if erased pairs choke the table). What they did until then is kept.

// SchemesFailed is the error of a run that continued without the schemes that failed.
type SchemesFailed []error

// Error has a line for each scheme.
func (f SchemesFailed) Error() string { return errors.Join(f...).Error() }

// Unwrap returns the errors of all schemes.
func (f SchemesFailed) Unwrap() []error { return f }

// leaveOut leaves a member out, after the round, if a call on it failed because its scheme lacks something.
func (p *point) leaveOut(m *member, err error) bool {
	lack := schemes.Lacking(err)
	if lack == nil || !p.LeaveOut || p.failure != nil {
		return false
	}
	p.lacking = cmp.Or(p.lacking, err)
	m.leave(lack.What)
	var place interface{ Place() string } // of a script with lines
	if errors.As(err, &place) {
		m.left.Where = place.Place()
	}
	return true
}

// fault ends the member or the run after an error of a table or the device. It returns the script's error.
func (p *point) fault(m *member, err error) error {
	if err == nil {
		return p.failure
	}
	if p.failure == nil && !p.putAside(m, err) {
		p.failure = err
	}
	return cmp.Or(p.failure, ErrStopped)
}

// putAside ends a member that failed, if the others can continue, and frees its memory. A kernel that hangs takes
// time from the others, so nothing is compared from then on.
func (p *point) putAside(m *member, err error) bool {
	stopped := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	goOn := p.KeepGoing || errors.As(err, new(*engine.TombstoneError))
	if err == nil || !goOn || stopped || p.failure != nil || errors.As(err, new(*ScriptError)) {
		return false
	}
	if hang := hanging(err); hang != nil {
		if !p.dev.SurvivesHang() {
			return false
		}
		p.crowded = fmt.Sprintf("a kernel of %s hangs (%s), and takes time from the others", m.Scheme(), hang.Op)
		p.cannotCompare(p.crowded)
	}
	reason, named := strings.CutPrefix(err.Error(), "scheme "+m.config.Name)
	if !named {
		err = fmt.Errorf("scheme %s: %w", m.Scheme(), err)
	}
	m.leave(strings.TrimLeft(reason, ":, "))
	m.left.Failed = true
	p.faults = append(p.faults, err)
	p.aside[m.index] = true
	for _, t := range m.tables() {
		_ = t.Close() // it may well be broken
	}
	return true
}

func (m *member) leave(reason string) {
	m.left = &results.LeftOut{Scheme: m.Scheme(), Point: m.point.at.Map(), Phase: m.phase, Reason: reason}
}

// hanging returns the hang behind an error: a kernel still uses the device, so nothing can be released.
func hanging(err error) (hang *engine.HangError) {
	errors.As(err, &hang)
	return hang
}

func (p *point) parting() error {
	var errs []error
	for _, m := range p.members {
		if m.left != nil {
			errs = append(errs, m.close())
			p.gone = append(p.gone, m)
			p.hear(Parted{m.index, *m.left})
		}
	}
	p.members = slices.DeleteFunc(p.members, func(m *member) bool { return m.left != nil })
	return errors.Join(errs...)
}

// everyone returns all members that ran batches, in the order of the schemes.
func (p *point) everyone() []*member {
	return slices.SortedStableFunc(slices.Values(slices.Concat(p.members, p.gone)), func(a, b *member) int { return cmp.Compare(a.index, b.index) })
}

// LeftOut says in a line each which schemes were left out, why, and where.
func (r *Report) LeftOut(list []results.LeftOut) []string {
	var lines, points []string
	for l := range r.lines() {
		points = lists.Add(points, r.Where(l.point))
	}
	at := map[string][]string{}
	for _, out := range list {
		line, where := out.Line(), r.Where(out.Point)
		lines, points, at[line] = lists.Add(lines, line), lists.Add(points, where), append(at[line], where)
	}
	for i, line := range lines {
		switch places := at[line]; {
		case len(places) >= len(points):
		case len(places) == 1:
			lines[i] += places[0]
		default:
			lines[i] += fmt.Sprintf("%s, and at %d more", places[0], len(places)-1)
		}
	}
	return lines
}
