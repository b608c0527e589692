package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/tui"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// session is a run of schemes side by side, of a script or of a recording.
type session struct {
	*Env
	output
	asked
	job
	dev      device.Device
	recorder *record.Recorder
	begun    bool            // the recording was begun by the user, while the run goes on
	checker  *record.Checker // of a replay
	progress func(run.Event) // what else is told

	interruption error // what the end is if the run is stopped; nil: all is well
}

// asked is what flags ask for.
type asked struct {
	changed              func(flag string) bool
	schemes              []string
	sort                 string
	count, verify, quiet bool
	keepGoing, gauges    bool
	record               string
	materialise          bool

	set, axis []string // of a script

	tempo            string // of a replay
	speed            float64
	partial, figures bool
}

func newSession(env *Env) session {
	return session{Env: env, output: output{env: env}, interruption: errInterrupted}
}

// flags are those of all commands that run something.
func (s *session) flags(command *cobra.Command) {
	f := command.Flags()
	s.changed = f.Changed
	f.BoolVar(&s.count, "count", false, "count probes and the like too: give all batches to a second table, of instrumented kernels")
	f.BoolVar(&s.gauges, "gauges", false, "look inside the tables when a phase has ended, and print what that was like at the end of each point")
	f.BoolVar(&s.verify, "verify", false, "check all batches against an oracle, and the tables after each phase; takes memory and time")
	f.StringVar(&s.record, "record", "", "write a recording to this `file`: what all schemes are asked, and what the first gives")
	f.BoolVar(&s.materialise, "materialise", false, "record the numbers themselves, not only the expressions that make them")
	f.StringVar(&s.sort, "sort", "", "sort the schemes by a `column` of the table")
	s.output.flags(command)
}

// plainFlags are those of commands that run something without a terminal.
func (s *session) plainFlags(command *cobra.Command) {
	command.Flags().BoolVar(&s.keepGoing, "keep-going", false, "put a scheme aside that fails, and go on with the others; the exit code is 1 all the same")
	command.Flags().BoolVar(&s.quiet, "quiet", false, "show no progress")
}

func (s *session) schemeFlag(command *cobra.Command, otherwise string) {
	command.Flags().StringArrayVar(&s.schemes, "schemes", nil, "`schemes` to run it on, as in a,b:param=value,param=value,c "+otherwise)
}

// choice is what the flags choose.
func (s *session) choice(script string) tui.Choice {
	return tui.Choice{Script: script, Schemes: s.schemes, Device: s.Settings.Device, Seed: s.Settings.Seed, Set: s.set, Axis: s.axis}
}

var errInterrupted = errors.New("interrupted: the results end with what was measured until then")

// carryOut carries out a job, and prints what came of it.
func (s *session) carryOut(ctx context.Context, j job) error {
	if err := s.begin(j); err != nil {
		return err
	}
	watcher := newWatcher(ctx, s.Env, s.quiet)
	s.progress = watcher.hear
	j.tell(watcher.print)
	err := run.Run(ctx, s.dev, s.plan, s.heard(s))
	watcher.end()
	err = s.end(err, err != nil && ctx.Err() != nil)
	return errors.Join(err, s.print(err))
}

// begin opens the device, and what is written.
func (s *session) begin(j job) error {
	var err error
	s.job = j
	if s.gauges {
		s.plan.Look = run.AtEnds
	}
	if s.dev, err = s.Env.open(); err != nil {
		return errors.Join(err, j.close())
	}
	if err = s.output.open(s.dev, j.script); err == nil && s.record != "" {
		s.plan.Digests = true
		err = usage(s.recordTo(s.record))
	}
	if err != nil {
		return errors.Join(err, j.close(), s.dev.Close())
	}
	return nil
}

// heard is what a run is to tell its events to, so that a listener hears them.
func (s *session) heard(l run.Listener) run.Listener {
	if s.replays == nil {
		return l
	}
	s.checker = record.NewChecker(s.replays, s.plan.Verify, l)
	return s.checker
}

// recordTo begins a recording.
func (s *session) recordTo(path string) error {
	s.header.Kind = record.Recipe
	if s.materialise {
		s.header.Kind = record.Materialised
	}
	s.header.Device, s.header.Started = s.dev.Info().Name+", "+s.dev.Info().Model, s.document.Run.Started.UTC().Format("2006-01-02T15:04:05Z")
	var err error
	s.recorder, err = record.NewRecorder(path, s.header, s.dev)
	return err
}

