// Package cli is the command line: a file per family of commands, flags in, results out.
package cli

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/compile"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/plugin"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1 // the run failed, or a verification or threshold did not hold
	exitUsage  = 2 // the command line, or a file given to it, is wrong
)

// Main runs the program and returns its exit code. The first interrupt ends the run in order, a second one at once.
func Main() int {
	collectLate()
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	context.AfterFunc(ctx, stop)
	defer stop()
	env := newEnv()
	if outputClosed() {
		return report(env, nil, errors.New("standard output is closed, and answers go there; hint: >/dev/null drops them"))
	}
	out := &output{File: os.Stdout}
	env.Out = out
	command, err := newRoot(env).ExecuteContextC(ctx)
	return report(env, command, cmp.Or(errors.Join(err, env.failed), out.failed))
}

// collectLate postpones the first garbage collection from 4 MB to 32: collections were half of the time that a short
// command takes.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(800)
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}

// endings are the signals that end a run in order. With nohup, the end of a terminal does not.
func endings() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// patient returns a context that only a second signal ends. The first one calls enough, and a third one ends the program.
func patient(ctx context.Context, enough func()) (inner context.Context, end func()) {
	inner, stop := context.WithCancel(context.WithoutCancel(ctx))
	release := context.AfterFunc(ctx, func() {
		second, ignore := signal.NotifyContext(inner, endings()...)
		context.AfterFunc(second, func() { stop(); ignore() })
		enough()
	})
	return inner, func() { release(); stop() }
}

// report prints an error in one line, and points to --help if the command line was wrong.
func report(env *Env, command *cobra.Command, err error) int {
	if err == nil {
		return exitDone
	}
	fmt.Fprintf(env.Err, "hashzoo: %s\n", results.Plain(strings.ReplaceAll(err.Error(), "\n", "; ")))
	misused := errors.As(err, new(*misuse))
	if full := errors.Is(err, syscall.ENOSPC); full || !misused && !errors.As(err, new(*run.ScriptError)) {
		return exitFailed
	}
	if command.Name() == "help" {
		command = command.Root()
	}
	if misused {
		fmt.Fprintf(env.Err, "see %s --help\n", command.CommandPath())
	}
	return exitUsage
}

// Commands returns the command hashzoo with all others below it, for their texts.
func Commands() *cobra.Command { return newRoot(newEnv()) }

func newRoot(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use:           "hashzoo",
		Short:         "compare hash-table schemes side by side, on GPUs and CPUs",
		Version:       results.ThisBuild().Version,
		Args:          unknownCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	plugins, recordings := &cobra.Command{Use: "plugin"}, &cobra.Command{Use: "recording"}
	plugins.AddCommand(newPluginNew(env), newPluginBuild(env), newPluginCheck(env), newPluginList(env),
		&cobra.Command{Use: "headers", RunE: func(_ *cobra.Command, args []string) error {
			files, err := plugin.Headers(args[0])
			return errors.Join(usage(err), env.lines(files...))
		}})
	recordings.AddCommand(newRecordingInfo(env), newRecordingVerify(env), newRecordingShow(env), newRecordingDiff(env),
		newRecordingImport(env), newRecordingExport(env))
	root.AddCommand(newBenchCommand(env), newCheckCommand(env), newChooseCommand(env), newCompareCommand(env), newConfigCommand(env), newDevicesCommand(env),
		newExplainCommand(env), newExportCommand(env), newPlotCommand(env), plugins, recordings, newReplayCommand(env), newReportCommand(env), newRunCommand(env),
		newSchemesCommand(env), newScriptsCommand(env), newSiteCommand(env), newSuiteCommand(env), newSurveyCommand(env), newSweepCommand(env), newTUICommand(env), newVersionCommand(env))
	root.SetHelpCommand(newHelpCommand())
	root.InitDefaultCompletionCmd()
	repairBash(root)
	describe(root)
	env.checkArguments(root)
	return root
}

