package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/workloads/session"
	"github.com/hashzoo/hashzoo/workloads/sweep"
)

// sweepFlags are the flags of sweep.
type sweepFlags struct {
	*runFlags
	out, on string
	tasks   int // of a job
	dryRun  bool
	base    session.Request // of all points
	points  []sweep.Point
}

func newSweepCommand(env *Env) *cobra.Command {
	c := &sweepFlags{runFlags: newRunFlags(env), on: thisMachine}
	command := &cobra.Command{Use: "sweep", RunE: func(command *cobra.Command, args []string) error { return c.sweep(command.Context(), args[0]) }}
	f := command.Flags()
	f.StringVar(&c.out, "out", "", "the `folder` of the sweep, new or begun before")
	_ = command.MarkFlagDirname("out")
	f.Var(settings.Word(&c.on, places()...), "on", "`where` points are carried out: here, or by a job that is written into DIR: "+strings.Join(places(), ", "))
	f.BoolVar(&c.dryRun, "dry-run", false, "list the points that are missing and, once some are done, how long they may take, and do nothing")
	f.Var(settings.Integer(&c.tasks, 1, 1_000_000), "tasks", "with --on slurm or k8s: tasks of the job (default: one for each point, up to 100)")
	c.flags(command, append(slices.Clone(scriptFlags), partFlags...)...)
	env.usesSchemes(command, scriptSettings...)
	c.flags(command, "quiet")
	command.AddCommand(ofSweep(env, "status", sweepStatus), ofSweep(env, "merge", sweepMerge), newSweepPoints(env), newSweepTask(env))
	return command
}

// partFlags choose what a sweep measures, besides the flags for scripts. A plan has them in itself.
var partFlags = []string{"schemes", "pair", "repeat", "count", "gauges", "verify", "threshold"}

const thisMachine = "local"

func places() []string {
	return append([]string{thisMachine}, lists.Map(sweep.Clusters, func(c sweep.Cluster) string { return c.Name })...)
}

func (c *sweepFlags) sweep(ctx context.Context, name string) error {
	if c.out == "" {
		return misused(errors.New("--out is missing: it takes the folder of the sweep"))
	}
	if c.on == thisMachine && c.changed("tasks") {
		return misused(errors.New("--tasks needs --on slurm or --on k8s"))
	}
	s, err := c.plan(ctx, name)
	if err != nil {
		return err
	}
	if c.dryRun {
		return c.preview(s)
	}
	release, err := s.Begin()
	if err != nil {
		return err
	}
	defer release()
	missing, err := s.Continue()
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		return c.lines(fmt.Sprintf("all %d points are done; hashzoo sweep merge %s", len(s.Points), s.Folder))
	}
	if cluster := lists.First(sweep.Clusters, func(one sweep.Cluster) bool { return one.Name == c.on }); cluster.Name != "" {
		return c.submit(s, cluster)
	}
	if err := s.Obtain(ctx, c.base); err != nil {
		return err
	}
	return c.ended(ctx, s, c.local(ctx, s, missing))
}

func (c *sweepFlags) plan(ctx context.Context, name string) (s sweep.Sweep, err error) {
	q, err := c.complete("")
	if err != nil {
		return s, err
	}
	parts, err := sweep.ReadParts(name, q.Limits)
	if err != nil {
		return s, usage(err)
	}
	if parts == nil {
		if q, err = c.complete(name); err != nil {
			return s, err
		}
		parts = []sweep.Part{sweep.PartOf(q)}
	} else if err := c.refuse(slices.Concat(scriptFlags, partFlags),
		"--%s goes with a script, and %s is a plan: it takes that in sweep{...}", name); err != nil {
		return s, err
	}
	return c.expand(ctx, q, parts)
}

// expand is the sweep of some parts.
func (c *sweepFlags) expand(ctx context.Context, q session.Request, parts []sweep.Part) (s sweep.Sweep, err error) {
	s = sweep.Sweep{Folder: sweep.Folder(c.out), Plan: sweep.Plan{Schema: sweep.Schema, Command: os.Args, Settings: c.pointSettings(), Parts: parts}}
	if s.Plan.Folder, err = s.Here(); err != nil {
		return s, err
	}
	c.base = q
	c.points, err = s.Expand(ctx, q)
	s.Points = lists.Map(c.points, func(p sweep.Point) sweep.Ref { return p.Ref })
	return s, err
}

