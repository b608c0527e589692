package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

func newRunCommand(env *Env) *cobra.Command {
	r := newRunFlags(env)
	command := &cobra.Command{Use: "run", RunE: func(c *cobra.Command, args []string) error {
		if record.Is(args[0]) {
			return usage(fmt.Errorf("%s is a recording, run takes a script; hint: hashzoo replay %s", args[0], args[0]))
		}
		return r.start(c.Context(), args[0])
	}}
	r.flags(command, append(slices.Clone(scriptFlags), "schemes")...)
	env.usesSchemes(command, scriptSettings...)
	r.flags(command, slices.Concat(allFlags, measureFlags, outsideFlags)...)
	command.SetHelpFunc(func(c *cobra.Command, args []string) {
		if name := c.Flags().Arg(0); name != "" {
			env.failed = usage(env.scriptHelp(name))
		} else {
			c.Parent().HelpFunc()(c, args)
		}
	})
	return command
}

func newReplayCommand(env *Env) *cobra.Command {
	r := newRunFlags(env)
	command := &cobra.Command{Use: "replay", RunE: func(c *cobra.Command, args []string) error {
		if !record.Is(args[0]) {
			_, err := record.Open(args[0], false) // for its error
			return usage(err)
		}
		return r.start(c.Context(), args[0])
	}}
	r.flags(command, append(slices.Clone(replayFlags), "schemes")...)
	env.usesSchemes(command, "device", "threads", "repeat.noise", "engine.batch_timeout", "engine.chunk", "engine.launch")
	r.flags(command, append(slices.Clone(allFlags), "keep-going", "quiet")...)
	return command
}

// runFlags holds the flags of commands that run something, which fill in a request.
type runFlags struct {
	*Env
	request session.Request
	heading func(*session.Session) string
	changed func(flag string) bool
	count   bool
	quiet   bool
	settle  bool
	forever bool
	bench   bool     // the standard measurement
	files   []string // that the user gives the script
	repeats repeats
	pace    string
	step    string // a scheme that the interface shows step by step

	page func(*runFlags, *session.Session, error) error // prints the results instead of a table
}

func newRunFlags(env *Env) *runFlags {
	r := &runFlags{Env: env, heading: runHeading, repeats: repeats{processes: 1}, pace: "asap"}
	r.request.Pace.Speed = 1
	return r
}

