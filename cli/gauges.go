package cli

import (
	"strings"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

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
