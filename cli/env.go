package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/plugin"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Env is the environment of a command: streams, settings and context.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	Settings *settings.InForce // complete once a command that uses settings runs

	given  []given // by flags
	failed error   // of a help function, which cannot return an error
}

type given struct {
	setting settings.Setting
	value   string
}

func newEnv(defaults string) (*Env, error) {
	all, err := settings.Defaults(defaults)
	return &Env{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Settings: all}, err
}

// uses gives a command flags for these settings. Before the command runs, all
// settings are read; a command without uses runs even if they are wrong.
func (env *Env) uses(command *cobra.Command, keys ...string) {
	command.Flags().SortFlags = false
	for _, key := range keys {
		s := env.Settings.Find(key)
		command.Flags().Var(settingFlag{s, env}, s.Flag, s.Help)
		if key == "device" {
			_ = command.RegisterFlagCompletionFunc(s.Flag, completeDevices)
		}
	}
	command.PreRunE = func(*cobra.Command, []string) error { return usage(env.load()) }
}

// settingFlag is a setting as a flag. It is set once the other sources have been read.
type settingFlag struct {
	settings.Setting
	env *Env
}

func (f settingFlag) Set(value string) error {
	f.env.given = append(f.env.given, given{f.Setting, value})
	return f.Check(value)
}

func (env *Env) load() error {
	if err := env.Settings.Load(os.Environ()); err != nil {
		return err
	}
	for _, g := range env.given {
		if err := env.Settings.SetByFlag(g.setting, g.value); err != nil {
			return err
		}
	}
	return env.Settings.Check()
}

func (env *Env) open() (device.Device, error) {
	return session.OpenDevice(env.Settings.Device, env.Settings.Threads)
}

// listing makes a command print what answer returns: a text, or with --json the data.
func (env *Env) listing(command *cobra.Command, answer func(args []string) (data any, text func() error, err error)) *cobra.Command {
	asJSON := command.Flags().Bool("json", false, "print JSON")
	command.RunE = func(_ *cobra.Command, args []string) error {
		data, text, err := answer(args)
		switch {
		case err != nil:
			return usage(err)
		case *asJSON:
			return results.WriteJSON(env.Out, data)
		}
		return text()
	}
	return command
}

// lines prints lines that scripts and files may have a part in.
func (env *Env) lines(list []string) error { return results.Table{}.Print(env.Out, list...) }

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

func (env *Env) warn(format string, args ...any) {
	fmt.Fprintf(env.Err, "hashzoo: %s\n", results.Plain(fmt.Sprintf(format, args...)))
}
