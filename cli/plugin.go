package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/plugin"
	"github.com/hashzoo/hashzoo/runtime/results"
)

var _ = register(newPluginCommand)

func newPluginCommand(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "plugin", Short: "write schemes of your own: start one, build it, check it"}
	command.AddCommand(newPluginNew(env), newPluginBuild(env), newPluginHeaders(env), newPluginCheck(env), newPluginList(env))
	return command
}

const pluginNewLong = `Write a folder with a scheme to start from: a plain table that works as it is, or, with
--from, a copy of a scheme that ships. The last part of NAME is the name of the scheme.
docs/plugins.md says how to change it into a scheme of your own.`

func newPluginNew(env *Env) *cobra.Command {
	var from string
	command := &cobra.Command{
		Use:   "new NAME",
		Short: "write the sources of a scheme to start from",
		Long:  pluginNewLong,
		RunE: func(_ *cobra.Command, args []string) error {
			files, err := plugin.New(args[0], from)
			if err != nil {
				return usage(fmt.Errorf("plugin new: %w", err))
			}
			fmt.Fprintln(env.Out, strings.Join(files, "\n"))
			fmt.Fprintf(env.Out, "\nNext: hashzoo plugin build %[1]s, then hashzoo plugin check %[1]s --quick.\n", args[0])
			return nil
		},
	}
	command.Flags().StringVar(&from, "from", "", "start from a copy of this `scheme`; its host side must not be in Go")
	_ = command.RegisterFlagCompletionFunc("from", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return plugin.Startable(), cobra.ShellCompDirectiveNoFileComp
	})
	return command
}

const pluginBuildLong = `Compile the plugin in a folder with clang: its kernels for CPUs as a shared object, and
for GPUs as PTX. This program contains all the headers it takes.

The result is the folder built in DIR. It can be copied elsewhere, and is loaded by
--plugin, HASHZOO_PLUGINS or config.toml. Outputs compiled before from the same inputs come
from a cache.`

func newPluginBuild(env *Env) *cobra.Command {
	options := plugin.Options{Say: env.Err}
	command := &cobra.Command{
		Use:   "build DIR",
		Short: "compile a plugin for CPUs and GPUs",
		Long:  pluginBuildLong,
		RunE: func(command *cobra.Command, args []string) error {
			built, err := plugin.Build(command.Context(), args[0], options)
			if errors.Is(err, plugin.ErrCompiler) {
				return err
			}
			if err != nil {
				return usage(err)
			}
			if options.Only != "" {
				env.warn("built with --only %s: this variant alone, for CPUs", options.Only)
			}
			_, err = fmt.Fprintf(env.Out, "%s: plugin %s, %d kernels, digest %s\ncompiled by %s\n",
				built.Folder, built.Name, built.Kernels, built.Hash, built.Compiler)
			return err
		},
	}
	command.Flags().StringVar(&options.Clang, "clang", "", "the `compiler` (default: clang++-19, clang++ or similar)")
	command.Flags().StringVar(&options.Only, "only", "", "compile only the variant with these `settings`, such as bucket=8, for CPUs only; takes seconds")
	return command
}

func newPluginHeaders(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "headers DIR",
		Short: "write hashzoo's headers next to a plugin's, for editors",
		Long: "Write the headers that a plugin is compiled with to DIR/hashzoo, and DIR/compile_commands.json,\n" +
			"so that editors and language servers understand its header. Builds use neither.",
		RunE: func(_ *cobra.Command, args []string) error {
			files, err := plugin.Headers(args[0])
			if err != nil {
				return usage(err)
			}
			_, err = fmt.Fprintln(env.Out, strings.Join(files, "\n"))
			return err
		},
	}
}

func newPluginList(env *Env) *cobra.Command {
	command := &cobra.Command{
		Use:   "list",
		Short: "list the plugins of --plugin, HASHZOO_PLUGINS and config.toml, and why some cannot be loaded",
		RunE: func(*cobra.Command, []string) error {
			found := plugin.LoadAll(env.Settings.Plugins)
			if len(found) == 0 {
				return env.lines([]string{"no plugins found; hint: name their folders with --plugin, in HASHZOO_PLUGINS or in config.toml"})
			}
			var broken []error
			for _, c := range found {
				broken = append(broken, c.Err)
			}
			sound := slices.DeleteFunc(found, func(c *plugin.Candidate) bool { return c.Err != nil })
			table := results.TableOf("plugin | title | digest | folder", sound, func(c *plugin.Candidate) []string {
				return []string{c.Name, c.Scheme.Title, c.Hash, c.Folder}
			})
			return errors.Join(table.Print(env.Out), errors.Join(broken...))
		},
	}
	env.uses(command, "plugins")
	return command
}
