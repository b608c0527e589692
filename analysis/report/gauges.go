package report

import (
	"fmt"
	"html/template"
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

// reading is a scheme's gauge: parts of a whole, or columns over their labels.
type reading struct {
	Scheme  string
	Parts   []part
	Columns template.HTML
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
	out := reading{Scheme: scheme}
	whole := len(bars) > 0 && bars[0].Of > 0
	if len(bars) > fewBars && !whole {
		out.Columns = histogram(bars)
		return out
	}
	most := lists.Max(bars, func(b schemes.Bar) float64 { return b.Value })
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

// histogram draws a column for each bar, with its label below.
func histogram(bars []schemes.Bar) template.HTML {
	const height, foot = 56, 14
	most, each := 0.0, 20
	for _, b := range bars {
		most, each = max(most, b.Value), max(each, 6*len(b.Label)+4)
	}
	var path, labels strings.Builder
	for i, b := range bars {
		if tall := b.Value / max(most, 1e-300) * height; tall > 0 {
			fmt.Fprintf(&path, "M%d %.1fv%.1fh%dv%.1fz", i*each+1, height-tall, tall, each-2, -tall)
		}
		fmt.Fprintf(&labels, `<text x="%d" y="%d">%s</text>`, i*each+each/2, height+foot-3, template.HTMLEscapeString(b.Label))
	}
	values := strings.Join(lists.Map(bars, func(b schemes.Bar) string { return b.Label + ": " + analysis.Text(b.Value) }), ", ")
	return template.HTML(fmt.Sprintf(`<svg class="histogram" style="width:%dpx" viewBox="0 0 %d %d" role="img"><title>%s</title><path d="%s"/>%s</svg>`,
		each*len(bars), each*len(bars), height+foot, template.HTMLEscapeString(values), path.String(), labels.String()))
}
