package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// repeats are the runs that a run is compared with: equal ones in further processes, because the placement of memory
// and the load of the machine differ between processes, and a baseline.
type repeats struct {
	processes int
	baseline  string
	others    []analysis.File
	base      analysis.Side
}

// repeat reads the baseline and runs all processes but this one. Their results, and those of
// this one, go to numbered files if the user wants files.
func (r *runFlags) repeat(ctx context.Context, q *session.Request) (err error) {
	switch {
	case r.repeats.processes > 1 && q.For > 0:
		return misused(errors.New("--processes repeats runs that end by themselves: leave out --for and --forever"))
	case r.repeats.processes > 1 && (q.JSON == "-" || q.NDJSON != "" || q.Recording != "" || q.Contents != ""):
		return misused(errors.New("--processes writes a file for each: it takes --json FILE, and none of --ndjson, --record and --contents"))
	}
	if r.repeats.baseline != "" {
		if r.repeats.base, err = analysis.ReadSide(r.repeats.baseline); err != nil {
			return usage(err)
		}
	}
	if r.repeats.processes == 1 {
		return nil
	}
	wanted := q.JSON
	if wanted == "" {
		folder, err := os.MkdirTemp("", "hashzoo-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		wanted = filepath.Join(folder, "run.json")
	} else {
		q.JSON = numbered(wanted, r.repeats.processes)
	}
	for i := 1; i < r.repeats.processes && err == nil; i++ {
		err = r.process(ctx, numbered(wanted, i), i)
	}
	return err
}

// again is this program in another process, with a command line of its own. Like this one, it ends with the context, in
// order.
func again(ctx context.Context, words []string) *exec.Cmd {
	program, err := os.Executable()
	c := exec.CommandContext(ctx, program, words[1:]...)
	c.Args[0], c.Err = words[0], cmp.Or(c.Err, err)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	return c
}

// numbered puts a number into a file name: run.json is run-1.json.
func numbered(path string, i int) string {
	extension := filepath.Ext(path)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, extension), i, extension)
}

func (r *runFlags) process(ctx context.Context, file string, i int) error {
	p := again(ctx, append(analysis.Command(os.Args), "--json="+file))
	p.Stderr = r.Err
	if err := p.Run(); err != nil {
		return fmt.Errorf("process %d of %d: %w", i, r.repeats.processes, err)
	}
	side, err := analysis.ReadSide(file)
	r.repeats.others = append(r.repeats.others, side.Files...)
	return err
}

// merged gives rows the rates and the noise of all processes.
func merged(rows []results.Row, side analysis.Side) (list []results.Row) {
	all := side.Merge()
	if len(side.Files) == 1 || len(all) != len(rows) { // a scheme may have failed in one of them
		return rows
	}
	for i, row := range rows {
		row.Rate, row.Noise, row.Settled = all[i].Rate, all[i].Noise, all[i].Settled
		list = append(list, row)
	}
	return list
}
