package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/plugin"
	"github.com/hashzoo/hashzoo/workloads/check"
)

const pluginCheckLong = `Test the scheme of a plugin as hashzoo check tests those of the zoo, with the same ladder,
vectors and figures. On a CPU, memory is guarded: a kernel that reads or writes past the
end of a block fails, and the report names it. The check runs in a separate process, so a
kernel that crashes is reported, too.

DIR is the folder of the sources after hashzoo plugin build, or the folder built. The
scheme is checked in all its configurations; with settings, in that one.`

// pluginCheck is the check command for the one scheme of a folder.
type pluginCheck struct {
	checkCommand
	from int // the first step that a child process checks; negative in the parent
}

func newPluginCheck(env *Env) *cobra.Command {
	c := pluginCheck{checkCommand: checkCommand{Env: env}}
	c.carryOut = c.apart
	command := &cobra.Command{
		Use:   "check DIR [param=value,...]",
		Short: "test that the scheme of a plugin is right",
		Long:  pluginCheckLong,
		RunE:  c.run,
	}
	env.uses(command, "device", "threads", "seed")
	c.flags(command)
	command.Flags().IntVar(&c.from, "from", -1, "")
	_ = command.Flags().MarkHidden("from")
	return command
}

func (c *pluginCheck) run(command *cobra.Command, args []string) error {
	folder, err := plugin.UpToDate(args[0])
	if err != nil {
		return usage(err)
	}
	scheme, err := plugin.Load(folder, "")
	if err != nil {
		return usage(fmt.Errorf("plugin %s: %w", folder, err))
	}
	c.plan.Command = "hashzoo plugin check " + args[0]
	target := strings.Join(append([]string{scheme.Name}, args[1:]...), ":")
	if c.from < 0 {
		return c.checkCommand.run(command, []string{target})
	}
	return c.tell(command, target)
}

// tell checks in a child process and reports to the parent.
func (c *pluginCheck) tell(command *cobra.Command, target string) error {
	if err := c.prepare([]string{target}); err != nil {
		return usage(err)
	}
	devices.Guard(check.Fault)
	dev, err := c.Env.open()
	if err != nil {
		return err
	}
	c.plan.Device, c.plan.Seed, c.plan.From = dev, c.Settings.Seed, c.from
	return check.Tell(command.Context(), c.plan, c.Out)
}

// apart checks in child processes with the same command line.
func (c *pluginCheck) apart(ctx context.Context, p check.Plan, to check.Listener) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	return check.RunApart(ctx, p, func(from int) *exec.Cmd {
		process := exec.CommandContext(ctx, program, append(os.Args[1:], fmt.Sprintf("--from=%d", from))...)
		process.Args[0] = os.Args[0]
		process.Cancel = func() error { return process.Process.Signal(syscall.SIGTERM) }
		return process
	}, to)
}
