package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/workloads/record"
)

const runLong = `Run a script on schemes side by side: one that ships (hashzoo scripts lists them), or
your own. Without --schemes it runs on all schemes of the zoo, with their defaults,
except those that lack something the script asks for, which the output names. Schemes
take turns batch by batch and get the same input.

hashzoo run SCRIPT --help lists the options and axes of a script. Rates are of completed
operations, by the device's own clock.`

const runExample = `  hashzoo run quickstart
  hashzoo run quickstart --help
  hashzoo run rates --set n=20M --axis load=0.5:0.9:0.1 --sort "100% find"
  hashzoo run ycsb/a --schemes FIRST,LAST --device cuda:0 --count --json results.json
  hashzoo run my.lua --seed 7 --verify`

func newRunCommand(env *Env) *cobra.Command {
	r := newRunFlags(env)
	command := &cobra.Command{
		Use:               "run SCRIPT",
		Short:             "run a script on schemes side by side",
		Long:              runLong,
		Example:           example(runExample),
		ValidArgsFunction: completeScripts,
		RunE:              r.runScript,
	}
	r.flags(command, append(scriptFlags, "schemes")...)
	env.usesSchemes(command, scriptSettings...)
	r.flags(command, append(allFlags, "keep-going", "quiet")...)
	usual := command.HelpFunc()
	command.SetHelpFunc(func(c *cobra.Command, args []string) {
		if name := c.Flags().Arg(0); name != "" {
			env.failed = usage(env.scriptHelp(name))
		} else {
			usual(c, args)
		}
	})
	return command
}

func (r *runFlags) runScript(c *cobra.Command, args []string) error {
	if record.Is(args[0]) {
		return usage(fmt.Errorf("%s is a recording, run takes a script; hint: hashzoo replay %s", args[0], args[0]))
	}
	return r.runNamed(c, args[0])
}

func (r *runFlags) runNamed(c *cobra.Command, name string) error {
	q, err := r.complete(name)
	if err != nil {
		return err
	}
	return r.run(c.Context(), q)
}

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

func (r *runFlags) replay(c *cobra.Command, args []string) error {
	if !record.Is(args[0]) {
		_, err := record.Open(args[0], false) // for its error
		return usage(err)
	}
	return r.runNamed(c, args[0])
}
