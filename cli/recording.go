package cli

import (
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/record"
)

var _ = register(newRecordingCommand)

func newRecordingCommand(env *Env) *cobra.Command {
	command := &cobra.Command{
		Use:   "recording",
		Short: "look at recordings, import traces, export tables",
	}
	command.AddCommand(newRecordingInfo(env), newRecordingVerify(env), newRecordingShow(env), newRecordingDiff(env),
		newRecordingImport(env), newRecordingExport(env))
	return command
}

// partialFlag adds --partial, a flag of all commands that read a recording.
func partialFlag(command *cobra.Command) *bool {
	return command.Flags().Bool("partial", false, "take a recording that was cut off as far as it goes")
}

// reading makes a command run f on the recording that its first argument names.
func reading(command *cobra.Command, f func(*record.Recording, []string) error) *cobra.Command {
	partial := partialFlag(command)
	command.RunE = func(_ *cobra.Command, args []string) error {
		r, err := record.Open(args[0], *partial)
		if err != nil {
			return usage(err)
		}
		defer r.Close()
		return f(r, args)
	}
	return command
}

func newRecordingInfo(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "info RECORDING", Short: "describe a recording", Args: exactly("RECORDING")}
	return reading(command, func(r *record.Recording, _ []string) error {
		for _, line := range r.Info() {
			fmt.Fprintf(env.Out, "%-12s %s\n", line[0], results.Plain(line[1]))
		}
		return nil
	})
}

const verifyLong = `Read a whole recording, compare it with its digest, and generate every batch to check
that it has the recorded input. hashzoo replay --verify also checks the results.`

func newRecordingVerify(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "verify RECORDING", Short: "check that a recording is whole and generates the recorded batches",
		Long: verifyLong, Args: exactly("RECORDING")}
	env.uses(command, "device", "threads")
	return reading(command, func(r *record.Recording, args []string) error {
		return env.withDevice(func(dev device.Device) error {
			if err := r.Verify(dev); err != nil {
				return fmt.Errorf("recording %s: %w", args[0], err)
			}
			fmt.Fprintf(env.Out, "%s: %d batches have the recorded input\n", args[0], r.Batches())
			return nil
		})
	})
}

// withDevice calls f with the device of the settings.
func (env *Env) withDevice(f func(device.Device) error) error {
	dev, err := env.open()
	if err != nil {
		return err
	}
	return errors.Join(f(dev), dev.Close())
}

func newRecordingShow(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "show RECORDING", Short: "list the batches of a recording", Args: exactly("RECORDING")}
	from := command.Flags().Uint64("from", 1, "the first batch to list")
	to := command.Flags().Uint64("to", math.MaxUint64, "the last batch to list")
	command.Flags().Lookup("to").DefValue = "the end"
	return reading(command, func(r *record.Recording, _ []string) error { return r.Table(*from, *to).Print(env.Out) })
}

const diffLong = `Compare two recordings: the options and settings that differ, and the first batch that
differs in its input, counts or result. The exit code is 1 if they differ.`

func newRecordingDiff(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "diff A B", Short: "show where two recordings differ", Long: diffLong, Args: exactly("A", "B")}
	partial := partialFlag(command)
	command.RunE = func(_ *cobra.Command, args []string) error {
		var pair []*record.Recording
		for _, path := range args {
			r, err := record.Open(path, *partial)
			if err != nil {
				return usage(err)
			}
			defer r.Close()
			pair = append(pair, r)
		}
		list := record.Diff(pair[0], pair[1])
		for _, line := range list {
			fmt.Fprintln(env.Out, results.Plain(line))
		}
		if len(list) > 0 {
			return fmt.Errorf("%s and %s differ", args[0], args[1])
		}
		return nil
	}
	return command
}
