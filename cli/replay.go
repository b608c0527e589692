package cli

import (
	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/workloads/record"
)

var _ = register(newReplayCommand)

const replayLong = `Run the batches of a recording again, without the script, on the schemes of the original
run or on others, on any device. Every batch must have the recorded input. If a result
differs, the batch is reported and the exit code is 1. Where an outcome depends on the
order of operations on a key, it must be a legal one: an oracle checks that in small
recordings, and in larger ones with --verify.`

const replayExample = `  hashzoo run quickstart --record quick.rec
  hashzoo replay quick.rec
  hashzoo replay quick.rec --schemes all --device cuda:0 --verify
  hashzoo replay quick.rec --pace recorded --speed 2`

func newReplayCommand(env *Env) *cobra.Command {
	r := newRunFlags(env)
	command := &cobra.Command{
		Use:     "replay RECORDING",
		Short:   "run a recording again and compare the results",
		Long:    replayLong,
		Example: replayExample,
		RunE:    r.replay,
	}
	r.flags(command, append(replayFlags, "schemes")...)
	env.usesSchemes(command, "device", "threads", "repeat.noise", "engine.batch_timeout")
	r.flags(command, append(allFlags, "keep-going", "quiet")...)
	return command
}

// replay runs the recording that the command line names.
func (r *runFlags) replay(c *cobra.Command, args []string) error {
	if !record.Is(args[0]) {
		_, err := record.Open(args[0], false) // for its error
		return usage(err)
	}
	return r.runNamed(c, args[0])
}
