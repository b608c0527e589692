package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/cli/settings"
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

// reading makes a command run f on the recording that its first argument names.
func reading(command *cobra.Command, f func(*record.Recording, []string) error) *cobra.Command {
	return readingAll(command, 1, func(r []*record.Recording, args []string) error { return f(r[0], args) })
}

// readingAll is reading for the first n arguments.
func readingAll(command *cobra.Command, n int, f func([]*record.Recording, []string) error) *cobra.Command {
	partial := command.Flags().Bool("partial", false, "take a recording that was cut off as far as it goes")
	command.RunE = func(_ *cobra.Command, args []string) error {
		var list []*record.Recording
		for _, path := range args[:n] {
			r, err := record.Open(path, *partial)
			if err != nil {
				return usage(err)
			}
			defer r.Close()
			list = append(list, r)
		}
		return f(list, args)
	}
	return command
}

func newRecordingInfo(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "info RECORDING", Short: "describe a recording"}
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
		Long: verifyLong}
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
	command := &cobra.Command{Use: "show RECORDING", Short: "list the batches of a recording"}
	from, to := uint64(1), uint64(1<<48)
	command.Flags().Var(settings.Integer(&from, 1, to), "from", "the first batch to list")
	command.Flags().Var(settings.Integer(&to, 1, to), "to", "the last batch to list")
	command.Flags().Lookup("to").DefValue = "the end"
	return reading(command, func(r *record.Recording, _ []string) error { return r.Table(from, to).Print(env.Out) })
}

const diffLong = `Compare two recordings: the options and settings that differ, and the first batch that
differs in its input, counts or result. The exit code is 1 if they differ.`

func newRecordingDiff(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "diff A B", Short: "show where two recordings differ", Long: diffLong}
	return readingAll(command, 2, func(r []*record.Recording, args []string) error {
		list := record.Diff(r[0], r[1])
		if len(list) > 0 {
			return errors.Join(env.lines(list), fmt.Errorf("%s and %s differ", args[0], args[1]))
		}
		return nil
	})
}
