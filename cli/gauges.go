package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// printGauges writes the readings of the tables' gauges, one line each.
func printGauges(out io.Writer, axes []run.Axis, summaries []results.Summary) error {
	var text strings.Builder
	for _, s := range summaries {
		if len(s.Gauges) > 0 {
			fmt.Fprintf(&text, "\n%s%s\n", s.Scheme, whereOn(axes, s.Point))
		}
		for _, g := range s.Gauges {
			fmt.Fprintf(&text, "  %s\n", gaugeLine(g))
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// whereOn writes the point of a summary in the order of the axes: at load=0.8.
func whereOn(axes []run.Axis, at results.Point) string {
	var texts []string
	for _, a := range axes {
		texts = append(texts, a.Name+"="+run.Text(at[a.Name]))
	}
	if texts == nil {
		return ""
	}
	return " at " + strings.Join(texts, ", ")
}

// gaugeLine writes a gauge in a line: bucket fill [buckets]  1:12 3:40 4:133. Long charts
// leave out empty bars.
func gaugeLine(g results.Gauge) string {
	line := g.Name
	if g.Unit != "" {
		line += " [" + g.Unit + "]"
	}
	bars := slices.DeleteFunc(slices.Clone(g.Bars), func(b results.Bar) bool { return len(g.Bars) > fewBars && b.Value == 0 })
	line += " "
	for _, b := range bars {
		line += " " + barText(b)
	}
	return line
}

// fewBars is the number of bars up to which empty ones are shown.
const fewBars = 5

func barText(b results.Bar) string {
	text := numberText(b.Value)
	if b.Label != "" {
		text = strings.ReplaceAll(b.Label, " ", "_") + ":" + text
	}
	if b.Of > 0 {
		text += "/" + numberText(b.Of)
	}
	return text
}

func numberText(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }
