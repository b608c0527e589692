package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/session"
	"github.com/hashzoo/hashzoo/workloads/sweep"
)

// Commands on the folder of a sweep.

func newSweepStatus(env *Env) *cobra.Command {
	command := &cobra.Command{
		Use:   "status DIR",
		Short: "say how far a sweep is, and which points failed",
	}
	return env.listing(command, func(args []string) (any, func() error, error) {
		s, err := sweep.Folder(args[0]).Open()
		if err != nil {
			return nil, nil, err
		}
		status, err := s.Status()
		return status, env.page("", results.Table{}, statusLines(status)...), err
	})
}

func statusLines(s sweep.Status) []string {
	line := fmt.Sprintf("%d of %s done", s.Done, many(s.Points, "point"))
	if left := s.Left(); left > 0 {
		line += fmt.Sprintf("; the other %d take one device about %s", s.Missing, roughly(left))
	}
	lines := []string{line}
	for _, f := range s.Failed {
		lines = append(lines, "failed: "+f.Why)
	}
	return lines
}

func newSweepMerge(env *Env) *cobra.Command {
	command := &cobra.Command{
		Use:   "merge DIR",
		Short: "write the points of a sweep as results of one run",
	}
	return env.listing(command, func(args []string) (any, func() error, error) {
		s, err := sweep.Folder(args[0]).Open()
		if err != nil {
			return nil, nil, err
		}
		list, err := s.Merge()
		return list, env.page("", results.Table{}, mergeLines(s, list)...), err
	})
}

func mergeLines(s sweep.Sweep, list []sweep.Merged) []string {
	done := 0
	lines := lists.Map(list, func(m sweep.Merged) string {
		done += m.Points
		return fmt.Sprintf("%s: %s of %s on %s, %s", m.Path, many(m.Points, "point"), m.Script, m.Model, many(m.Rows, "row"))
	})
	if missing := len(s.Points) - done; missing > 0 {
		lines = append(lines, fmt.Sprintf("%d of %s are missing", missing, many(len(s.Points), "point")))
	}
	return lines
}

// newSweepPoints is hidden: sweeps run it.
func newSweepPoints(env *Env) *cobra.Command {
	r := newRunFlags(env)
	command := &cobra.Command{
		Use:    "points DIR",
		Short:  "carry out the points whose names are the lines of standard input",
		Hidden: true,
	}
	r.flags(command)
	device := command.Flags().String("device", "", "the device to run on")
	command.RunE = func(command *cobra.Command, args []string) error {
		s, err := r.begun(args[0])
		if err != nil {
			return err
		}
		q, err := r.complete("")
		if err != nil {
			return err
		}
		points, err := s.Expand(command.Context(), q)
		if err != nil {
			return err
		}
		return s.Serve(command.Context(), points, *device, env.In, env.Out)
	}
	return command
}

// begun opens a sweep to carry out its points: with its settings and plugins, in the folder where it began.
func (env *Env) begun(folder string) (s sweep.Sweep, err error) {
	if folder, err = filepath.Abs(folder); err != nil {
		return s, err
	}
	if s, err = sweep.Folder(folder).Open(); err != nil {
		return s, err
	}
	if err = os.Chdir(filepath.Join(folder, s.Plan.Folder)); err != nil {
		return s, session.Wrong(fmt.Errorf("sweep: the folder where it began: %w", err))
	}
	if err = env.load(); err != nil {
		return s, usage(err)
	}
	for key, value := range s.Settings {
		if value != "" {
			err = errors.Join(err, env.Settings.Set(env.Settings.Find(key), value, "plan.json"))
		}
	}
	return s, usage(errors.Join(err, env.loadPlugins(true)))
}