// end writes and closes what is to be written and closed, after the run has ended with an
// error or nil.
func (s *session) end(err error, interrupted bool) error {
	ended := err
	switch {
	case interrupted:
		err, s.ended = s.interruption, "it was interrupted"
	case err != nil && !complete(err):
		s.ended = err.Error()
	}
	err = errors.Join(mistaken(err), s.closeRecording())
	if s.checker != nil && err == nil {
		err = s.checker.Err()
	}
	err = errors.Join(err, s.output.close(err, interrupted), s.job.close())
	return errors.Join(err, closeAfter(s.dev, ended))
}

// closeAfter closes a device after what ended with an error or nil, unless that was a
// kernel that hangs: the device's memory is still in use then.
func closeAfter(dev device.Device, ended error) error {
	if errors.As(ended, new(*engine.HangError)) {
		return nil
	}
	return dev.Close()
}

// complete says whether a run went to its end, with an error.
func complete(err error) bool {
	return errors.Is(err, run.ErrThreshold) || errors.As(err, new(run.SchemesFailed))
}

// closeRecording ends the recording, which says why if the run ended early.
func (s *session) closeRecording() error {
	if s.recorder == nil {
		return nil
	}
	var err error
	if s.ended != "" {
		err = s.recorder.Stopped(s.ended)
	}
	return errors.Join(err, s.recorder.Close())
}

// mistaken marks what is the script's fault as wrong usage.
func mistaken(err error) error {
	if mistake := new(run.ScriptError); errors.As(err, &mistake) {
		return usage(err)
	}
	return err
}

// Hear makes the session a run.Listener.
func (s *session) Hear(e run.Event) error {
	s.progress(e)
	if s.recorder != nil {
		if err := s.recorder.Hear(e); err != nil {
			return err
		}
	}
	if ended, ok := e.(run.PointEnded); ok {
		return s.keep(ended)
	}
	return nil
}

// keep takes the results of a point.
func (s *session) keep(ended run.PointEnded) error {
	for _, row := range ended.Rows {
		if err := s.output.row(row); err != nil {
			return err
		}
	}
	for _, summary := range ended.Summaries {
		if err := s.output.summary(summary); err != nil {
			return err
		}
	}
	for _, l := range ended.LeftOut {
		if err := s.output.leftOut(l); err != nil {
			return err
		}
	}
	return nil
}

// print writes the table and where the rest is, unless the standard output is not for
// people. A wrong --sort must not cost the results of a run.
func (s *session) print(failure error) error {
	if !s.output.table() {
		return nil
	}
	err := s.printTable(failure)
	if s.recorder != nil && s.record != "" {
		fmt.Fprintf(s.Env.Out, "recording: %s\n", s.record)
	}
	s.output.printPaths()
	return err
}

func (s *session) printTable(failure error) error {
	rows, summaries := s.document.Rows, s.document.Summaries
	if len(rows) == 0 && len(s.document.LeftOut) == 0 {
		return nil
	}
	report, wrong := run.NewReport(s.axes, rows, summaries, s.sort)
	fmt.Fprintf(s.Env.Out, "%s on %s, seed %d\n", s.name, s.output.device(), s.plan.Seed)
	if s.title != "" {
		fmt.Fprintln(s.Env.Out, results.Plain(s.title))
	}
	fmt.Fprintln(s.Env.Out)
	if err := report.Table().Print(s.Env.Out); err != nil {
		return err
	}
	if s.gauges {
		if err := printGauges(s.Env.Out, s.axes, summaries); err != nil {
			return err
		}
	}
	for i, remark := range s.remarks(report, failure) {
		if i == 0 {
			fmt.Fprintln(s.Env.Out)
		}
		fmt.Fprintln(s.Env.Out, results.Plain(remark))
	}
	return usage(wrong)
}

// remarks are the lines below the table.
func (s *session) remarks(report *run.Report, failure error) []string {
	list := append(report.LeftOut(s.document.LeftOut), report.Remarks(s.document.Summaries)...)
	if s.checker != nil {
		for _, v := range s.checker.Verdicts() {
			list = append(list, v.String())
		}
	}
	if faults := new(run.SchemesFailed); s.plan.Verify && (failure == nil || errors.Is(failure, run.ErrThreshold)) && !errors.As(failure, faults) {
		list = append(list, "verified: all batches and tables agree with the oracle")
	}
	return list
}
