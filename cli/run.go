package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

var _ = register(newRunCommand)

const runLong = `Run a script on schemes side by side: one that ships (hashzoo scripts lists them), or
one of your own. Without --schemes it runs on all schemes of the zoo, with their
defaults; those that lack what the script asks for are left out, and it says why. Schemes
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
	r := runCommand{session: session{Env: env, output: output{env: env}}}
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
	r.session.schemeFlag(command, "(default: all)")
	f.StringArrayVar(&r.set, "set", nil, "give an option of the script a value: `name=value`")
	f.StringArrayVar(&r.axis, "axis", nil, "give an axis other values: `name=values`, which are 1,2,3 or from:to:step or from:to:*factor")
	env.uses(command, "device", "threads", "seed", "repeat.noise", "engine.batch_timeout",
		"lua.steps", "lua.time", "lua.memory", "lua.vectors", "lua.from")
	r.session.flags(command)
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
	session
	set, axis []string
	script    scriptRun
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
	header := r.script.header(plan.Seed)
	return r.carryOut(command.Context(), dev, job{
		plan: plan, script: r.script.provenance(), header: header,
		name: r.script.Name, title: r.script.Title, axes: r.script.axes,
		watch: func() { r.script.Print = r.progress.print },
	})
}

// plan is what the arguments and settings ask for.
func (r *runCommand) plan(command *cobra.Command, name string) (run.Plan, error) {
	s := r.Settings
	plan := run.Plan{Seed: s.Seed, Policy: s.Repeat, Timeout: s.BatchTimeout, Verify: r.verify, Counted: r.count}
	var err error
	if plan.Schemes, err = schemeList(r.schemes); err != nil {
		return plan, err
	}
	plan.LeaveOut = r.schemes == nil
	if r.script, err = newScriptRun(command.Context(), name, s.Lua, r.set, r.axis); err != nil {
		return plan, err
	}
	plan.Script, plan.Options, plan.Points = r.script.Script, r.script.options, r.script.points
	if !command.Flags().Changed("count") {
		plan.Counted = r.script.Count
	}
	return plan, nil
}
