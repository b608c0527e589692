package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// job is the work of a session: a script, or a recording.
type job struct {
	plan    run.Plan
	script  *lua.Script       // nil: a recording
	replays *record.Recording // nil: a script
	header  record.Header     // for a recording of this run
	name    string            // of the script with its extension, or the recording
	title   string
	axes    []run.Axis
	stopped string // why the run ended early, or the one that was recorded; empty: it did not
}

func (j *job) close() error {
	if j.replays == nil {
		return nil
	}
	return j.replays.Close()
}

// Check says what is wrong with the script or recording, its options and its schemes.
func (r Request) Check() error {
	j, err := r.newJob(context.Background())
	if err != nil {
		return err
	}
	return j.close()
}

// newJob reads the script or recording.
func (r Request) newJob(ctx context.Context) (job, error) {
	if record.Is(r.Script) {
		return r.replay()
	}
	j := job{plan: r.newPlan()}
	var err error
	if j.plan.Schemes, err = Schemes(r.Choice.Schemes); err != nil {
		return j, err
	}
	if j.script, err = Script(r.Script, r.Limits); err != nil {
		return j, err
	}
	if err = r.options(&j); err != nil {
		return j, err
	}
	j.script.Context, j.plan.Script = ctx, j.script
	j.plan.LeaveOut = r.LeaveOut || len(r.Choice.Schemes) == 0
	j.plan.Rehearse = j.script.Settles
	j.plan.Counted = r.Count == nil && j.script.Count || r.Count != nil && *r.Count
	j.name, j.title = j.script.Name, j.script.Title
	j.header = record.Header{Seed: r.Seed, Script: record.Script{Name: j.script.Name, Source: j.script.Source}}
	for _, o := range j.script.Options {
		j.header.Options = append(j.header.Options, record.Option{Name: o.Name, Value: j.option(o)})
	}
	return j, nil
}

// options sets the script's options and axes.
func (r Request) options(j *job) (err error) {
	if j.plan.Options, err = j.script.ParseOptions(r.Set); err != nil {
		return err
	}
	if j.axes, err = run.Override(j.script.Axes, r.Axis); err != nil {
		return err
	}
	j.plan.Points, err = run.Points(j.axes)
	return err
}

// newPlan is the part of a plan that scripts and recordings share.
func (r Request) newPlan() run.Plan {
	p := run.Plan{Seed: r.Seed, Policy: r.Policy, Timeout: r.Timeout, Verify: r.Verify, Counted: r.Count != nil && *r.Count,
		KeepGoing: r.KeepGoing, LeaveOut: r.LeaveOut}
	if r.Gauges {
		p.Look = run.AtEnds
	}
	return p
}

// option is the value of an option as text.
func (j *job) option(o lua.Option) string {
	value, given := j.plan.Options[o.Name]
	if !given {
		value = o.Default
	}
	return run.Text(value)
}

// provided is the script as results keep it.
func (j *job) provided() *results.Script {
	if j.replays != nil {
		return &results.Script{Name: j.replays.Script.Name, Source: j.replays.Script.Source, Options: j.replays.Provenance()}
	}
	options := map[string]string{}
	for _, o := range j.header.Options {
		options[o.Name] = o.Value
	}
	return &results.Script{Name: j.script.Name, Source: j.script.Source, Options: options}
}

// replay reads a recording. The seed is the recorded one.
func (r Request) replay() (job, error) {
	if sameFile(r.Script, r.Recording) {
		return job{}, fmt.Errorf("--record is %s, which is being replayed: it takes another file", r.Recording)
	}
	recording, err := record.Open(r.Script, r.Partial)
	if err != nil {
		return job{}, err
	}
	r.Seed = recording.Seed
	j := job{plan: r.newPlan(), replays: recording, header: recording.Header, name: r.Script, title: recording.Title(), axes: recording.Axes(),
		stopped: cmp.Or(recording.Stopped, recording.Cut)}
	var all bool
	if j.plan.Schemes, all, err = replayed(recording, r.Choice.Schemes); err != nil {
		return j, errors.Join(err, recording.Close())
	}
	j.plan.LeaveOut = j.plan.LeaveOut || all
	j.plan.Script, j.plan.Points = &record.Replay{Recording: recording, Pace: r.Pace}, recording.Coordinates()
	j.plan.Digests = !r.Figures
	j.plan.Verify = r.Verify || !r.Figures && recording.WantsOracle(len(j.plan.Schemes))
	return j, nil
}

// replayed are the schemes of a replay - those of the recording, all, or those that are
// named - and whether those that cannot replay it are left out.
func replayed(r *record.Recording, names []string) (list []schemes.Config, leaveOut bool, err error) {
	switch strings.Join(names, ",") {
	case "":
		list, err = r.Schemes()
		return list, len(list) > 1, err
	case "all":
		list, err = Schemes(nil)
		return list, true, err
	}
	list, err = Schemes(names)
	return list, false, err
}

// sameFile reports whether two paths lead to one existing file.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, otherErr := os.Stat(b)
	return err == nil && otherErr == nil && os.SameFile(first, second)
}
