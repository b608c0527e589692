package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes/plugin"
)

var _ = register(newPluginCommand)

func newPluginCommand(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "plugin", Short: "schemes of your own: start one, build it, check it"}
	command.AddCommand(newPluginNew(env), newPluginBuild(env), newPluginCheck(env), newPluginList(env))
	return command
}

func newPluginNew(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "new NAME",
		Short: "write a plugin to start from",
		Long: "Write a folder with a plugin to start from: a plain table that works as it stands.\n" +
			"docs/plugins.md says how to change it into a scheme of your own.",
		Args: exactly("NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			files, err := plugin.New(args[0])
			if err != nil {
				return usage(fmt.Errorf("plugin new: %w", err))
			}
			fmt.Fprintln(env.Out, strings.Join(files, "\n"))
			fmt.Fprintf(env.Out, "\nNext: hashzoo plugin build %[1]s, then hashzoo plugin check %[1]s --quick.\n", args[0])
			return nil
		},
	}
}

const pluginBuildLong = `Compile the plugin in a folder with clang: its kernels for CPUs as a shared object, and
for GPUs as PTX. All that is needed of hashzoo, this program has in it. What the compiler
says is shown as it is.

The result is the folder built in there. It can be copied elsewhere, and is loaded by
--plugin, HASHZOO_PLUGINS or config.toml.`

func newPluginBuild(env *Env) *cobra.Command {
	var clang string
	command := &cobra.Command{
		Use:   "build DIR",
		Short: "compile a plugin for CPUs and GPUs",
		Long:  pluginBuildLong,
		Args:  exactly("DIR"),
		RunE: func(command *cobra.Command, args []string) error {
			built, err := plugin.Build(command.Context(), args[0], clang, env.Err)
			if errors.Is(err, plugin.ErrCompiler) {
				return err
			}
			if err != nil {
				return usage(err)
			}
			_, err = fmt.Fprintf(env.Out, "%s: plugin %s, %d kernels, digest %s\ncompiled by %s\n",
				built.Folder, built.Name, built.Kernels, built.Hash, built.Compiler)
			return err
		},
	}
	command.Flags().StringVar(&clang, "clang", "", "the `compiler`, if not one of clang++-19, clang++ and the like")
	return command
}

func newPluginList(env *Env) *cobra.Command {
	command := &cobra.Command{
		Use:   "list",
		Short: "the plugins of --plugin, HASHZOO_PLUGINS and config.toml, and why some cannot be loaded",
		Args:  atMost(0),
		RunE: func(*cobra.Command, []string) error {
			table := results.Table{Columns: []results.Column{{Title: "plugin"}, {Title: "title"}, {Title: "digest"}, {Title: "folder"}}}
			var broken []error
			for _, c := range plugin.LoadAll(env.Settings.Plugins) {
				if c.Err != nil {
					broken = append(broken, c.Err)
					continue
				}
				table.Rows = append(table.Rows, []string{c.Name, c.Scheme.Title, c.Hash, c.Folder})
			}
			if len(table.Rows)+len(broken) == 0 {
				_, err := fmt.Fprintln(env.Out, "no plugins: name their folders with --plugin, in HASHZOO_PLUGINS, or as plugins in config.toml")
				return err
			}
			return errors.Join(printIfAny(env, table), errors.Join(broken...))
		},
	}
	env.uses(command, "plugins")
	return command
}

func printIfAny(env *Env, table results.Table) error {
	if table.Rows == nil {
		return nil
	}
	return table.Print(env.Out)
}
