package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes/plugin"
)

// usesSchemes is uses for commands that know schemes: those of plugins are loaded before
// one runs.
func (env *Env) usesSchemes(command *cobra.Command, keys ...string) {
	env.uses(command, slices.Concat(keys, []string{"plugins"})...)
	_ = command.MarkFlagDirname("plugin")
	command.PreRunE = func(command *cobra.Command, _ []string) error {
		err := env.load()
		if err != nil && len(keys) == 0 && len(env.given) == 0 { // it needs no setting but this one
			env.warn("schemes of plugins are left out: %v", err)
			return nil
		}
		if err != nil {
			return usage(err)
		}
		quiet, _ := command.Flags().GetBool("quiet")
		return usage(env.loadPlugins(quiet))
	}
}

// loadPlugins loads the plugins of the settings. One that cannot be is an error if its
// folder was named on the command line; otherwise a line says so, and the zoo is without it.
func (env *Env) loadPlugins(quiet bool) error {
	var loaded []string
	var errs []error
	for _, c := range plugin.LoadAll(env.Settings.Plugins) {
		switch {
		case c.Err == nil:
			loaded = append(loaded, fmt.Sprintf("%s (%s)", c.Name, c.Folder))
		case slices.ContainsFunc(c.Given, env.named):
			errs = append(errs, c.Err)
		default:
			env.warn("left out: %s", strings.ReplaceAll(c.Err.Error(), "\n", "; "))
		}
	}
	if len(loaded) > 0 && !quiet {
		env.warn("native code of plugins runs with all your rights: %s%s", strings.Join(loaded, ", "), otherCompiler())
	}
	return errors.Join(errs...)
}

// otherCompiler says that the program's kernels are not by clang, if they are not: those of
// plugins are.
func otherCompiler() string {
	if strings.Contains(strings.ToLower(kernels.Compiler()), "clang") {
		return ""
	}
	return "; they are compiled by clang, and the zoo by " + kernels.Compiler() + ": on a CPU rates differ for that alone"
}

// named says whether a folder with plugins was named on the command line.
func (env *Env) named(folder string) bool {
	return slices.ContainsFunc(env.given, func(g given) bool {
		return g.setting.Key == "plugins" && slices.Contains(filepath.SplitList(g.value), folder)
	})
}

// warn is a line that goes next to the results.
func (env *Env) warn(format string, args ...any) {
	fmt.Fprintf(env.Err, "hashzoo: %s\n", results.Plain(fmt.Sprintf(format, args...)))
}