// checkArguments checks and completes arguments as the usage lines have them.
func (env *Env) checkArguments(parent *cobra.Command) {
	for _, command := range parent.Commands() {
		switch {
		case command.HasSubCommands() && command.Use == command.Name():
			command.Args = unknownCommand
		case command.Args == nil:
			command.Args = positional(command.Use)
		}
		if !command.Runnable() {
			command.RunE = parent.RunE
		}
		if command.ValidArgsFunction == nil {
			command.ValidArgsFunction = env.completion(command.Use)
		}
		command.Flags().VisitAll(func(f *pflag.Flag) {
			if v, ok := f.Value.(settings.Value); ok && v.Words != nil {
				_ = command.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(v.Words, cobra.ShellCompDirectiveNoFileComp))
			}
		})
		env.checkArguments(command)
	}
}

// newHelpCommand is cobra's help command, with an error for unknown commands.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "show the help of a command",
		RunE: func(help *cobra.Command, args []string) error {
			command, rest, err := help.Root().Find(args)
			if err == nil {
				err = unknownCommand(command, rest)
			}
			if err != nil {
				return err
			}
			return command.Help()
		},
	}
}

// misuse is a mistake in the command line, for which --help helps.
type misuse struct{ error }

func misused(err error) error { return &misuse{err} }

// usage marks an error as a mistake of the user.
func usage(err error) error { return session.Wrong(err) }

// unknownCommand refuses arguments of a command that only has subcommands.
func unknownCommand(parent *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !parent.HasSubCommands() {
		return misused(fmt.Errorf("%s: unexpected argument %q", parent.Name(), args[0]))
	}
	return misused(nearest.Unknown("command", args[0], lists.Map(parent.Commands(), (*cobra.Command).Name)))
}

// flagError turns an error of pflag into one line with a hint.
func flagError(command *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown):
		var names []string
		command.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		dashes := lists.Either(unknown.GetSpecifiedShortnames() != "", "-", "--")
		return misused(nearest.Unknown("flag", dashes+unknown.GetSpecifiedName(), names))
	case errors.As(err, &missing):
		return misused(fmt.Errorf("--%s needs a value: %s", missing.GetSpecifiedName(), missing.GetFlag().Value.Type()))
	case errors.As(err, &value):
		if value.GetFlag().Value.Type() == "bool" {
			return misused(fmt.Errorf("--%s is %q: it takes true or false", value.GetFlag().Name, value.GetValue()))
		}
		return misused(fmt.Errorf("--%s %w", value.GetFlag().Name, value.Unwrap()))
	}
	return misused(err)
}

// positional returns a check of the arguments in a usage line: NAME, [NAME], [NAME ...].
func positional(use string) cobra.PositionalArgs {
	names := strings.Fields(use)[1:]
	required, most := len(names), len(names)
	if i := slices.IndexFunc(names, func(name string) bool { return name[0] == '[' }); i >= 0 {
		required = i
	}
	if strings.HasSuffix(use, " ...]") {
		most = math.MaxInt
	}
	return func(command *cobra.Command, args []string) error {
		switch {
		case len(args) < required:
			return misused(fmt.Errorf("%s: %s is missing", command.Name(), names[len(args)]))
		case len(args) > most:
			return misused(fmt.Errorf("%s: unexpected argument %q: it takes %s", command.Name(), args[most], cmp.Or(strings.Join(names, " "), "none")))
		}
		return nil
	}
}

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

func newEnv() *Env {
	return &Env{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Settings: settings.Defaults()}
}

