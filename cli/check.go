package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/runtime/compile"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/plugin"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/check"
	"github.com/hashzoo/hashzoo/workloads/papers"
	"github.com/hashzoo/hashzoo/workloads/session"
)

func newCheckCommand(env *Env) *cobra.Command {
	c := checkCommand{Env: env, carryOut: check.Run}
	command := &cobra.Command{Use: "check", RunE: c.run}
	env.usesSchemes(command, "device", "threads", "seed")
	c.flags(command)
	return command
}

// flags adds the flags that check and plugin check share.
func (c *checkCommand) flags(command *cobra.Command) {
	flags := command.Flags()
	flags.BoolVar(&c.plan.Quick, "quick", false, "use smaller tables and fewer configurations: about half a minute per scheme on two cores")
	flags.Var(settings.Word(&c.plan.Part, check.Parts...), "part", "run only this part: "+strings.Join(check.Parts, ", "))
	flags.Var(settings.Integer(&c.plan.Rung, 0, 1000), "rung", "run only this rung of the ladder")
	flags.StringVar(&c.plan.Pair, "pair", "", "check only this pair width, such as k4v4")
	flags.BoolVar(&c.json, "json", false, "print JSON")
	flags.BoolVar(&c.quiet, "quiet", false, "do not show progress")
}

type checkCommand struct {
	*Env
	plan        check.Plan
	json, quiet bool

	// carryOut is check.Run, or runs it in another process.
	carryOut func(context.Context, check.Plan, check.Listener) error

	report   check.Report
	progress *progress
	began    time.Time
}

// checkDocument is the output of --json.
type checkDocument struct {
	Schema   string          `json:"schema"`
	Run      results.Run     `json:"run"`
	Quick    bool            `json:"quick"`
	Findings []check.Finding `json:"findings"`
	End      results.End     `json:"end"`
}

func (c *checkCommand) run(command *cobra.Command, args []string) error {
	if err := c.prepare(args); err != nil {
		return err
	}
	if err := c.papers(command.Context(), args); err != nil {
		return err
	}
	dev := c.plan.Device
	document := checkDocument{Schema: "hashzoo.check/1", Run: session.Provenance(dev, c.Settings.Seed, c.Settings.Texts()), Quick: c.plan.Quick}
	c.began = time.Now()
	c.progress = newProgress(command.Context(), c.Env, c.quiet)
	err := c.carryOut(command.Context(), c.plan, c.onEvent)
	c.progress.end()
	interrupted := command.Context().Err() != nil
	if interrupted {
		err = errors.New("interrupted: the report covers what was checked so far")
	}
	document.Findings = c.report
	document.End = results.End{Finished: time.Now(), Interrupted: interrupted}
	if err == nil {
		err = dev.Close() // a device with a hanging kernel cannot be closed
	} else if !interrupted {
		document.End.Error = err.Error()
	}
	switch {
	case err != nil:
	case len(c.report) == 0:
		err = errors.New("nothing was checked: this part has nothing for these schemes and settings; hint: leave the settings out")
	case c.report.Count(check.Passed, check.Failed, check.Differs) == 0:
		err = errors.New("nothing was checked: all that was asked for is not offered, or unavailable on this device")
	}
	if failed := c.report.Count(check.Failed); failed > 0 {
		err = errors.Join(err, fmt.Errorf("%d of %d checks failed", failed, len(c.report)))
	}
	if c.json {
		return errors.Join(results.WriteJSON(c.Out, document), err)
	}
	fmt.Fprintf(c.text(), "%s, seed %d\n\n", deviceLine(dev.Info()), c.plan.Seed)
	return errors.Join(c.report.Print(c.Out), err)
}

func (c *checkCommand) prepare(args []string) (err error) {
	if err := c.targets(args); err != nil {
		return usage(err)
	}
	c.plan.Seed = c.Settings.Seed
	if c.plan.Device, err = c.Env.open(); err != nil {
		return err
	}
	for _, t := range c.plan.Targets {
		err = cmp.Or(err, engine.Suits(c.plan.Device, t.Scheme))
	}
	return err
}

// papers adds the claims of papers to a whole check, or to a check of this part.
func (c *checkCommand) papers(ctx context.Context, args []string) (err error) {
	whole := c.plan.Part == "" && c.plan.Rung == 0 && len(args) == 0 && !c.plan.Quick
	if !whole && c.plan.Part != "papers" {
		return nil
	}
	r := papers.Request{Context: ctx, Seed: c.Settings.Seed, Limits: c.Settings.Lua}
	if len(args) > 0 {
		r.Schemes = lists.Map(c.plan.Targets, func(t check.Target) string { return t.Scheme.Name })
	}
	c.plan.Papers, err = papers.Work(r)
	if err == nil && len(c.plan.Papers) == 0 {
		err = usage(fmt.Errorf("part papers of %s: no figure of a paper measures it; hint: leave out the scheme", strings.Join(args, ", ")))
	}
	return err
}

// targets turns the arguments into targets. Arguments that would check nothing are errors.
func (c *checkCommand) targets(args []string) error {
	names, err := session.SchemeTexts(args)
	if err != nil {
		return err
	}
	c.plan.Targets, err = lists.TryMap(names, func(arg string) (check.Target, error) {
		config, err := schemes.Parse(arg)
		return check.Target{Scheme: config.Scheme, Config: lists.Either(strings.Contains(arg, ":"), &config, nil)}, err
	})
	if err != nil {
		return err
	}
	return c.plan.Check()
}

