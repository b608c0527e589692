package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/tui"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/session"
)

const tuiLong = `Run a script on schemes side by side, or replay a recording, and watch it live. Without
SCRIPT, choose the script and the schemes in the terminal. ? shows the keys.

Schemes that lack something the script asks for are left out, a scheme that fails does not
end the run of the others, and the screen says why. At the end the program prints the same
table as hashzoo run, and writes the results and recordings that the flags name.`

const tuiExample = `  hashzoo tui
  hashzoo tui quickstart
  hashzoo tui ycsb/a --schemes FIRST,LAST --count --json results.json
  hashzoo tui quick.rec --pace recorded`

func newTUICommand(env *Env) *cobra.Command {
	r := newRunFlags(env)
	r.request.KeepGoing, r.request.LeaveOut = true, true
	command := &cobra.Command{
		Use:               "tui [SCRIPT|RECORDING]",
		Short:             "watch schemes side by side, live in the terminal",
		Long:              tuiLong,
		Example:           example(tuiExample),
		ValidArgsFunction: completeScripts,
		RunE:              func(c *cobra.Command, args []string) error { return r.show(c.Context(), strings.Join(args, "")) },
	}
	r.flags(command, slices.Concat([]string{"schemes"}, scriptFlags, replayFlags)...)
	env.usesSchemes(command, append(scriptSettings, "tui.rate", "tui.ascii", "tui.theme", "tui.keys")...)
	r.flags(command, allFlags...)
	return command
}

// host starts sessions for the interface.
type host struct{ *session.Host }

func (h host) Start(c session.Choice) (tui.Session, error) {
	w, err := h.Host.Start(c)
	if err != nil {
		return nil, err
	}
	return w, nil
}

func (r *runFlags) show(ctx context.Context, name string) error {
	if err := r.interactive(name); err != nil {
		return err
	}
	options := r.Settings.TUI
	if r.Settings.From["tui.ascii"] == settings.FromDefault && !showsUnicode() {
		options.Ascii = true
	}
	if _, err := tui.Bound(options.Keys); err != nil {
		return usage(fmt.Errorf("tui.keys (%s): %w", r.Settings.From["tui.keys"], err))
	}
	q, err := r.complete(name)
	if err != nil {
		return err
	}
	if name != "" {
		options.Choice = &q.Choice
	}
	h := host{session.NewHost(ctx, q)}
	forget := devices.Remember(os.Stdout, tui.Leave)
	err = tui.Show(ctx, h, options)
	forget()
	return errors.Join(err, r.finish(h.Last()))
}

// showsUnicode reports whether the locale, if there is one, has an encoding of Unicode.
func showsUnicode() bool {
	locale := strings.ToLower(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG"), "utf-8"))
	return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
}

// patience is how long a batch may run after the interface was closed before a message says so.
const patience = 300 * time.Millisecond

func (r *runFlags) finish(w *session.Watched) error {
	if w == nil {
		return nil
	}
	left, failure := w.Wait(patience, func() {
		fmt.Fprintln(r.Err, "stopping after this batch; interrupt to stop at once")
	})
	err := errors.Join(failure, r.print(w.Session, failure))
	if left && r.table() {
		fmt.Fprintln(r.Out, "stopped: the results cover what was measured so far")
	}
	return err
}

// interactive checks the command line and that there is a terminal.
func (r *runFlags) interactive(name string) error {
	if !r.table() {
		return misused(errors.New("--json - and --ndjson - need standard output, where tui draws; hint: name a file"))
	}
	for _, file := range []*os.File{os.Stdin, os.Stdout} {
		if !term.IsTerminal(file.Fd()) {
			return usage(fmt.Errorf("tui needs a terminal; hint: hashzoo run %s prints the same table", cmp.Or(name, "SCRIPT")))
		}
	}
	if kind := os.Getenv("TERM"); kind == "" || kind == "dumb" {
		return usage(fmt.Errorf("tui cannot draw on a terminal of the kind %q (TERM); hint: hashzoo run %s prints the same table",
			kind, cmp.Or(name, "SCRIPT")))
	}
	if name == "" {
		return nil
	}
	wrong, kind := replayFlags, "recording"
	if record.Is(name) {
		wrong, kind = scriptFlags, "script"
	}
	for _, flag := range wrong {
		if r.changed(flag) {
			return misused(fmt.Errorf("--%s needs a %s, which %s is not", flag, kind, name))
		}
	}
	return nil
}
