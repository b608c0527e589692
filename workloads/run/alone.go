package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// A scheme whose table or kernels give an error, that has no memory or that hangs need not
// end the run of the others (Plan.KeepGoing). It is put aside for the rest of the run, with
// the reason, and what it did until then is kept; its table goes at once, so that the
// others have the memory. In the end the run has failed all the same.
//
// A kernel that hangs cannot be stopped. Where other kernels can run beside it they do, but
// it takes time from them: nothing that is measured from then on is compared.

// SchemesFailed is the error of a run that was carried on without the schemes that failed.
type SchemesFailed []error

// Error is one line for each.
func (f SchemesFailed) Error() string { return errors.Join(f...).Error() }

// Unwrap is the errors of all.
func (f SchemesFailed) Unwrap() []error { return f }

// fault takes an error of a member's table, or of the device. It ends the member alone or
// the run; the script is told what is returned.
func (p *point) fault(m *member, err error) error {
	if err != nil && p.failure == nil && !p.alone(m, err) {
		p.failure = err
	}
	if err == nil {
		return p.failure
	}
	return cmp.Or(p.failure, ErrStopped)
}

// alone puts a member aside, if it may be and the others can go on.
func (p *point) alone(m *member, err error) bool {
	mistake := new(ScriptError)
	switch stopped := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded); {
	case err == nil || !p.KeepGoing || stopped || p.failure != nil || errors.As(err, &mistake):
		return false
	case hangs(err) && !p.dev.SurvivesHang():
		return false
	case hangs(err):
		hang := new(engine.HangError)
		errors.As(err, &hang)
		p.crowded = fmt.Sprintf("a kernel of %s hangs (%s), and takes time from the others", m.Scheme(), hang.Op)
		p.cannotCompare(p.crowded)
	}
	reason, named := strings.CutPrefix(err.Error(), "scheme "+m.config.Name)
	if !named {
		err = fmt.Errorf("scheme %s: %w", m.Scheme(), err)
	}
	m.left = &results.LeftOut{Scheme: m.Scheme(), Point: p.at.Map(), Phase: m.phase, Reason: strings.TrimLeft(reason, ":, "), Failed: true}
	p.faults = append(p.faults, err)
	p.aside[m.index] = true
	for _, t := range m.tables() {
		_ = t.Close() // it may well be broken
	}
	return true
}
