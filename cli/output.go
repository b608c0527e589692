package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
)

// output is where results go besides the table: files of JSON.
type output struct {
	env          *Env
	json, ndjson string // paths; - is the standard output

	document  results.Document
	lines     *results.Lines
	jsonFile  io.WriteCloser
	linesFile io.WriteCloser
}

func (o *output) flags(command *cobra.Command) {
	command.Flags().StringVar(&o.json, "json", "", "write the results as JSON to this file; - is the standard output, without a table")
	command.Flags().StringVar(&o.ndjson, "ndjson", "", "write them as lines of JSON, as they come, to this file; - as above")
}

// table says whether the standard output is for people.
func (o *output) table() bool { return o.json != "-" && o.ndjson != "-" }

// open opens the files before anything is measured, so that a wrong path does not
// cost the measurement. The script is nil if none is run.
func (o *output) open(dev device.Device, script *results.Script) error {
	if o.json == "-" && o.ndjson == "-" {
		return misused(errors.New("--json and --ndjson are both -: one of them can have the standard output"))
	}
	o.document = results.Document{Schema: results.Schema, Run: o.env.provenance(dev), Rows: []results.Row{}}
	o.document.Run.Script = script
	var err error
	if o.jsonFile, err = o.create(o.json); err != nil {
		return usage(err)
	}
	if o.linesFile, err = o.create(o.ndjson); err != nil || o.linesFile == nil {
		return usage(err)
	}
	o.lines, err = results.NewLines(o.linesFile, o.document.Run)
	return err
}

func (o *output) create(path string) (io.WriteCloser, error) {
	switch path {
	case "":
		return nil, nil
	case "-":
		return standard{o.env.Out}, nil
	}
	return os.Create(path)
}

// standard is the standard output, which stays open.
type standard struct{ io.Writer }

func (standard) Close() error { return nil }

func (o *output) row(r results.Row) error {
	o.document.Rows = append(o.document.Rows, r)
	if o.lines == nil {
		return nil
	}
	return o.lines.Row(r)
}

func (o *output) summary(s results.Summary) error {
	o.document.Summaries = append(o.document.Summaries, s)
	if o.lines == nil {
		return nil
	}
	return o.lines.Summary(s)
}

func (o *output) leftOut(l results.LeftOut) error {
	o.document.LeftOut = append(o.document.LeftOut, l)
	if o.lines == nil {
		return nil
	}
	return o.lines.LeftOut(l)
}

// close writes how the run ended.
func (o *output) close(failure error, interrupted bool) error {
	o.document.End = results.End{Finished: time.Now(), Interrupted: interrupted}
	if failure != nil && !interrupted {
		o.document.End.Error = failure.Error()
	}
	var errs []error
	if o.jsonFile != nil {
		errs = append(errs, o.document.WriteJSON(o.jsonFile), o.jsonFile.Close())
	}
	if o.lines != nil {
		errs = append(errs, o.lines.End(o.document.End), o.linesFile.Close())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return nil
}

// printPaths says where the results are.
func (o *output) printPaths() {
	for _, path := range []string{o.json, o.ndjson} {
		if path != "" && o.table() {
			fmt.Fprintf(o.env.Out, "results: %s\n", path)
		}
	}
}

// device names the device in a line: cpu, 2 threads (Intel ...).
func (o *output) device() string {
	info := o.document.Run.Device
	return fmt.Sprintf("%s, %s (%s)", info.Name, workers(info), info.Model)
}

// provenance is what is needed to repeat the run that starts now.
func (env *Env) provenance(dev device.Device) results.Run {
	run := results.Run{
		Command: os.Args, Started: time.Now(), Seed: env.Settings.Seed, Settings: map[string]string{},
		Device: dev.Info(), Host: results.ThisHost(), Build: results.ThisBuild(), Plugins: schemes.Plugins(),
	}
	for _, s := range settings.Table {
		run.Settings[s.Key] = env.Settings.Text(s.Key)
	}
	return run
}
