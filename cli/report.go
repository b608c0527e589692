package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// print writes the table of a session that ended with an error or nil, and the paths of the
// files it wrote. A wrong --sort must not cost the results of a run.
func (r *runFlags) print(s *session.Session, failure error) error {
	if !r.table() {
		return nil
	}
	d := s.Document()
	summaries := d.Summaries
	if r.bench {
		summaries = nil // it shows rates alone
	}
	report, wrong := run.NewReport(s.Axes, d.Rows, summaries, r.sort)
	if len(d.Rows) > 0 {
		fmt.Fprintf(r.Out, "%s\n\n", r.heading(s))
	}
	var notes []string
	if s.Gauges {
		notes = gaugeLines(report, d.Summaries)
	}
	err := report.Table().Print(r.Out, append(notes, remarks(s, report, failure)...)...)
	for _, file := range [][2]string{{"recording", s.Recorded()}, {"results", s.JSON}, {"results", s.NDJSON}} {
		if file[1] != "" {
			fmt.Fprintf(r.Out, "%s: %s\n", file[0], file[1])
		}
	}
	return cmp.Or(err, usage(wrong))
}

// runHeading says what was run.
func runHeading(s *session.Session) string {
	run := s.Document().Run
	heading := fmt.Sprintf("%s on %s, seed %d", s.Name, deviceLine(run.Device), run.Seed)
	if s.Title != "" {
		heading += "\n" + results.Plain(s.Title)
	}
	return heading
}

// remarks are the lines below the table, after an empty one.
func remarks(s *session.Session, report *run.Report, failure error) []string {
	d := s.Document()
	list := append(report.LeftOut(d.LeftOut), report.Remarks(d.Summaries)...)
	list = append(list, s.Verdicts()...)
	if s.Verified(failure) {
		list = append(list, "verified: all batches and tables agree with the oracle")
	}
	if len(list) > 0 {
		list = append([]string{""}, list...)
	}
	return list
}

// deviceLine describes a device: cpu, 2 threads (Intel ...).
func deviceLine(d device.Info) string { return fmt.Sprintf("%s, %s (%s)", d.Name, workers(d), d.Model) }

// gaugeLines are the readings of the tables' gauges, with an empty line before each table.
func gaugeLines(report *run.Report, summaries []results.Summary) (lines []string) {
	for _, s := range summaries {
		if len(s.Gauges) > 0 {
			lines = append(lines, "", s.Scheme+report.Where(s.Point))
		}
		for _, g := range s.Gauges {
			lines = append(lines, "  "+gaugeLine(g))
		}
	}
	return lines
}

// fewBars is the number of bars up to which empty ones are shown.
const fewBars = 5

// gaugeLine writes a gauge in a line: bucket fill [buckets]  1:12 3:40 4:133.
func gaugeLine(g schemes.Reading) string {
	line := g.Name
	if g.Unit != "" {
		line += " [" + g.Unit + "]"
	}
	line += " "
	for _, b := range g.Bars {
		if len(g.Bars) <= fewBars || b.Value != 0 {
			line += " " + barText(b)
		}
	}
	return line
}

func barText(b schemes.Bar) string {
	text := run.Text(b.Value)
	if b.Label != "" {
		text = strings.ReplaceAll(b.Label, " ", "_") + ":" + text
	}
	if b.Of > 0 {
		text += "/" + run.Text(b.Of)
	}
	return text
}