func (c *checkCommand) onEvent(e check.Event) {
	c.report.Add(e.Finding)
	if e.Now == nil {
		return
	}
	failed := ""
	if n := c.report.Count(check.Failed); n > 0 {
		failed = fmt.Sprintf(", %d failed", n)
	}
	c.progress.say(func() string {
		return fmt.Sprintf("%d of %d%s: %s%s", e.Now.Done, e.Now.Of, failed, e.Now.What, remaining(time.Since(c.began), e.Now.Part))
	})
}

// remaining estimates how long the rest takes, once enough of the work is done.
func remaining(took time.Duration, done float64) string {
	if took < time.Second || done < 0.01 {
		return ""
	}
	left := time.Duration(float64(took) * (1 - done) / done)
	return ", about " + left.Round(time.Second).String() + " left"
}

func newPluginNew(env *Env) *cobra.Command {
	var from string
	command := &cobra.Command{Use: "new", RunE: func(_ *cobra.Command, args []string) error {
		files, err := plugin.New(args[0], from)
		if err != nil {
			return usage(fmt.Errorf("plugin new: %w", err))
		}
		next := fmt.Sprintf("Next: hashzoo plugin build %[1]s, then hashzoo plugin check %[1]s --quick.", args[0])
		return env.lines(append(files, "", next)...)
	}}
	command.Flags().StringVar(&from, "from", "", "start from a copy of this `scheme`")
	_ = command.RegisterFlagCompletionFunc("from", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return plugin.Startable(), cobra.ShellCompDirectiveNoFileComp
	})
	return command
}

func newPluginBuild(env *Env) *cobra.Command {
	options := plugin.Options{Say: results.Clean{Writer: env.Err}}
	command := &cobra.Command{Use: "build", RunE: func(command *cobra.Command, args []string) error {
		built, err := plugin.Build(command.Context(), args[0], options)
		if errors.Is(err, compile.ErrCompiler) {
			return err
		}
		if err != nil {
			return usage(err)
		}
		if options.Only != "" {
			env.warn("built with --only %s: this variant alone, for CPUs", options.Only)
		}
		_, err = fmt.Fprintf(env.text(), "%s: plugin %s, %d kernels, digest %s\ncompiled by %s\n",
			built.Folder, built.Name, built.Kernels, built.Hash, built.Compiler)
		return err
	}}
	command.Flags().StringVar(&options.Clang, "clang", "", "the `compiler` (default: clang++-19, clang++ or similar)")
	command.Flags().StringVar(&options.Only, "only", "", "compile only the variant with these `settings`, such as bucket=8, for CPUs only; takes seconds")
	return command
}

func newPluginList(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "list", RunE: func(*cobra.Command, []string) error {
		found := plugin.LoadAll(env.Settings.Plugins)
		if len(found) == 0 {
			return env.lines("no plugins found; hint: name their folders with --plugin, or in HASHZOO_PLUGINS")
		}
		broken := lists.Map(found, func(c *plugin.Candidate) error { return c.Err })
		sound := slices.DeleteFunc(found, func(c *plugin.Candidate) bool { return c.Err != nil })
		table := results.TableOf("plugin | title | digest | folder", sound, func(c *plugin.Candidate) []string {
			return []string{c.Name, c.Scheme.Title, c.Hash, c.Folder}
		})
		return errors.Join(table.Print(env.Out), errors.Join(broken...))
	}}
	env.uses(command, "plugins")
	return command
}

// pluginCheck is the check command for the one scheme of a folder.
type pluginCheck struct {
	checkCommand
	from int      // the first step that a child process checks; negative in the parent
	skip []string // configurations that it leaves out
}

func newPluginCheck(env *Env) *cobra.Command {
	c := pluginCheck{checkCommand: checkCommand{Env: env}}
	// It checks in child processes with the same command line.
	c.carryOut = func(ctx context.Context, p check.Plan, to check.Listener) error {
		return check.RunApart(ctx, p, func(from int, skip []string) *exec.Cmd {
			words := append(slices.Clone(os.Args), fmt.Sprintf("--from=%d", from))
			return again(ctx, append(words, lists.Map(skip, func(config string) string { return "--skip=" + config })...))
		}, to)
	}
	command := &cobra.Command{Use: "check", RunE: c.run}
	env.uses(command, "device", "threads", "seed")
	c.flags(command)
	command.Flags().IntVar(&c.from, "from", -1, "")
	command.Flags().StringArrayVar(&c.skip, "skip", nil, "")
	_ = errors.Join(command.Flags().MarkHidden("from"), command.Flags().MarkHidden("skip"))
	return command
}

func (c *pluginCheck) run(command *cobra.Command, args []string) error {
	folder, err := plugin.UpToDate(args[0])
	if err != nil {
		return usage(err)
	}
	scheme, err := plugin.Load(folder, "")
	if err != nil {
		return usage(fmt.Errorf("plugin %s: %w", folder, err))
	}
	c.plan.Command = "hashzoo plugin check " + args[0]
	target := strings.Join(append([]string{scheme.Name}, args[1:]...), ":")
	if c.from < 0 {
		return c.checkCommand.run(command, []string{target})
	}
	devices.Guard(check.Fault) // this is a child process, which reports to its parent
	if err := c.prepare([]string{target}); err != nil {
		return err
	}
	c.plan.From, c.plan.Skip = c.from, c.skip
	return check.Tell(command.Context(), c.plan, c.Out)
}