// uses gives a command flags for these settings. Before the command runs, all
// settings are read; a command without uses runs even if they are wrong.
func (env *Env) uses(command *cobra.Command, keys ...string) {
	command.Flags().SortFlags = false
	for _, key := range keys {
		s := env.Settings.Find(key)
		command.Flags().Var(settingFlag{s, env}, s.Flag, s.Help)
		if key == "device" {
			_ = command.RegisterFlagCompletionFunc(s.Flag, func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return append(devices.Names(), devices.Several()...), cobra.ShellCompDirectiveNoFileComp // only now: drivers take long to start
			})
		}
	}
	command.PreRunE = func(command *cobra.Command, _ []string) error { return usage(env.load()) }
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
	err := lists.Each(env.given, func(g given) error { return env.Settings.SetByFlag(g.setting, g.value) })
	return cmp.Or(err, env.Settings.Check())
}

func (env *Env) open() (device.Device, error) {
	return session.OpenDevice(env.Settings.Device, env.Settings.Threads)
}

// listing makes a command print its answer as a text, or with --json as data.
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

// page returns a function that prints a heading, if there is one, a table, and notes on it.
func (env *Env) page(heading string, table results.Table, notes ...string) func() error {
	return func() error {
		if heading != "" {
			fmt.Fprintf(env.text(), "%s\n\n", heading)
		}
		return table.Print(env.Out, notes...)
	}
}

// text is standard output for texts from scripts and files, without their control characters.
func (env *Env) text() io.Writer { return results.Clean{Writer: env.Out} }

// lines prints texts from scripts and files, each in a line.
func (env *Env) lines(list ...string) error { return results.Table{}.Print(env.Out, list...) }

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
		if !quiet {
			compile.OnCompile = func(c compile.Compiling) {
				if text := c.Text(); text != "" {
					env.warn("%s", text)
				}
			}
		}
		return usage(env.loadPlugins(quiet))
	}
}

// loadPlugins loads the plugins of the settings. A plugin that does not load is an error if the
// command line names its folder, and a warning otherwise.
func (env *Env) loadPlugins(quiet bool) error {
	var loaded []string
	var errs []error
	named := func(folder string) bool {
		return slices.ContainsFunc(env.given, func(g given) bool {
			return g.setting.Key == "plugins" && slices.Contains(filepath.SplitList(g.value), folder)
		})
	}
	for _, c := range plugin.LoadAll(env.Settings.Plugins) {
		switch {
		case c.Err == nil:
			loaded = append(loaded, fmt.Sprintf("%s (%s)", c.Name, c.Folder))
		case slices.ContainsFunc(c.Given, named):
			errs = append(errs, c.Err)
		default:
			env.warn("left out: %s", strings.ReplaceAll(c.Err.Error(), "\n", "; "))
		}
	}
	if len(loaded) > 0 && !quiet {
		other := "" // than the plugins' clang
		if !strings.Contains(strings.ToLower(kernels.Compiler()), "clang") {
			other = "; clang compiled them, and " + kernels.Compiler() + " the zoo: on a CPU that alone changes rates"
		}
		env.warn("plugins run native code with all your rights: %s%s", strings.Join(loaded, ", "), other)
	}
	return errors.Join(errs...)
}

func (env *Env) warn(format string, args ...any) {
	fmt.Fprintf(env.Err, "hashzoo: %s\n", results.Plain(fmt.Sprintf(format, args...)))
}

//go:embed help.txt
var helpTexts string

// describe gives commands their arguments, texts and examples, which are in help.txt.
func describe(root *cobra.Command) {
	for _, section := range strings.Split(helpTexts, "\n# ")[1:] {
		usage, text, _ := strings.Cut(section, "\n")
		short, text, _ := strings.Cut(text, "\n")
		command, arguments, err := root.Find(strings.Fields(usage))
		if err != nil || command == root {
			panic("help.txt: there is no command " + usage)
		}
		long, examples, _ := strings.Cut(text, "\n\n  ")
		command.Use = strings.Join(append([]string{command.Name()}, arguments...), " ")
		command.Short, command.Long = short, strings.TrimSpace(long)
		if examples != "" {
			command.Example = "  " + strings.TrimSpace(examples)
		}
	}
}
