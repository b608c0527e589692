package cli

import (
	"fmt"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// print writes the table of a session that ended with an error or nil, and the paths of the
// result files. A wrong --sort must not cost the results of a run.
func (r *runFlags) print(s *session.Session, failure error) error {
	if !r.table() {
		return nil
	}
	err := r.printTable(s, failure)
	r.printPaths(s)
	return err
}

// printPaths prints the paths of results and recordings.
func (r *runFlags) printPaths(s *session.Session) {
	for _, file := range [][2]string{{"recording", s.Recorded()}, {"results", s.JSON}, {"results", s.NDJSON}} {
		if file[1] != "" && r.table() {
			fmt.Fprintf(r.Out, "%s: %s\n", file[0], file[1])
		}
	}
}

func (r *runFlags) printTable(s *session.Session, failure error) error {
	d := s.Document()
	if len(d.Rows) == 0 && len(d.LeftOut) == 0 {
		return nil
	}
	report, wrong := run.NewReport(s.Axes(), d.Rows, d.Summaries, r.sort)
	fmt.Fprintf(r.Out, "%s on %s, seed %d\n", s.Name(), deviceLine(d.Run.Device), d.Run.Seed)
	if s.Title() != "" {
		fmt.Fprintln(r.Out, results.Plain(s.Title()))
	}
	fmt.Fprintln(r.Out)
	if err := report.Table().Print(r.Out); err != nil {
		return err
	}
	if s.Gauges {
		if err := printGauges(r.Out, s.Axes(), d.Summaries); err != nil {
			return err
		}
	}
	r.printRemarks(remarks(s, report, failure))
	return usage(wrong)
}

// remarks are the lines below the table.
func remarks(s *session.Session, report *run.Report, failure error) []string {
	d := s.Document()
	list := append(report.LeftOut(d.LeftOut), report.Remarks(d.Summaries)...)
	list = append(list, s.Verdicts()...)
	if s.Verified(failure) {
		list = append(list, "verified: all batches and tables agree with the oracle")
	}
	return list
}

func (env *Env) printRemarks(list []string) {
	for i, remark := range list {
		if i == 0 {
			fmt.Fprintln(env.Out)
		}
		fmt.Fprintln(env.Out, results.Plain(remark))
	}
}

// deviceLine describes a device: cpu, 2 threads (Intel ...).
func deviceLine(d device.Info) string { return fmt.Sprintf("%s, %s (%s)", d.Name, workers(d), d.Model) }
