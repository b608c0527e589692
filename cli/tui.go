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
	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/runtime/compile"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/tui"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/session"
	"github.com/hashzoo/hashzoo/workloads/step"
)

const tuiStep = "show the operations of a scheme on a small table, step by step: name[:param=value,...]"

func newTUICommand(env *Env) *cobra.Command {
	r := newRunFlags(env)
	r.request.KeepGoing, r.request.LeaveOut = true, true
	command := &cobra.Command{Use: "tui", RunE: func(c *cobra.Command, args []string) error {
		q, err := r.complete(strings.Join(args, ""))
		if err != nil {
			return err
		}
		return r.watch(c.Context(), q)
	}}
	r.flags(command, slices.Concat([]string{"schemes"}, scriptFlags, replayFlags)...)
	env.usesSchemes(command, append(scriptSettings, "tui.rate", "tui.ascii", "tui.theme", "tui.keys")...)
	r.flags(command, slices.Concat(allFlags, measureFlags)...)
	command.Flags().StringVar(&r.step, "step", "", tuiStep)
	_ = command.RegisterFlagCompletionFunc("step", env.completeSchemes)
	return command
}

func (r *runFlags) watch(ctx context.Context, q session.Request) error {
	name, options := q.Script, r.Settings.TUI
	if r.changed("step") {
		config, err := r.stepScheme(name)
		if err != nil {
			return err
		}
		options.Step = &config
	}
	if err := r.interactive(name); err != nil {
		return err
	}
	if r.Settings.From["tui.ascii"] == settings.FromDefault && !showsUnicode() {
		options.Ascii = true
	}
	if _, err := tui.Bound(options.Keys); err != nil {
		return usage(fmt.Errorf("tui.keys (%s): %w", r.Settings.From["tui.keys"], err))
	}
	if name != "" {
		options.Choice = &q.Choice
	}
	options.Listen = func(say func(string)) {
		compile.OnCompile = func(c compile.Compiling) {
			say(cmp.Or(c.Text(), fmt.Sprintf("compiling %s: %d of %d", c.What, c.Done, c.Of)))
		}
	}
	h := session.NewHost(ctx, q)
	forget := devices.Remember(os.Stdout, tui.Leave)
	err := tui.Show(ctx, h, options)
	forget()
	return errors.Join(err, r.finish(h.Runs()))
}

// stepScheme is the scheme that is shown step by step. There is no run then, so nothing that a run takes.
func (r *runFlags) stepScheme(name string) (config schemes.Config, err error) {
	if name != "" {
		return config, misused(fmt.Errorf("--step shows a scheme and runs no script, but %s was given", name))
	}
	runs := slices.Concat([]string{"schemes"}, scriptFlags, replayFlags, allFlags, measureFlags)
	if err := r.refuse(runs, "--step shows a scheme and runs no script: leave out --%s"); err != nil {
		return config, err
	}
	if config, err = schemes.Parse(r.step); err == nil {
		err = step.Instrumented(config)
	}
	return config, usage(err)
}

// showsUnicode reports whether the locale, if there is one, has an encoding of Unicode.
func showsUnicode() bool {
	locale := strings.ToLower(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG"), "utf-8"))
	return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
}

// finish prints the tables of all runs that are kept. Only an error of the last one is one of the command.
func (r *runFlags) finish(runs []session.Run) (err error) {
	const patience = 300 * time.Millisecond // how long a batch may run after the interface was closed before a message says so
	for i, one := range runs {
		if len(runs) > 1 {
			fmt.Fprintf(r.Out, "%srun %d: ", strings.Repeat("\n", min(i, 1)), one.Number)
		}
		w := one.Steered.(*session.Watched)
		left, failure := w.Wait(patience, func() {
			fmt.Fprintln(r.Err, "stopping after this batch; interrupt to stop at once")
		})
		err = errors.Join(failure, r.print(w.Session, failure), r.settled(w.Document.Rows))
		if left {
			fmt.Fprintln(r.Out, "stopped: the results cover what was measured so far")
		}
		if err != nil && i+1 < len(runs) {
			fmt.Fprintln(r.Out, "failed: "+err.Error())
		}
	}
	return err
}

// interactive checks the command line and that there is a terminal.
func (r *runFlags) interactive(name string) error {
	if !r.table() {
		return misused(errors.New("--json - and --ndjson - need standard output, where tui draws; hint: name a file"))
	}
	hint := lists.Either(r.step != "", "hashzoo explain "+r.step+" prints what it shows",
		fmt.Sprintf("hashzoo run %s prints the same table", cmp.Or(name, "SCRIPT")))
	for _, file := range []*os.File{os.Stdin, os.Stdout} {
		if !term.IsTerminal(file.Fd()) {
			return usage(errors.New("tui needs a terminal; hint: " + hint))
		}
	}
	if kind := os.Getenv("TERM"); kind == "" || kind == "dumb" {
		return usage(fmt.Errorf("tui cannot draw on a terminal of the kind %q (TERM); hint: %s", kind, hint))
	}
	switch {
	case name == "":
		return nil
	case record.Is(name):
		return r.refuse(slices.Concat(scriptFlags, measureFlags), "--%s needs a script, which %s is not", name)
	}
	return r.refuse(replayFlags, "--%s needs a recording, which %s is not", name)
}
