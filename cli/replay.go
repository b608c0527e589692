package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/workloads/record"
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
	s := newSession(env)
	command := &cobra.Command{
		Use:     "replay RECORDING",
		Short:   "run a recording again, and compare",
		Long:    replayLong,
		Example: replayExample,
		Args:    exactly("RECORDING"),
		RunE:    func(c *cobra.Command, args []string) error { return s.replay(c.Context(), args[0]) },
	}
	command.Flags().SortFlags = false
	s.schemeFlag(command, "or all, those that can (default: what was recorded)")
	env.usesSchemes(command, "device", "threads", "repeat.noise", "engine.batch_timeout")
	s.replayFlags(command)
	s.flags(command)
	s.plainFlags(command)
	return command
}

// replayFlags are what can be chosen about a replay.
func (s *session) replayFlags(command *cobra.Command) {
	f := command.Flags()
	f.StringVar(&s.tempo, "pace", "asap", "when batches of stages are due: `pace` is "+record.PaceHelp)
	f.Float64Var(&s.speed, "speed", 1, "with --pace recorded: so many times as fast")
	f.BoolVar(&s.figures, "figures", false, "compare inputs and counts only, so that the kernels need not write down every outcome: for figures")
	f.BoolVar(&s.partial, "partial", false, "of a recording that is cut off, replay what is there")
}

// replay runs a recording again.
func (s *session) replay(ctx context.Context, path string) error {
	j, err := s.replayJob(s.choice(path))
	if err != nil {
		return usage(err)
	}
	for _, text := range j.replays.Plugins() {
		s.warn("%s", text)
	}
	return s.carryOut(ctx, j)
}

// sameFile says whether two paths lead to one file that is there.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, otherErr := os.Stat(b)
	return err == nil && otherErr == nil && os.SameFile(first, second)
}

// pacing is what the flags say of when batches are due.
func (s *session) pacing() (record.Pace, error) {
	pace, err := record.ParsePace(s.tempo)
	if err != nil {
		return pace, fmt.Errorf("--%w", err)
	}
	switch {
	case s.changed("speed") && !pace.Recorded:
		return pace, errors.New("--speed goes with --pace recorded: it scales that")
	case !(s.speed >= 1e-6 && s.speed <= 1e6):
		return pace, fmt.Errorf("--speed is %g: it takes a number from 0.000001 to 1000000", s.speed)
	}
	pace.Speed = s.speed
	return pace, nil
}
