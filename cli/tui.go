package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/tui"
	"github.com/hashzoo/hashzoo/workloads/record"
)

var _ = register(newTUICommand)

const tuiLong = `Run a script on schemes side by side, or replay a recording, and watch it live. Without
SCRIPT you choose in the terminal what is run, and on which schemes. ? shows the keys.

A scheme that lacks what the script asks for is left out, one that fails is put aside, and
both say why. In the end the table is printed as hashzoo run prints it, and results and
recordings are written where the flags say.`

func tuiExample() string {
	first, last := schemes.All()[0], schemes.All()[len(schemes.All())-1]
	return fmt.Sprintf(`  hashzoo tui
  hashzoo tui quickstart
  hashzoo tui ycsb/a --schemes %s,%s --count --json results.json
  hashzoo tui quick.rec --pace recorded`, first.Name, last.Name)
}

func newTUICommand(env *Env) *cobra.Command {
	_, command := newTUI(env)
	return command
}

// newTUI is the command, and the session of its flags.
func newTUI(env *Env) (*session, *cobra.Command) {
	s := newSession(env)
	s.keepGoing = true
	command := &cobra.Command{
		Use:               "tui [SCRIPT|RECORDING]",
		Short:             "watch schemes side by side, live in the terminal",
		Long:              tuiLong,
		Example:           tuiExample(),
		Args:              atMost(1),
		ValidArgsFunction: completeScripts,
		RunE: func(c *cobra.Command, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			return s.watch(c.Context(), name)
		},
	}
	command.Flags().SortFlags = false
	s.schemeFlag(command, "(default: all)")
	s.scriptFlags(command)
	s.replayFlags(command)
	env.usesSchemes(command, append(scriptSettings, "tui.rate", "tui.ascii", "tui.theme", "tui.keys")...)
	s.flags(command)
	return &s, command
}

// watch shows the interface, and prints what came of the last run.
func (s *session) watch(ctx context.Context, name string) error {
	if err := s.interactive(name); err != nil {
		return err
	}
	in := s.Settings.TUI
	options := tui.Options{Keys: in.Keys, Hz: in.Rate, Ascii: in.ASCII, Theme: in.Theme}
	if _, err := tui.Bound(in.Keys); err != nil {
		return usage(fmt.Errorf("tui.keys (%s): %w", s.Settings.From["tui.keys"], err))
	}
	if name != "" {
		choice := s.choice(name)
		options.Choice = &choice
	}
	h := &host{template: s, ctx: ctx}
	forget := devices.Remember(s.Env.Out.(*os.File), tui.Leave)
	err := tui.Show(ctx, h, options)
	forget()
	return errors.Join(err, h.finish())
}

// interactive says what is wrong with the command line or the place that it was given in.
func (s *session) interactive(name string) error {
	if !s.table() {
		return misused(errors.New("--json - and --ndjson - want the standard output, and tui draws there: give them a file"))
	}
	for _, f := range []any{s.Env.In, s.Env.Out} {
		if file, ok := f.(*os.File); !ok || !term.IsTerminal(file.Fd()) {
			return usage(fmt.Errorf("tui needs a terminal, and this is none: hashzoo run %s prints the same at the end", orScript(name)))
		}
	}
	if name == "" {
		return nil
	}
	wrong, kind := []string{"pace", "speed", "figures", "partial"}, "recording"
	if record.Is(name) {
		wrong, kind = []string{"set", "axis"}, "script"
	}
	for _, flag := range wrong {
		if s.changed(flag) {
			return misused(fmt.Errorf("--%s goes with a %s, and %s is none", flag, kind, name))
		}
	}
	return nil
}

func orScript(name string) string {
	if name == "" {
		return "SCRIPT"
	}
	return name
}
