package report

import (
	"fmt"
	"strings"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// gaugesAt are the gauges of all schemes at one point of one side.
type gaugesAt struct {
	Where  string
	Gauges []gauge
}

// gauge is one gauge of several schemes.
type gauge struct {
	Name, Help, Unit string
	Readings         []reading
}

// reading is a scheme's gauge: parts of a whole, or many values as columns over their labels.
type reading struct {
	Scheme string
	Parts  []part
	Many   bool
}

// part is a value, with a bar if it has an upper bound.
type part struct{ Label, Text, Part string }

func gauges(sides []analysis.Side) (list []gaugesAt) {
	for _, s := range summaries(sides) {
		where := strings.TrimSpace(analysis.PointText(s.Point))
		if len(sides) > 1 || strings.Contains(s.side, ", run ") {
			where = strings.TrimPrefix(where+", "+s.side, ", ")
		}
		for _, g := range s.Gauges {
			lists.At(&list, func(a gaugesAt) bool { return a.Where == where }, gaugesAt{Where: where}).add(s.Scheme, g)
		}
	}
	return list
}

func (a *gaugesAt) add(scheme string, r schemes.Reading) {
	g := lists.At(&a.Gauges, func(g gauge) bool { return g.Name == r.Name }, gauge{Name: r.Name, Help: r.Help, Unit: r.Unit})
	g.Readings = append(g.Readings, newReading(scheme, r.Bars))
}

// fewBars is the number of values up to which each has a line.
const fewBars = 5

func newReading(scheme string, bars []schemes.Bar) reading {
	most := lists.Max(bars, func(b schemes.Bar) float64 { return b.Value })
	out := reading{Scheme: scheme, Many: len(bars) > fewBars && bars[0].Of == 0}
	for _, b := range bars {
		p := part{Label: b.Label, Text: analysis.Text(b.Value)}
		if of := max(b.Of, most); of > 0 && len(bars) > 1 || b.Of > 0 {
			p.Part = fmt.Sprintf("%.1f%%", 100*b.Value/of)
		}
		if b.Of > 0 {
			p.Text += fmt.Sprintf(" of %s", analysis.Text(b.Of))
		}
		out.Parts = append(out.Parts, p)
	}
	return out
}