func (r *runFlags) flags(command *cobra.Command, names ...string) {
	q, f := &r.request, pflag.NewFlagSet("", pflag.ContinueOnError)
	f.StringArrayVar(&q.Choice.Schemes, "schemes", nil, "`schemes` to run on, such as a,b:param=value,param={value,value},c or the word all (default: all; for a replay, those of the recording)")
	f.StringArrayVar(&q.Set, "set", nil, "set an option of the script: `name=value`")
	f.StringArrayVar(&r.files, "file", nil, "give the script a file: `name=path`, or the path if it takes only one")
	f.StringArrayVar(&q.Axis, "axis", nil, "set the values of an axis: `name=values`, such as 1,2,3 or from:to:step or from:to:*factor")
	f.StringVar(&r.pace, "pace", r.pace, "when batches of stages are due: a `pace` of "+record.PaceHelp)
	f.Var(settings.Number(&q.Pace.Speed, 1e-6, 1e6), "speed", "with --pace recorded: how many times as fast")
	f.BoolVar(&q.Figures, "figures", false, "compare only inputs and counts, so that the kernels need not write down every outcome: for measuring")
	f.BoolVar(&q.Partial, "partial", false, "replay a recording that was cut off as far as it goes")
	f.BoolVar(&r.count, "count", false, "also count probes, evictions and so on, in further runs of instrumented kernels")
	f.BoolVar(&q.Gauges, "gauges", false, "read the gauges of the tables after each phase, and print the last readings at each point")
	f.BoolVar(&q.Bounds, "limits", false, "measure what the memory of the device allows first, and show rates in percent of it, too")
	f.BoolVar(&q.Verify, "verify", false, "check batches and tables against an oracle; takes memory and time")
	f.StringVar(&q.Recording, "record", "", "write a recording to this `file`: what all schemes are asked, and what the first one answers")
	f.BoolVar(&q.Materialise, "materialise", false, "record the numbers themselves instead of the expressions that generate them")
	f.Var(settings.Pair(&q.Pair), "pair", "bytes of a key and a value, instead of the script's: k4v4, k8v8, or others that the schemes have")
	f.Var(settings.Integer(&q.Repeat, 1, 1000), "repeat", "measure every point this often, on new tables: an axis of that name")
	f.Var(settings.Duration(&q.For, time.Millisecond), "for", "run the script again and again, on new tables, for this `time`, such as 90s or 8h; rates are of all its laps")
	f.BoolVar(&r.forever, "forever", false, "the same until you end it: Ctrl-C, or q in hashzoo tui")
	f.StringArrayVar(&q.Thresholds, "threshold", nil, "a `condition` besides the script's, such as \"find.mops > 1\"; repeat the flag for more")
	f.BoolVar(&r.settle, "settle", false, "exit with code 1 if the noise of a figure did not come below its bound")
	f.StringVar(&q.Sort, "sort", "", "sort the schemes by a `column` of the table")
	f.StringVar(&q.JSON, "json", "", "write the results as JSON to this file; - is standard output, instead of the table")
	f.StringVar(&q.NDJSON, "ndjson", "", "write the results as lines of JSON to this file while the run goes on; - as above")
	f.StringVar(&q.Contents, "contents", "", "write what the first scheme's table holds at the end to this `file`, and what retrieve gave to another beside it: .parquet, .csv, .tsv or .ndjson")
	f.BoolVar(&q.KeepGoing, "keep-going", q.KeepGoing, "when a scheme fails, continue with the others; the exit code is still 1")
	f.Var(settings.Integer(&r.repeats.processes, 1, 1000), "processes", "repeat the whole run in this many `processes`: rates are medians over them, and the noise is how much they differ")
	f.StringVar(&r.repeats.baseline, "baseline", "", "also show the ratio to the rates in this `file` or folder of results, with its verdict (hashzoo compare)")
	f.BoolVar(&r.quiet, "quiet", false, "do not show progress")
	for _, name := range names {
		command.Flags().AddFlag(f.Lookup(name))
	}
	for name, complete := range map[string]cobra.CompletionFunc{"schemes": r.completeSchemes, "file": r.completeFiles,
		"set":  ofScript(r.Env, func(s *lua.Script) []lua.Option { return s.Options }, func(o lua.Option) (string, string) { return o.Name, o.Help }),
		"axis": ofScript(r.Env, func(s *lua.Script) []run.Axis { return s.Axes }, func(a run.Axis) (string, string) { return a.Name, valuesText(a.Values) }),
	} {
		_ = command.RegisterFlagCompletionFunc(name, complete)
	}
	command.Flags().SortFlags = false
	r.changed = command.Flags().Changed
}

// Groups of flags: for scripts, for replays, for all runs, for what a script measures, and those without a meaning in
// the terminal interface.
var (
	scriptFlags  = []string{"set", "file", "axis"}
	replayFlags  = []string{"pace", "speed", "figures", "partial"}
	allFlags     = []string{"count", "gauges", "limits", "verify", "record", "materialise", "sort", "json", "ndjson"}
	measureFlags = []string{"pair", "repeat", "for", "forever", "threshold", "settle", "contents"}
	outsideFlags = []string{"processes", "baseline", "keep-going", "quiet"}
)

// scriptSettings are the settings that scripts need.
var scriptSettings = []string{"device", "threads", "seed", "repeat.noise", "engine.batch_timeout", "engine.chunk", "engine.launch",
	"lua.steps", "lua.time", "lua.memory", "lua.vectors", "lua.from", "lua.batches"}

// table reports whether the table goes to standard output.
func (r *runFlags) table() bool { return r.request.JSON != "-" && r.request.NDJSON != "-" }

