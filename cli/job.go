package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/tui"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// job is what a session carries out: a script, or a recording.
type job struct {
	plan        run.Plan
	script      *results.Script // for the results
	header      record.Header   // for a recording
	name, title string
	axes        []run.Axis
	tell        func(print func(scheme, line string)) // says where the script prints
	replays     *record.Recording                     // nil: a script is run
	pace        record.Pace
	ended       string // why the run that is replayed, or this one, ended early; empty if it did not
}

// close gives back what the job reads from.
func (j *job) close() error {
	if j.replays == nil {
		return nil
	}
	return j.replays.Close()
}

// anyJob is to run a script, or to replay a recording.
func (s *session) anyJob(ctx context.Context, c tui.Choice) (job, error) {
	if record.Is(c.Script) {
		return s.replayJob(c)
	}
	return s.scriptJob(ctx, c)
}

// scriptJob is to run a script.
func (s *session) scriptJob(ctx context.Context, c tui.Choice) (job, error) {
	plan, err := s.newPlan(c)
	if err != nil {
		return job{}, err
	}
	if plan.Schemes, err = schemeList(c.Schemes); err != nil {
		return job{}, err
	}
	script, err := newScriptRun(ctx, c.Script, s.Settings.Lua, c.Set, c.Axis)
	if err != nil {
		return job{}, err
	}
	plan.LeaveOut = c.Schemes == nil
	plan.Script, plan.Options, plan.Points = script.Script, script.options, script.points
	if !s.changed("count") {
		plan.Counted = script.Count
	}
	return job{plan: plan, script: script.provenance(), header: script.header(plan.Seed), name: script.Name, title: script.Title,
		axes: script.axes, tell: func(print func(scheme, line string)) { script.Print = print }}, nil
}

// newPlan is what the settings and flags ask for.
func (s *session) newPlan(c tui.Choice) (run.Plan, error) {
	in := s.Settings
	plan := run.Plan{Seed: c.Seed, Policy: in.Repeat, Timeout: in.BatchTimeout, Verify: s.verify, Counted: s.count, KeepGoing: s.keepGoing}
	if s.materialise && s.record == "" {
		return plan, errors.New("--materialise goes with --record: it says how to record")
	}
	return plan, nil
}

// replayJob is to run a recording again. Its seed is the recording's.
func (s *session) replayJob(c tui.Choice) (job, error) {
	pace, err := s.pacing()
	if err != nil {
		return job{}, misused(err)
	}
	if sameFile(c.Script, s.record) {
		return job{}, misused(fmt.Errorf("--record is %s, which is being replayed: it takes another file", s.record))
	}
	r, err := record.Open(c.Script, s.partial)
	if err != nil {
		return job{}, err
	}
	s.Settings.Seed, c.Seed = r.Seed, r.Seed
	plan, err := s.newPlan(c)
	if err == nil {
		err = s.replayPlan(&plan, r, pace, c)
	}
	if err != nil {
		return job{}, errors.Join(err, r.Close())
	}
	return job{plan: plan, header: r.Header, name: c.Script, title: r.Title(), axes: r.Axes(), replays: r, pace: pace,
		script: &results.Script{Name: r.Script.Name, Source: r.Script.Source, Options: r.Provenance()},
		tell:   func(func(scheme, line string)) {}, ended: cmp.Or(r.Stopped, r.Cut)}, nil
}

// replayPlan completes the plan for a recording.
func (s *session) replayPlan(plan *run.Plan, r *record.Recording, pace record.Pace, c tui.Choice) error {
	plan.Script, plan.Points, plan.Digests = &record.Replay{Recording: r, Pace: pace}, r.Coordinates(), !s.figures
	var err error
	if plan.Schemes, plan.LeaveOut, err = replayed(r, c.Schemes); err != nil {
		return err
	}
	if !s.figures && r.WantsOracle(len(plan.Schemes)) {
		plan.Verify = true
	}
	return nil
}

// replayed is the schemes of a replay: those of the recording, all, or those that are
// named; and whether those that cannot are left out.
func replayed(r *record.Recording, names []string) (list []schemes.Config, leaveOut bool, err error) {
	switch strings.Join(names, ",") {
	case "":
		list, err = r.Schemes()
		return list, len(list) > 1, err
	case "all":
		list, err = schemeList(nil)
		return list, true, err
	}
	list, err = schemeList(names)
	return list, false, err
}
