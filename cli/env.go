package cli

import (
	"encoding/json"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
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
		command.Flags().Var(settingFlag{env, s}, s.Flag, s.Help)
		if key == "device" {
			_ = command.RegisterFlagCompletionFunc(s.Flag, completeDevices)
		}
	}
	command.PreRunE = func(*cobra.Command, []string) error { return usage(env.load()) }
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

// printJSON prints a value for --json.
func (env *Env) printJSON(v any) error {
	e := json.NewEncoder(env.Out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