// pointSettings are the settings that points depend on.
func (c *sweepFlags) pointSettings() map[string]string {
	all := map[string]string{}
	for _, s := range c.Settings.Table {
		if section, _, _ := strings.Cut(s.Key, "."); section == "repeat" || s.Key == "plugins" || slices.Contains(scriptSettings, s.Key) {
			all[s.Key] = s.String()
		}
	}
	return all
}

func (c *sweepFlags) preview(s sweep.Sweep) error {
	missing, err := s.Missing()
	if err != nil {
		return err
	}
	each, err := s.Each()
	if err != nil {
		return err
	}
	lines := lists.Map(missing, func(p sweep.Ref) string { return p.Name[:12] + "  " + p.Title })
	lines = append(lines, "", fmt.Sprintf("%s, %d done, %d to do; %s", number.Count(len(s.Points), "point"), len(s.Points)-len(missing), len(missing), timeText(len(missing), each)))
	return c.lines(lines...)
}

func timeText(n int, each time.Duration) string {
	if each == 0 {
		return "how long a point takes shows when one is done"
	}
	return fmt.Sprintf("about %s for one device, %s each", roughly(time.Duration(n)*each), roughly(each))
}

// roughly writes a duration in seconds, or with two digits if it is shorter.
func roughly(d time.Duration) string {
	return lists.Either(d >= 10*time.Second, d.Round(time.Second).String(), d.Round(time.Millisecond).String())
}

// local carries out points on this machine: on the device, or on all GPUs if it has no number.
func (c *sweepFlags) local(ctx context.Context, s sweep.Sweep, missing []sweep.Ref) error {
	here, err := devices.Alike(c.Settings.Device)
	if err != nil {
		return usage(err)
	}
	p := newProgress(ctx, c.Env, c.quiet)
	done, began := len(s.Points)-len(missing), time.Now()
	err = s.Local(ctx, missing, here, pointsCommand, func(o sweep.Outcome) {
		if o.Failed == "" {
			done++
		} else if ctx.Err() == nil { // what an interrupt ended did not fail
			p.above(fmt.Sprintf("hashzoo: %s: %s", o.Title, o.Failed))
		}
		p.say(func() string {
			took := time.Since(began)
			left := remaining(took, float64(done+len(missing)-len(s.Points))/float64(len(missing)))
			return fmt.Sprintf("%d of %d points, %s%s", done, len(s.Points), took.Round(time.Second), left)
		})
	})
	p.end()
	return err
}

// pointsCommand is the process that carries out points.
func pointsCommand(ctx context.Context, folder, device string) *exec.Cmd {
	return again(ctx, []string{os.Args[0], "sweep", "points", folder, "--device", device})
}

func (c *sweepFlags) ended(ctx context.Context, s sweep.Sweep, failure error) error {
	status, err := s.Status()
	if err != nil {
		return errors.Join(failure, err)
	}
	state := fmt.Sprintf("%d of %d points are done", status.Done, status.Points)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("interrupted: %s; hint: the same command continues", state)
	case failure != nil:
		return fmt.Errorf("%w; %s; hint: the same command continues", failure, state)
	case len(status.Failed) > 0:
		return fmt.Errorf("%s failed: %s; hint: hashzoo sweep status %s; the same command tries again", number.Count(len(status.Failed), "point"), state, s.Folder)
	}
	return c.lines(state + "; next: hashzoo sweep merge " + string(s.Folder))
}

// submit writes a job that carries out the points on many machines, and says how to submit it.
func (c *sweepFlags) submit(s sweep.Sweep, cluster sweep.Cluster) error {
	dev, err := devices.Parse(c.Settings.Device)
	if err != nil {
		return usage(err)
	}
	path, tasks, err := s.WriteJob(cluster, c.tasks, dev.OnGPU())
	if err != nil {
		return err
	}
	edit := lists.Either(cluster.Edit != "", ", once "+cluster.Edit+" are filled in there", "")
	return c.lines(fmt.Sprintf("%s of %s: %s %s%s; then: hashzoo sweep merge %s",
		number.Count(tasks, "task"), number.Count(len(s.Points), "point"), cluster.Submit, path, edit, s.Folder))
}

