package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// session is a run of schemes side by side, of a script or of a recording.
type session struct {
	*Env
	output
	schemes              []string
	sort                 string
	count, verify, quiet bool
	record               string
	materialise          bool

	progress *watcher
	recorder *record.Recorder
}

// job is what a session carries out.
type job struct {
	plan        run.Plan
	script      *results.Script // for the results
	header      record.Header   // for a recording
	name, title string
	axes        []run.Axis
	watch       func() // called when the progress can be shown
	checker     func(run.Listener) *record.Checker
	ended       string // why the run that is replayed ended early; empty if it did not
}

func (s *session) schemeFlag(command *cobra.Command, otherwise string) {
	command.Flags().StringArrayVar(&s.schemes, "schemes", nil, "`schemes` to run it on, as in a,b:param=value,param=value,c "+otherwise)
}

func (s *session) flags(command *cobra.Command) {
	f := command.Flags()
	f.BoolVar(&s.count, "count", false, "count probes and the like too: give all batches to a second table, of instrumented kernels")
	f.BoolVar(&s.verify, "verify", false, "check all batches against an oracle, and the tables after each phase; takes memory and time")
	f.StringVar(&s.record, "record", "", "write a recording to this `file`: what all schemes are asked, and what the first gives")
	f.BoolVar(&s.materialise, "materialise", false, "record the numbers themselves, not only the expressions that make them")
	f.StringVar(&s.sort, "sort", "", "sort the schemes by a `column` of the table")
	f.BoolVar(&s.quiet, "quiet", false, "show no progress")
	s.output.flags(command)
}

var errInterrupted = errors.New("interrupted: the results end with what was measured until then")

// carryOut runs a job on a device, which is closed then.
func (s *session) carryOut(ctx context.Context, dev device.Device, j job) error {
	if err := s.output.open(dev, j.script); err != nil {
		return err
	}
	listener, err := s.listener(dev, &j)
	if err != nil {
		return usage(err)
	}
	var checker *record.Checker
	if j.checker != nil {
		checker = j.checker(listener)
		listener = checker
	}
	s.progress = newWatcher(ctx, s.Env, s.quiet)
	j.watch()
	err = run.Run(ctx, dev, j.plan, listener)
	s.progress.end()
	interrupted := err != nil && ctx.Err() != nil
	switch {
	case interrupted:
		err, j.ended = errInterrupted, "it was interrupted"
	case err != nil && !errors.Is(err, run.ErrThreshold):
		j.ended = err.Error()
	}
	err = errors.Join(mistaken(err), s.print(j, checker, err), s.closeRecording(j.ended))
	if checker != nil && err == nil {
		err = checker.Err()
	}
	err = errors.Join(err, s.output.close(err, interrupted))
	return closeAfter(dev, err)
}

// closeAfter closes a device, unless what ended was a kernel that hangs: the device's
// memory is still in use then.
func closeAfter(dev device.Device, err error) error {
	if hang := new(engine.HangError); errors.As(err, &hang) {
		return err
	}
	return errors.Join(err, dev.Close())
}

// listener is the session, after the recorder if there is one.
func (s *session) listener(dev device.Device, j *job) (run.Listener, error) {
	if s.record == "" {
		if s.materialise {
			return nil, errors.New("--materialise goes with --record: it says how to record")
		}
		return s, nil
	}
	j.header.Kind = record.Recipe
	if s.materialise {
		j.header.Kind = record.Materialised
	}
	j.header.Device, j.header.Started = dev.Info().Name+", "+dev.Info().Model, s.document.Run.Started.UTC().Format("2006-01-02T15:04:05Z")
	j.plan.Digests = true
	var err error
	s.recorder, err = record.NewRecorder(s.record, j.header, dev)
	return s, err
}

// closeRecording ends the recording, which says why if the run ended early.
func (s *session) closeRecording(early string) error {
	if s.recorder == nil {
		return nil
	}
	var err error
	if early != "" {
		err = s.recorder.Stopped(early)
	}
	if err = errors.Join(err, s.recorder.Close()); err != nil {
		return err
	}
	if s.output.table() {
		fmt.Fprintf(s.Env.Out, "recording: %s\n", s.record)
	}
	return nil
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
	s.progress.hear(e)
	if s.recorder != nil {
		if err := s.recorder.Hear(e); err != nil {
			return err
		}
	}
	ended, ok := e.(run.PointEnded)
	if !ok {
		return nil
	}
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

// print writes the table. A wrong --sort must not cost the results of a run.
func (s *session) print(j job, checker *record.Checker, failure error) error {
	rows, summaries := s.document.Rows, s.document.Summaries
	if len(rows) == 0 || !s.output.table() {
		return nil
	}
	report, wrong := run.NewReport(j.axes, rows, summaries, s.sort)
	fmt.Fprintf(s.Env.Out, "%s on %s, seed %d\n", j.name, s.output.device(), j.plan.Seed)
	if j.title != "" {
		fmt.Fprintln(s.Env.Out, results.Plain(j.title))
	}
	fmt.Fprintln(s.Env.Out)
	if err := report.Table().Print(s.Env.Out); err != nil {
		return err
	}
	remarks := append(report.LeftOut(s.document.LeftOut), report.Remarks(summaries)...)
	if checker != nil {
		for _, v := range checker.Verdicts() {
			remarks = append(remarks, v.String())
		}
	}
	if j.plan.Verify && (failure == nil || errors.Is(failure, run.ErrThreshold)) {
		remarks = append(remarks, "verified: all batches and tables agree with the oracle")
	}
	for i, remark := range remarks {
		if i == 0 {
			fmt.Fprintln(s.Env.Out)
		}
		fmt.Fprintln(s.Env.Out, results.Plain(remark))
	}
	return usage(wrong)
}
