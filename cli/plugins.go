package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/plugin"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// usesSchemes is uses for commands with schemes: it also loads plugins before they run.
func (env *Env) usesSchemes(command *cobra.Command, keys ...string) {
	env.uses(command, slices.Concat(keys, []string{"plugins"})...)
	_ = command.MarkFlagDirname("plugin")
	command.PreRunE = func(command *cobra.Command, _ []string) error {
		err := env.load()
		if err != nil && len(keys) == 0 && len(env.given) == 0 { // it needs no setting but this one
			env.warn("plugins are left out: %v", err)
			return nil
		}
		if err != nil {
			return usage(err)
		}
		quiet, _ := command.Flags().GetBool("quiet")
		return usage(env.loadPlugins(quiet))
	}
}

// loadPlugins loads the plugins of the settings. A plugin that does not load is an error if the
// command line names its folder, and a warning otherwise.
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
		env.warn("plugins run native code with all your rights: %s%s", strings.Join(loaded, ", "), otherCompiler())
	}
	return errors.Join(errs...)
}

// otherCompiler warns that another compiler than the plugins' clang made the program's kernels.
func otherCompiler() string {
	if strings.Contains(strings.ToLower(kernels.Compiler()), "clang") {
		return ""
	}
	return "; clang compiled them, and " + kernels.Compiler() + " the zoo: on a CPU that alone changes rates"
}

// named reports whether the command line names a folder of plugins.
func (env *Env) named(folder string) bool {
	return slices.ContainsFunc(env.given, func(g given) bool {
		return g.setting.Key == "plugins" && slices.Contains(filepath.SplitList(g.value), folder)
	})
}

// warn prints a line to standard error.
func (env *Env) warn(format string, args ...any) {
	fmt.Fprintf(env.Err, "hashzoo: %s\n", results.Plain(fmt.Sprintf(format, args...)))
}