func newSweepTask(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "task"}
	command.RunE = func(command *cobra.Command, args []string) error {
		s, err := sweep.Folder(args[1]).Open()
		if err != nil {
			return err
		}
		points, err := s.Task(args[0])
		if err != nil {
			return err
		}
		return s.RunTask(command.Context(), points, s.Settings["device"], pointsCommand, func(o sweep.Outcome) {
			end := lists.Either(o.Failed != "", "failed: "+o.Failed, fmt.Sprintf("done in %.3f s", o.Seconds))
			fmt.Fprintf(env.text(), "%s %s: %s\n", time.Now().UTC().Format(time.RFC3339), o.Title, end)
		})
	}
	return command
}

// Commands on the folder of a sweep.

// ofSweep makes a command answer about the sweep in a folder, as data and as lines.
func ofSweep(env *Env, use string, answer func(sweep.Sweep) (any, []string, error)) *cobra.Command {
	return env.listing(&cobra.Command{Use: use}, func(args []string) (any, func() error, error) {
		s, err := sweep.Folder(args[0]).Open()
		if err != nil {
			return nil, nil, err
		}
		data, lines, err := answer(s)
		return data, func() error { return env.lines(lines...) }, err
	})
}

func sweepStatus(s sweep.Sweep) (any, []string, error) {
	status, err := s.Status()
	line := fmt.Sprintf("%d of %s done", status.Done, number.Count(status.Points, "point"))
	if left := status.Left(); left > 0 {
		line += fmt.Sprintf("; the other %d take one device about %s", status.Missing, roughly(left))
	}
	return status, append([]string{line}, lists.Map(status.Failed, func(f sweep.Failure) string { return "failed: " + f.Why })...), err
}

func sweepMerge(s sweep.Sweep) (any, []string, error) {
	list, err := s.Merge()
	done := 0
	lines := lists.Map(list, func(m sweep.Merged) string {
		done += m.Points
		return fmt.Sprintf("%s: %s of %s on %s, %s", m.Path, number.Count(m.Points, "point"), m.Script, m.Model, number.Count(m.Rows, "row"))
	})
	if missing := len(s.Points) - done; missing > 0 {
		lines = append(lines, fmt.Sprintf("%d of %s are missing", missing, number.Count(len(s.Points), "point")))
	}
	return list, lines, err
}

// newSweepPoints is hidden: sweeps run it.
func newSweepPoints(env *Env) *cobra.Command {
	r := newRunFlags(env)
	command := &cobra.Command{Use: "points", Hidden: true}
	r.flags(command)
	device := command.Flags().String("device", "", "the device to run on")
	command.RunE = func(command *cobra.Command, args []string) error {
		s, err := r.begun(args[0])
		if err != nil {
			return err
		}
		q, err := r.complete("")
		if err != nil {
			return err
		}
		points, err := s.Expand(command.Context(), q)
		if err != nil {
			return err
		}
		return s.Serve(command.Context(), points, *device, env.In, env.Out)
	}
	return command
}

// begun opens a sweep to carry out its points: with its settings and plugins, in the folder where it began.
func (env *Env) begun(folder string) (s sweep.Sweep, err error) {
	if folder, err = filepath.Abs(folder); err != nil {
		return s, err
	}
	if s, err = sweep.Folder(folder).Open(); err != nil {
		return s, err
	}
	if err = os.Chdir(filepath.Join(folder, s.Plan.Folder)); err != nil {
		return s, session.Wrong(fmt.Errorf("sweep: the folder where it began: %w", err))
	}
	if err = env.load(); err != nil {
		return s, usage(err)
	}
	for key, value := range s.Settings {
		if value != "" {
			err = errors.Join(err, env.Settings.Set(env.Settings.Find(key), value, "plan.json"))
		}
	}
	return s, usage(errors.Join(err, env.loadPlugins(true)))
}