func (r *runFlags) complete(script string) (session.Request, error) {
	q, in := r.request, r.Settings
	q.Script, q.Device, q.Seed = script, in.Device, in.Seed
	q.Threads, q.Limits, q.Policy = in.Threads, in.Lua, in.Repeat
	q.Timeout, q.Chunk, q.Launch = in.BatchTimeout, in.Chunk, in.Launch
	q.Settings, q.Out = in.Texts(), r.Out
	if r.changed("count") {
		q.Count = &r.count
	}
	switch {
	case q.JSON == "-" && q.NDJSON == "-":
		return q, misused(errors.New("--json and --ndjson are both -: only one of them can use standard output"))
	case q.Materialise && q.Recording == "":
		return q, usage(errors.New("--materialise needs --record"))
	case r.forever && q.For > 0:
		return q, misused(errors.New("--for and --forever: only one of them says when the run ends"))
	case r.forever:
		q.For = run.Forever
	}
	if err := r.giveFiles(&q); err != nil {
		return q, usage(err)
	}
	pace, err := record.ParsePace(r.pace)
	switch {
	case err != nil:
		return q, misused(fmt.Errorf("--%w", err))
	case r.changed("speed") && !pace.Recorded:
		return q, misused(errors.New("--speed needs --pace recorded"))
	}
	pace.Speed = q.Pace.Speed
	q.Pace = pace
	return q, nil
}

// refuse is an error if one of the flags is given; the format begins with its name.
func (r *runFlags) refuse(flags []string, format string, others ...any) error {
	for _, flag := range flags {
		if r.changed(flag) {
			return misused(fmt.Errorf(format, append([]any{flag}, others...)...))
		}
	}
	return nil
}

// giveFiles makes settings of --file.
func (r *runFlags) giveFiles(q *session.Request) error {
	if len(r.files) == 0 || q.Script == "" {
		return nil
	}
	settings := slices.Clone(r.files)
	if !strings.Contains(settings[0], "=") { // without its name
		settings[0] = "=" + settings[0]
	}
	line := newProgress(context.Background(), r.Env, r.quiet)
	q.Limits.Files, q.Limits.Reading = &sync.Map{}, line.reading // so that the run does not read them again
	script, err := session.Script(q.Script, q.Limits, slices.Concat(q.Set, settings)...)
	if line.end(); err != nil {
		return err
	}
	for _, file := range r.files {
		setting, err := script.Give(file)
		if err != nil {
			return err
		}
		q.Set = append(slices.Clone(q.Set), setting)
	}
	return nil
}

// start runs a script or a recording.
func (r *runFlags) start(ctx context.Context, name string) error {
	q, err := r.complete(name)
	if err != nil {
		return err
	}
	return r.run(ctx, q)
}

func (r *runFlags) run(ctx context.Context, q session.Request) error {
	if err := r.repeat(ctx, &q); err != nil {
		return err
	}
	if q.For > 0 {
		var end func()
		q.Control = &run.Control{}
		ctx, end = patient(ctx, q.Control.Enough)
		defer end()
	}
	line := newProgress(ctx, r.Env, r.quiet)
	q.Limits.Reading = line.reading
	s, err := q.Open(ctx)
	if line.end(); err != nil {
		return err
	}
	for _, text := range s.Warnings {
		r.warn("%s", text)
	}
	r.warnOfMachine(s.Document.Run.Device)
	watcher := newWatcher(ctx, r.Env, r.quiet, !r.bench)
	watcher.base, watcher.row = r.repeats.base.Rates(), s.Row
	err = s.Run(ctx, session.Watcher{Hear: watcher.onEvent, Print: func(scheme, line string) { watcher.line.above(scheme + ": " + line) }})
	watcher.line.end()
	return errors.Join(err, r.print(s, err), r.settled(s.Document.Rows))
}

// settled is an error if --settle asks for it and the noise of some figures did not come below its bound.
func (r *runFlags) settled(rows []results.Row) error {
	loud := len(lists.Filter(rows, func(row results.Row) bool { return !row.Settled }))
	if !r.settle || loud == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d figures did not settle: their noise is not below %s; hint: run more or larger batches, or keep the machine free of other work",
		loud, len(rows), r.Settings.Text("repeat.noise"))
}

