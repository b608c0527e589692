package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// job is the work of a session: a script, or a recording.
type job struct {
	Name     string // of the script with its extension, or of the recording
	Title    string // a line of description
	Axes     []run.Axis
	Warnings []string // what the user should know before a replay
	plan     run.Plan
	script   *lua.Script       // nil for a recording
	replays  *record.Recording // nil for a script
	header   record.Header     // for the results and a recording of this run
	stopped  string            // why the run, or the recorded one, ended early; empty if it did not
}

func (j *job) close() error {
	if j.replays == nil {
		return nil
	}
	return j.replays.Close()
}

func (r Request) newJob(ctx context.Context) (j job, err error) {
	if record.Is(r.Script) {
		return r.replay()
	}
	j.plan = r.newPlan()
	if j.plan.Schemes, j.Warnings, err = distinct(r.Choice.Schemes); err != nil {
		return j, err
	}
	limits := r.Limits
	limits.Texts = r.Contents != ""
	if j.script, err = Script(r.Script, limits, r.Set...); err != nil {
		return j, err
	}
	if err = run.CheckSort(r.Sort, j.script.Stages, j.script.MayName); err != nil {
		return j, err
	}
	if j.plan.Options, err = j.script.ParseOptions(r.Set); err != nil {
		return j, err
	}
	if j.Axes, err = j.script.ParseAxes(r.Axis); err != nil {
		return j, err
	}
	if r.Repeat > 1 {
		if slices.ContainsFunc(j.Axes, func(a run.Axis) bool { return a.Name == run.Repeat }) {
			return j, fmt.Errorf("--repeat: %s has an axis of that name; hint: --axis repeat=1,2,3", r.Script)
		}
		times, err := run.Range(1, float64(r.Repeat), 1)
		if err != nil {
			return j, err
		}
		j.Axes = slices.Insert(j.Axes, 0, run.Axis{Name: run.Repeat, Values: times})
	}
	if j.plan.Points, err = run.Points(j.Axes); err != nil {
		return j, err
	}
	if r.For > 0 && (r.Recording != "" || r.NDJSON != "" || r.Contents != "" || r.Repeat > 1) {
		return j, errors.New("--for and --forever run the script again and again: they take --json FILE, and none of --record, --ndjson, --contents and --repeat")
	}
	if err := r.oneTable(j.Axes, len(j.plan.Points)); err != nil {
		return j, err
	}
	j.script.Context, j.plan.Script = ctx, j.script.Start
	j.plan.LeaveOut = r.LeaveOut || everyScheme(r.Choice.Schemes)
	j.plan.Rehearse = j.script.Settles
	j.plan.Counted = r.Count == nil && j.script.Count || r.Count != nil && *r.Count
	j.Name, j.Title = j.script.Name, j.script.Title
	j.header = record.Header{Seed: r.Seed, Script: record.Script{Name: j.script.Name, Source: j.script.Source}}
	for _, o := range j.script.Options {
		value, given := j.plan.Options[o.Name]
		value = lists.Either(given, value, o.Default)
		if path, is := value.(string); is && o.File && given {
			if err = r.keeps(path); err != nil {
				return j, err
			}
		}
		j.header.Options = append(j.header.Options, record.Option{Name: o.Name, Value: run.Text(value)})
	}
	return j, nil
}

// newPlan is the part of a plan that scripts and recordings share.
func (r Request) newPlan() run.Plan {
	return run.Plan{Rules: r.Rules, Seed: r.Seed, Counted: r.Count != nil && *r.Count, Look: lists.Either(r.Gauges, run.AtEnds, 0)}
}

// replay reads a recording, which has its own seed.
func (r Request) replay() (job, error) {
	if r.Pair != (schemes.Pair{}) || r.Repeat > 1 || len(r.Thresholds) > 0 || r.Contents != "" || r.For > 0 {
		return job{}, fmt.Errorf("%s is a recording: --pair, --repeat, --threshold, --for, --forever and --contents are for scripts", r.Script)
	}
	recording, err := record.Open(r.Script, r.Partial)
	if err != nil {
		return job{}, err
	}
	r.Seed = recording.Seed
	j := job{Name: r.Script, Title: recording.Title(), Axes: recording.Axes(), Warnings: recording.Plugins(),
		plan: r.newPlan(), replays: recording, header: recording.Header, stopped: cmp.Or(recording.Stopped, recording.Cut)}
	configs, remarks, all, err := replayed(recording, r.Choice.Schemes)
	if err != nil {
		return j, errors.Join(err, recording.Close())
	}
	j.plan.Schemes, j.plan.LeaveOut, j.Warnings = configs, j.plan.LeaveOut || all, append(j.Warnings, remarks...)
	phases := slices.Concat(lists.Map(recording.Points, func(p *record.Point) []string {
		return lists.Map(p.Phases, func(phase *record.Phase) string { return phase.Name })
	})...)
	err = run.CheckSort(r.Sort, phases, func(string) bool { return false })
	if err == nil && !j.plan.LeaveOut {
		err = lists.Each(configs, recording.Replayable) // otherwise only a part of the replay would show it
	}
	if err != nil {
		return j, errors.Join(err, recording.Close())
	}
	j.plan.Script, j.plan.Points = (&record.Replay{Recording: recording, Pace: r.Pace}).Start, recording.Coordinates()
	j.plan.Digests = !r.Figures
	j.plan.Verify = r.Verify || !r.Figures && recording.WantsOracle(len(j.plan.Schemes))
	return j, nil
}

// replayed returns the schemes of a replay, and whether those that cannot replay it are left out.
func replayed(r *record.Recording, names []string) (list []schemes.Config, remarks []string, leaveOut bool, err error) {
	if len(names) == 0 {
		list, err = r.Schemes()
		return list, nil, len(list) > 1, err
	}
	list, remarks, err = distinct(names)
	return list, remarks, everyScheme(names), err
}

// Single is a part of a request: one scheme at one point of a script's axes.
type Single struct {
	Request
	Config schemes.Config
	Point  run.Point
	Header record.Header // the script and all its options
}

// Split returns the parts of a request for a script. Points are in the order of a run; at each, the schemes follow each other.
func (r Request) Split(ctx context.Context) (list []Single, err error) {
	if record.Is(r.Script) {
		return nil, Wrong(fmt.Errorf("%s is a recording: it takes a script", r.Script))
	}
	once := r
	once.Repeat = 1 // the parts repeat
	j, err := once.newJob(ctx)
	if err != nil {
		return nil, Wrong(err)
	}
	for _, at := range j.plan.Points {
		axes, err := settings(at)
		if err != nil {
			return nil, Wrong(err)
		}
		for _, config := range j.plan.Schemes {
			part := r
			part.Choice.Schemes, part.Axis, part.LeaveOut = []string{config.String()}, axes, true
			list = append(list, Single{part, config, at, j.header})
		}
	}
	return list, nil
}

// settings are the values of a point as a user sets them.
func settings(at run.Point) ([]string, error) {
	return lists.TryMap(at, func(c run.Coordinate) (string, error) {
		text := run.Text(c.Value)
		if back, err := run.ParseValues(text, c.Value); err != nil || !slices.Equal(back, []any{c.Value}) {
			return "", fmt.Errorf("axis %s has the value %q, which --axis takes as several: write values without commas", c.Name, text)
		}
		return c.Name + "=" + text, nil
	})
}
