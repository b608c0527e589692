package cli

import (
	"encoding/json"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/results"
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
		s := settings.Find(key)
		command.Flags().Var(settingFlag{s.At(&env.Settings.Settings), env, s}, s.Flag, s.Help)
		if key == "device" {
			_ = command.RegisterFlagCompletionFunc(s.Flag, completeDevices)
		}
	}
	command.PreRunE = func(*cobra.Command, []string) error { return usage(env.load()) }
}

// settingFlag is a setting as a flag. It is set once the other sources have been read.
type settingFlag struct {
	settings.Value
	env     *Env
	setting settings.Setting
}

func (f settingFlag) Set(value string) error {
	if err := f.setting.Check(value); err != nil {
		return err
	}
	f.env.given = append(f.env.given, given{f.setting, value})
	return nil
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

// open opens the device that the settings name.
func (env *Env) open() (device.Device, error) {
	id, err := devices.Parse(env.Settings.Device)
	if err != nil {
		return nil, usage(err)
	}
	return id.Open(device.Options{Threads: env.Settings.Threads})
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
			return env.printJSON(data)
		}
		return text()
	}
	return command
}

// lines prints lines that scripts and files may have a part in.
func (env *Env) lines(list []string) error { return results.Table{}.Print(env.Out, list...) }

// printJSON prints a value for --json.
func (env *Env) printJSON(v any) error {
	e := json.NewEncoder(env.Out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
