package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

var _ = register(newRunCommand)

const runLong = `Run a script on schemes side by side: one that ships (hashzoo scripts lists them), or
one of your own. Without --schemes it runs on all schemes of the zoo, with their
defaults; it ends if one of them lacks what the script asks for, and says what. Schemes
take turns batch by batch, and are given the same input.

hashzoo run SCRIPT --help lists what can be chosen about a script. Rates are of
completed operations, by the device's own clock.`

// runExample names two schemes, since not all of the zoo have pairs of every width.
func runExample() string {
	first, last := schemes.All()[0], schemes.All()[len(schemes.All())-1]
	return fmt.Sprintf(`  hashzoo run quickstart
  hashzoo run quickstart --help
  hashzoo run rates --set n=20M --axis load=0.5:0.9:0.1 --sort "100%% find"
  hashzoo run ycsb/a --schemes %s,%s --device cuda:0 --count --json results.json
  hashzoo run my.lua --seed 7 --verify`, first.Name, last.Name)
}

func newRunCommand(env *Env) *cobra.Command {
	r := runCommand{Env: env, output: output{env: env}}
	command := &cobra.Command{
		Use:               "run SCRIPT",
		Short:             "run a script on schemes side by side",
		Long:              runLong,
		Example:           runExample(),
		Args:              exactly("SCRIPT"),
		ValidArgsFunction: completeScripts,
		RunE:              r.run,
	}
	f := command.Flags()
	f.SortFlags = false
	f.StringArrayVar(&r.schemes, "schemes", nil, "`schemes` to run it on, as in a,b:param=value,param=value,c (default: all)")
	f.StringArrayVar(&r.set, "set", nil, "give an option of the script a value: `name=value`")
	f.StringArrayVar(&r.axis, "axis", nil, "give an axis other values: `name=values`, which are 1,2,3 or from:to:step or from:to:*factor")
	env.uses(command, "device", "threads", "seed", "repeat.noise", "engine.batch_timeout",
		"lua.steps", "lua.time", "lua.memory", "lua.vectors", "lua.from")
	f.BoolVar(&r.count, "count", false, "count probes and the like too: give all batches to a second table, of instrumented kernels")
	f.BoolVar(&r.verify, "verify", false, "check all batches against an oracle, and the tables after each phase; takes memory and time")
	f.StringVar(&r.sort, "sort", "", "sort the schemes by a `column` of the table")
	f.BoolVar(&r.quiet, "quiet", false, "show no progress")
	r.output.flags(command)
	usual := command.HelpFunc()
	command.SetHelpFunc(func(c *cobra.Command, args []string) {
		if name := c.Flags().Arg(0); name != "" {
			env.failed = usage(r.help(name))
		} else {
			usual(c, args)
		}
	})
	return command
}

type runCommand struct {
	*Env
	output
	schemes, set, axis   []string
	sort                 string
	count, verify, quiet bool

	script   scriptRun
	progress *watcher
}

func (r *runCommand) run(command *cobra.Command, args []string) error {
	plan, err := r.plan(command, args[0])
	if err != nil {
		return usage(err)
	}
	dev, err := r.Env.open()
	if err != nil {
		return err
	}
	if err := r.output.open(dev, r.script.provenance()); err != nil {
		return err
	}
	r.progress = newWatcher(command.Context(), r.Env, r.quiet)
	r.script.Print = r.progress.print
	err = run.Run(command.Context(), dev, plan, r)
	r.progress.end()
	interrupted := err != nil && command.Context().Err() != nil
	if interrupted {
		err = errors.New("interrupted: the results end with what was measured until then")
	}
	err = errors.Join(mistaken(err), r.print(err), r.output.close(err, interrupted))
	// A device with a hanging kernel cannot be closed; its memory is still in use.
	if hang := new(engine.HangError); !errors.As(err, &hang) {
		err = errors.Join(err, dev.Close())
	}
	return err
}

// mistaken marks what is the script's fault as wrong usage.
func mistaken(err error) error {
	if mistake := new(run.ScriptError); errors.As(err, &mistake) {
		return usage(err)
	}
	return err
}

// plan is what the arguments and settings ask for.
func (r *runCommand) plan(command *cobra.Command, name string) (run.Plan, error) {
	s := r.Settings
	plan := run.Plan{Seed: s.Seed, Policy: s.Repeat, Timeout: s.BatchTimeout, Verify: r.verify, Counted: r.count}
	var err error
	if plan.Schemes, err = schemeList(r.schemes); err != nil {
		return plan, err
	}
	if r.script, err = newScriptRun(command.Context(), name, s.Lua, r.set, r.axis); err != nil {
		return plan, err
	}
	plan.Script, plan.Options, plan.Points = r.script.Script, r.script.options, r.script.points
	return plan, nil
}

// Hear makes the command a run.Listener.
func (r *runCommand) Hear(e run.Event) error {
	r.progress.hear(e)
	ended, ok := e.(run.PointEnded)
	if !ok {
		return nil
	}
	for _, row := range ended.Rows {
		if err := r.output.row(row); err != nil {
			return err
		}
	}
	for _, s := range ended.Summaries {
		if err := r.output.summary(s); err != nil {
			return err
		}
	}
	return nil
}

// print writes the table. A wrong --sort must not cost the results of a run.
func (r *runCommand) print(failure error) error {
	rows, summaries := r.document.Rows, r.document.Summaries
	if len(rows) == 0 || !r.output.table() {
		return nil
	}
	report, wrong := run.NewReport(r.script.axes, rows, summaries, r.sort)
	fmt.Fprintf(r.Env.Out, "%s on %s, seed %d\n", r.script.Name, r.output.device(), r.Settings.Seed)
	if r.script.Title != "" {
		fmt.Fprintln(r.Env.Out, results.Plain(r.script.Title))
	}
	fmt.Fprintln(r.Env.Out)
	if err := report.Table().Print(r.Env.Out); err != nil {
		return err
	}
	remarks := report.Remarks(summaries)
	if r.verify && (failure == nil || errors.Is(failure, run.ErrThreshold)) {
		remarks = append(remarks, "verified: all batches and tables agree with the oracle")
	}
	for i, remark := range remarks {
		if i == 0 {
			fmt.Fprintln(r.Env.Out)
		}
		fmt.Fprintln(r.Env.Out, results.Plain(remark))
	}
	return usage(wrong)
}
