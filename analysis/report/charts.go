package report

import (
	"fmt"
	"html/template"
	"slices"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/analysis/plot"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
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

// latency is drawn where operations arrived at a fixed rate.
func latency(sides []analysis.Side) []figure {
	return slices.Concat(drawn(sides, results.Plot{Y: "response_ms"}), drawn(sides, results.Plot{Y: "response_p99_ms"}))
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
			c.Spots = thinned(c.Spots, mostTimes, func(a, b analysis.Spot) bool { return a.Y > b.Y })
		}
	}
	return cut
}
