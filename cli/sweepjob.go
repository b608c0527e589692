package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/workloads/sweep"
)

// submit writes a job that carries out the points on many machines, and says how to submit it.
func (c *sweepFlags) submit(s sweep.Sweep, cluster sweep.Cluster) error {
	gpu, err := devices.Accelerated(c.Settings.Device)
	if err != nil {
		return usage(err)
	}
	path, tasks, err := s.WriteJob(cluster, c.tasks, gpu)
	if err != nil {
		return err
	}
	edit := ""
	if cluster.Edit != "" {
		edit = ", once " + cluster.Edit + " are filled in there"
	}
	return c.lines([]string{fmt.Sprintf("%s of %s: %s %s%s; then: hashzoo sweep merge %s",
		many(tasks, "task"), many(len(s.Points), "point"), cluster.Submit, path, edit, s.Folder)})
}

func newSweepTask(env *Env) *cobra.Command {
	command := &cobra.Command{
		Use:   "task I/N DIR",
		Short: "carry out a share of the points of a sweep",
	}
	command.RunE = func(command *cobra.Command, args []string) error {
		s, err := sweep.Folder(args[1]).Open()
		if err != nil {
			return err
		}
		points, err := s.Task(args[0])
		if err != nil {
			return err
		}
		return s.RunTask(command.Context(), points, s.Settings["device"], pointsCommand, func(o sweep.Outcome) {
			fmt.Fprintf(env.text(), "%s %s: %s\n", time.Now().UTC().Format(time.RFC3339), o.Title, outcomeText(o))
		})
	}
	return command
}

func outcomeText(o sweep.Outcome) string {
	if o.Failed != "" {
		return "failed: " + o.Failed
	}
	return fmt.Sprintf("done in %.3f s", o.Seconds)
}
