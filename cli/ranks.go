package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/ranks"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// ranksSettings are the settings of commands that run on the devices of several processes.
var ranksSettings = []string{"ranks.rendezvous", "ranks.wait", "ranks.nccl"}

// served is the exit code of a rank that carried out what rank 0 asked for. It prints nothing.
type served int

func (served) Error() string { return "this rank served" }

func ofRanks(device string) bool { return strings.HasPrefix(device, devices.OfRanks) }

// serves reports whether this process will serve rank 0, which prints for all.
func (env *Env) serves() bool {
	place, err := ranks.Here(os.Getenv)
	return ofRanks(env.Settings.Device) && err == nil && place.Rank > 0
}

// meet waits for the other ranks, if the device is theirs. Rank 0 goes on with the command; the others serve it.
func (env *Env) meet(command *cobra.Command) (err error) {
	if command.Flags().Lookup("device") == nil || !ofRanks(env.Settings.Device) {
		return nil
	}
	if err := env.mayMeet(command); err != nil {
		return usage(err)
	}
	how := env.Settings.Ranks
	how.Ended = env.lost
	if env.mesh, err = devices.Meet(command.Context(), how); err != nil || env.mesh.Rank == 0 {
		return err
	}
	code, err := env.mesh.Serve(command.Context())
	env.mesh = nil
	if err == nil {
		err = served(code)
	}
	return err
}

// mayMeet refuses what the devices of several processes cannot do.
func (env *Env) mayMeet(command *cobra.Command) error {
	if _, err := devices.Parse(env.Settings.Device); err != nil {
		return err
	}
	if command.Flags().Lookup("rendezvous") == nil {
		return fmt.Errorf("device is %q: %s runs in one process; hint: bench, run and replay take ranks", env.Settings.Device, command.CommandPath())
	}
	if f := command.Flags().Lookup("processes"); f != nil && f.Changed {
		return fmt.Errorf("--processes is %s: with --device %s it cannot start processes; hint: start the command several times, and put the results together with hashzoo compare",
			f.Value, env.Settings.Device)
	}
	return nil
}

// lost ends the process: a rank is gone, and the run does not end by itself. Files have their names only when whole.
func (env *Env) lost(err error) {
	fmt.Fprintf(env.Err, "hashzoo: %s\n", results.Plain(err.Error()))
	os.Exit(exitFailed)
}

// leave tells the other ranks how the run ended.
func (env *Env) leave(code int) int {
	if env.mesh != nil {
		env.mesh.Bye(code)
	}
	return code
}
