package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
)

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
func hanging(err error) *engine.HangError {
	var hang *engine.HangError
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
