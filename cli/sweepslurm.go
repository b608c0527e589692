package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/workloads/sweep"
)

// slurm submits the points that are missing as job arrays.
func (c *sweepFlags) slurm(ctx context.Context, s sweep.Sweep, missing []sweep.Ref) error {
	each, err := c.estimate(s)
	if err != nil {
		return err
	}
	gpu, err := devices.Accelerated(c.Settings.Device)
	if err != nil {
		return usage(err)
	}
	if each == 0 && !c.quiet {
		c.warn("a few points run first, to learn how long they take; --each 2s does without")
	}
	jobs, err := sweep.Slurm{Arguments: c.sbatch, GPU: gpu}.Submit(ctx, s, missing, each)
	if err != nil {
		if ctx.Err() != nil {
			return c.ended(ctx, s, err)
		}
		return err
	}
	if jobs.Tasks == 0 {
		return c.ended(ctx, s, nil)
	}
	return c.lines([]string{fmt.Sprintf("%s: %s; then merge: job %s", many(jobs.Tasks, "task"), jobsText(jobs), jobs.Merge)})
}

func jobsText(j sweep.Jobs) string {
	if len(j.Arrays) == 1 {
		return "job " + j.Arrays[0]
	}
	return "jobs " + strings.Join(j.Arrays, ", ")
}

// idle refuses to begin while jobs of the sweep are queued or running.
func idle(s sweep.Sweep) error {
	jobs, err := s.Jobs()
	if err != nil {
		return err
	}
	active, err := jobs.Active()
	if err == nil && active > 0 {
		err = fmt.Errorf("%s: %s of %s are queued or running; hint: hashzoo sweep status %s, or scancel", s.Folder, many(active, "task"), jobsText(jobs), s.Folder)
	}
	return err
}

// newSweepTask is hidden: engines for many machines run it.
func newSweepTask(env *Env) *cobra.Command {
	command := &cobra.Command{
		Use:    "task DIR FILE",
		Short:  "carry out the task of a file that an engine gives the number of",
		Hidden: true,
	}
	command.RunE = func(command *cobra.Command, args []string) error {
		index, err := sweep.TaskIndex()
		if err != nil {
			return err
		}
		s, err := sweep.Folder(args[0]).Open()
		if err != nil {
			return err
		}
		task, err := s.Task(args[1], index)
		if err != nil {
			return err
		}
		return s.RunTask(command.Context(), task, s.Settings["device"], pointsCommand, func(o sweep.Outcome) {
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
