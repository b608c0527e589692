package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/compile"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/plugin"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/check"
)

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