// print writes the table of a session that ended with an error or nil, and the paths of the
// files it wrote. A wrong --sort must not cost the results of a run.
func (r *runFlags) print(s *session.Session, failure error) error {
	if !r.table() {
		return nil
	}
	if r.page != nil {
		return r.page(r, s, failure)
	}
	d := s.Document
	this := d // as it is written to files
	this.Rows = lists.Map(d.Rows, s.Row)
	side := analysis.Side{Name: "this run", Files: append([]analysis.File{{Document: this}}, r.repeats.others...)}
	d.Rows = merged(d.Rows, side)
	summaries := lists.Either(r.bench, nil, d.Summaries) // which shows rates alone
	var compared analysis.Comparison
	var ratios []*analysis.Row
	if r.repeats.baseline != "" && len(d.Rows) > 0 {
		compared = analysis.Compare(r.repeats.base, side, analysis.Options{Least: analysis.Least, Spread: analysis.Spread})
		ratios = compared.InPlace()
	}
	report, wrong := run.NewReport(s.Axes, d.Rows, ratios, summaries, s.Sort)
	if len(d.Rows) > 0 {
		fmt.Fprintf(r.text(), "%s\n\n", r.heading(s))
	}
	var notes []string
	for _, summary := range d.Summaries {
		if s.Gauges && len(summary.Gauges) > 0 {
			notes = append(append(notes, "", summary.Scheme+report.Where(summary.Point)), lists.Map(summary.Gauges, gaugeLine)...)
		}
	}
	notes = append(notes, remarks(s, report, failure)...)
	if ratios != nil {
		notes = append(notes, compared.Against()...)
	}
	err := report.Table().Print(r.Out, notes...)
	return cmp.Or(err, r.lines(s.Written(failure)...), usage(wrong))
}

func runHeading(s *session.Session) string {
	run := s.Document.Run
	heading := fmt.Sprintf("%s on %s, seed %d", s.Name, deviceLine(run.Device), run.Seed)
	if s.Title != "" {
		heading += "\n" + results.Plain(s.Title)
	}
	return heading
}

// remarks are the lines below the table, after an empty one.
func remarks(s *session.Session, report *run.Report, failure error) []string {
	d := s.Document
	list := append(report.LeftOut(d.LeftOut), report.Remarks(d.Summaries)...)
	list = append(list, s.Verdicts()...)
	if s.Verified(failure) {
		list = append(list, "verified: all batches and tables agree with the oracle")
	}
	if line := d.End.Spent.String(); line != "" {
		list = append(list, line)
	}
	if len(list) > 0 {
		list = append([]string{""}, list...)
	}
	return list
}

// deviceLine describes a device: cpu, 2 threads (Intel ...).
func deviceLine(d device.Info) string { return fmt.Sprintf("%s, %s (%s)", d.Name, workers(d), d.Model) }

// gaugeLine writes a gauge in an indented line: bucket fill [buckets]  1:12 3:40 4:133.
func gaugeLine(g schemes.Reading) string {
	const fewBars = 5 // up to which empty ones are shown
	line := "  " + g.Name
	if g.Unit != "" {
		line += " [" + g.Unit + "]"
	}
	line += " "
	for _, b := range g.Bars {
		if len(g.Bars) <= fewBars || b.Value != 0 {
			line += " "
			if b.Label != "" {
				line += strings.ReplaceAll(b.Label, " ", "_") + ":"
			}
			if line += run.Text(b.Value); b.Of > 0 {
				line += "/" + run.Text(b.Of)
			}
		}
	}
	return line
}

