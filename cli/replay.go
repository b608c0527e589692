package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/run"
)

var _ = register(newReplayCommand)

const replayLong = `Run a recording again: the batches that were recorded, on the schemes that the run was
on or on others, on any device, without the script. Every batch must have the input that
was recorded; another result is reported with the batch, and the exit code is 1. Where
an outcome depends on which of several operations on a key was first, it has to be a
legal one: an oracle checks that in small recordings, in larger ones with --verify.`

const replayExample = `  hashzoo run quickstart --record quick.rec
  hashzoo replay quick.rec
  hashzoo replay quick.rec --schemes all --device cuda:0 --verify
  hashzoo replay quick.rec --pace recorded --speed 2`

func newReplayCommand(env *Env) *cobra.Command {
	r := replayCommand{session: session{Env: env, output: output{env: env}}}
	command := &cobra.Command{
		Use:     "replay RECORDING",
		Short:   "run a recording again, and compare",
		Long:    replayLong,
		Example: replayExample,
		Args:    exactly("RECORDING"),
		RunE:    r.run,
	}
	f := command.Flags()
	f.SortFlags = false
	r.session.schemeFlag(command, "or all, those that can (default: those of the run)")
	env.uses(command, "device", "threads", "repeat.noise", "engine.batch_timeout")
	f.StringVar(&r.pace, "pace", "asap", "when batches of stages are due: `pace` is "+record.PaceHelp)
	f.Float64Var(&r.speed, "speed", 1, "with --pace recorded: so many times as fast")
	f.BoolVar(&r.figures, "figures", false, "compare inputs and counts only, so that the kernels need not write down every outcome: for figures")
	f.BoolVar(&r.partial, "partial", false, "of a recording that is cut off, replay what is there")
	r.session.flags(command)
	return command
}

type replayCommand struct {
	session
	pace    string
	speed   float64
	partial bool
	figures bool
}

func (r *replayCommand) run(command *cobra.Command, args []string) error {
	pace, err := r.pacing(command)
	if err != nil {
		return misused(err)
	}
	recording, err := record.Open(args[0], r.partial)
	if err != nil {
		return usage(err)
	}
	defer recording.Close()
	if r.Settings.Seed = recording.Seed; sameFile(args[0], r.record) {
		return misused(fmt.Errorf("--record is %s, which is being replayed: it takes another file", r.record))
	}
	plan, err := r.plan(recording, pace)
	if err != nil {
		return usage(err)
	}
	dev, err := r.Env.open()
	if err != nil {
		return err
	}
	return r.carryOut(command.Context(), dev, job{
		plan: plan, header: recording.Header,
		script: &results.Script{Name: recording.Script.Name, Source: recording.Script.Source, Options: recording.Provenance()},
		name:   args[0], title: recording.Title(), axes: recording.Axes(), watch: func() {},
		ended:   cmp.Or(recording.Stopped, recording.Cut),
		checker: func(next run.Listener) *record.Checker { return record.NewChecker(recording, plan.Verify, next) },
	})
}

// sameFile says whether two paths lead to one file that is there.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, otherErr := os.Stat(b)
	return err == nil && otherErr == nil && os.SameFile(first, second)
}

func (r *replayCommand) pacing(command *cobra.Command) (record.Pace, error) {
	pace, err := record.ParsePace(r.pace)
	if err != nil {
		return pace, fmt.Errorf("--%w", err)
	}
	given := command.Flags().Changed("speed")
	switch {
	case given && !pace.Recorded:
		return pace, errors.New("--speed goes with --pace recorded: it scales that")
	case !(r.speed >= 1e-6 && r.speed <= 1e6):
		return pace, fmt.Errorf("--speed is %g: it takes a number from 0.000001 to 1000000", r.speed)
	}
	pace.Speed = r.speed
	return pace, nil
}

// plan is what the recording and the settings ask for.
func (r *replayCommand) plan(recording *record.Recording, pace record.Pace) (run.Plan, error) {
	s := r.Settings
	plan := run.Plan{Script: &record.Replay{Recording: recording, Pace: pace}, Seed: recording.Seed, Policy: s.Repeat, Timeout: s.BatchTimeout,
		Points: recording.Coordinates(), Verify: r.verify, Counted: r.count, Digests: !r.figures}
	var err error
	switch list := strings.Join(r.schemes, ","); list {
	case "":
		plan.Schemes, err = recording.Schemes()
		plan.LeaveOut = len(plan.Schemes) > 1
	case "all":
		plan.LeaveOut = true
		plan.Schemes, err = schemeList(nil)
	default:
		plan.Schemes, err = schemeList(r.schemes)
	}
	if !r.figures && recording.WantsOracle(len(plan.Schemes)) {
		plan.Verify = true
	}
	return plan, err
}
