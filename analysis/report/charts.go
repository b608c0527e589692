package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/analysis/plot"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
)

// figure is a figure of analysis, drawn.
type figure struct {
	Title  string
	Panels []template.HTML
	Legend []plot.Sample
	Notes  []string
}

// Bounds that keep a page of thousands of rows readable.
const (
	mostPanels = 48
	mostPhases = 12  // batch by batch
	mostTimes  = 300 // of a curve
)

// drawn draws the figures that the scripts declare, or others that are chosen, or says why there are none.
func drawn(sides []analysis.Side, chosen results.Plot) []figure {
	figures, err := analysis.Figures(sides, chosen)
	if err != nil {
		return []figure{{Notes: []string{err.Error()}}}
	}
	return lists.Map(figures, func(f analysis.Figure) figure { return draw(f, mostPanels, plot.Inline) })
}

func draw(f analysis.Figure, most int, inline func(analysis.Figure) []template.HTML) figure {
	out := figure{Title: f.Title, Notes: f.Notes}
	if n := len(f.Panels); n > most {
		f.Panels = f.Panels[:most]
		out.Notes = append(out.Notes, fmt.Sprintf("the first %d of %d panels; hashzoo plot --where draws others", most, n))
	}
	out.Panels = inline(f)
	if list := plot.Samples(f); len(list) > 1 {
		out.Legend = list
	}
	return out
}

// batches shows how long each batch took. Of many, only the slowest of each stretch.
func batches(sides []analysis.Side, rows []measured) (list []figure) {
	if !slices.ContainsFunc(rows, func(m measured) bool { return m.Batches > 1 && len(m.Runs) > 1 }) {
		return nil
	}
	figures, err := analysis.Figures(sides, results.Plot{X: "batch", Y: "ms"})
	if err != nil {
		return nil
	}
	for _, f := range figures {
		if thin(f) {
			f.Notes = append(f.Notes, fmt.Sprintf("of more than %d batches, the slowest of each stretch", mostTimes))
		}
		list = append(list, draw(f, mostPhases, apart))
	}
	return list
}

// apart draws panels with an axis of their own: phases have different numbers of batches.
func apart(f analysis.Figure) (list []template.HTML) {
	for _, p := range f.Panels {
		f.Panels = []analysis.Panel{p}
		list = append(list, plot.Inline(f)...)
	}
	return list
}

func thin(f analysis.Figure) (cut bool) {
	for _, p := range f.Panels {
		for i := range p.Curves {
			c := &p.Curves[i]
			cut = cut || len(c.Spots) > mostTimes
			c.Spots = thinned(c.Spots, mostTimes, func(s analysis.Spot) float64 { return s.Y })
		}
	}
	return cut
}

// comparison is the table of analysis with a picture of each ratio.
type comparison struct {
	Old, New, Command string
	grid
	Scale   string // of the pictures
	Remarks []string
}

// compare compares each further side with the first, unless a run of them did not end.
func compare(sides []analysis.Side, o analysis.Options) (list []comparison) {
	for _, s := range sides[1:] {
		if trouble := cmp.Or(sides[0].Trouble(), s.Trouble()); trouble != "" {
			list = append(list, comparison{Old: sides[0].Name, New: s.Name, Remarks: []string{"not compared: " + trouble}})
			continue
		}
		list = append(list, newComparison(analysis.Compare(sides[0], s, o)))
	}
	return list
}

func newComparison(c analysis.Comparison) comparison {
	out := comparison{Old: c.Old, New: c.New, grid: ofTable(c.Table()), Remarks: c.Remarks()[1:]}
	reach := reachOf(c.Rows)
	out.Scale = fmt.Sprintf("%.2g to %.2g", 1/reach, reach)
	for i, r := range c.Rows {
		cells := out.Rows[i].Cells
		cells[2].Number, cells[3].Number, cells[4].Number = full(r.Old), full(r.New), full(r.Ratio)
		cells[5].SVG = ratio(r.Estimate, reach)
		cells[6].Class = "verdict " + r.Verdict.String()
	}
	return out
}

// reachOf is the largest ratio that the pictures show, as a factor in both directions.
func reachOf(rows []analysis.Row) float64 {
	reach := 1.1
	for _, r := range rows {
		for _, x := range []float64{r.Ratio, r.Low, r.High} {
			if x > 0 && !math.IsInf(x, 0) {
				reach = max(reach, x, 1/x)
			}
		}
	}
	return min(reach, 4)
}

// ratio draws an interval on a logarithmic scale, with a line at 1.
func ratio(e analysis.Estimate, reach float64) template.HTML {
	const width, height = 96, 12
	at := func(x float64) float64 {
		part := math.Log(min(max(x, 1/reach), reach)) / math.Log(reach)
		return width/2 + part*(width/2-3)
	}
	line := lists.Either(e.Low > 0 && e.High >= e.Low, fmt.Sprintf(`<path class="interval" d="M%.1f 6H%.1f"/>`, at(e.Low), at(e.High)), "")
	return template.HTML(fmt.Sprintf(`<svg class="ratio" viewBox="0 0 %d %d" aria-hidden="true"><path d="M%d 0V%d"/>%s<circle cx="%.1f" cy="6" r="2.5"/></svg>`,
		width, height, width/2, height, line, at(e.Ratio)))
}

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
			at := lists.At(&list, func(a gaugesAt) bool { return a.Where == where }, gaugesAt{Where: where})
			of := lists.At(&at.Gauges, func(other gauge) bool { return other.Name == g.Name }, gauge{Name: g.Name, Help: g.Help, Unit: g.Unit})
			of.Readings = append(of.Readings, newReading(s.Scheme, g.Bars))
		}
	}
	return list
}

func newReading(scheme string, bars []schemes.Bar) reading {
	const fewBars = 5 // up to which each value has a line
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