func newBenchCommand(env *Env) *cobra.Command {
	r := newRunFlags(env)
	r.bench, r.heading = true, func(s *session.Session) string {
		row, where := s.Document.Rows[0], lists.Either(r.Settings.Bench.Placement == "host", " in host memory", "")
		return fmt.Sprintf("%s, %d %s pairs%s, seed %d, input %.8s",
			deviceLine(s.Document.Run.Device), row.N, row.Pair, where, r.Settings.Seed, row.Input)
	}
	var erase, mix bool
	command := &cobra.Command{Use: "bench", RunE: func(c *cobra.Command, args []string) error {
		q, err := r.complete("standard")
		if err != nil {
			return err
		}
		q.Choice.Schemes, q.Row = args, benchRow
		q.Set = []string{fmt.Sprint("erase=", erase), fmt.Sprint("mix=", mix)}
		for _, option := range []string{"n", "pair", "placement", "present"} {
			q.Set = append(q.Set, option+"="+env.Settings.Text("bench."+option))
		}
		q.Axis = []string{"load=" + env.Settings.Text("bench.load")}
		err = r.run(c.Context(), q)
		if lack := schemes.Lacking(err); lack != nil { // without the line of the script
			return usage(lack)
		}
		return err
	}}
	env.usesSchemes(command, "device", "threads", "bench.n", "bench.load", "bench.present", "bench.pair", "bench.placement", "seed",
		"repeat.warmup", "repeat.least", "repeat.most", "repeat.noise", "repeat.max_time", "engine.batch_timeout", "engine.chunk", "engine.launch")
	command.Flags().BoolVar(&erase, "erase", false, "also erase all pairs")
	command.Flags().BoolVar(&mix, "mix", false, "also find keys while others are inserted, on schemes that can do both at once")
	r.flags(command, "count", "limits", "verify", "threshold", "settle", "quiet", "json", "ndjson", "processes", "baseline")
	return command
}

// benchRow is a row as bench writes it: a point instead of a phase.
func benchRow(r results.Row) results.Row {
	var percent float64
	at := results.Point{"load_factor": r.Point["load"]}
	if n, _ := fmt.Sscanf(r.Phase, "find %g %%", &percent); n == 1 {
		at["present"] = percent / 100
	}
	r.Point, r.Phase, r.Batches = at, "", 0
	return r
}

// repeats are the runs that a run is compared with: equal ones in further processes, because the placement of memory
// and the load of the machine differ between processes, and a baseline.
type repeats struct {
	processes int
	baseline  string
	others    []analysis.File
	base      analysis.Side
}

// repeat reads the baseline and runs all processes but this one. Their results, and those of
// this one, go to numbered files if the user wants files.
func (r *runFlags) repeat(ctx context.Context, q *session.Request) (err error) {
	switch {
	case r.repeats.processes > 1 && q.For > 0:
		return misused(errors.New("--processes repeats runs that end by themselves: leave out --for and --forever"))
	case r.repeats.processes > 1 && (q.JSON == "-" || q.NDJSON != "" || q.Recording != "" || q.Contents != ""):
		return misused(errors.New("--processes writes a file for each: it takes --json FILE, and none of --ndjson, --record and --contents"))
	}
	if r.repeats.baseline != "" {
		if r.repeats.base, err = analysis.ReadSide(r.repeats.baseline); err != nil {
			return usage(err)
		}
	}
	if r.repeats.processes == 1 {
		return nil
	}
	wanted := q.JSON
	if wanted == "" {
		folder, err := os.MkdirTemp("", "hashzoo-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		wanted = filepath.Join(folder, "run.json")
	} else {
		q.JSON = regular.Beside(wanted, r.repeats.processes)
	}
	for i := 1; i < r.repeats.processes && err == nil; i++ {
		err = r.process(ctx, regular.Beside(wanted, i), i)
	}
	return err
}

// again is this program in another process, with a command line of its own. Like this one, it ends with the context, in
// order.
func again(ctx context.Context, words []string) *exec.Cmd {
	program, err := os.Executable()
	c := exec.CommandContext(ctx, program, words[1:]...)
	c.Args[0], c.Err = words[0], cmp.Or(c.Err, err)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	return c
}

func (r *runFlags) process(ctx context.Context, file string, i int) error {
	p := again(ctx, append(analysis.Command(os.Args), "--json="+file))
	p.Stderr = r.Err
	if err := p.Run(); err != nil {
		return fmt.Errorf("process %d of %d: %w", i, r.repeats.processes, err)
	}
	side, err := analysis.ReadSide(file)
	r.repeats.others = append(r.repeats.others, side.Files...)
	return err
}

// merged gives rows the rates and the noise of all processes.
func merged(rows []results.Row, side analysis.Side) (list []results.Row) {
	all := side.Merge()
	if len(side.Files) == 1 || len(all) != len(rows) { // a scheme may have failed in one of them
		return rows
	}
	for i, row := range rows {
		row.Rate, row.Noise, row.Settled = all[i].Rate, all[i].Noise, all[i].Settled
		list = append(list, row)
	}
	return list
}
