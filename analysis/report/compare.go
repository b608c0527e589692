package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

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
	line := ""
	if e.Low > 0 && e.High >= e.Low {
		line = fmt.Sprintf(`<path class="interval" d="M%.1f 6H%.1f"/>`, at(e.Low), at(e.High))
	}
	return template.HTML(fmt.Sprintf(`<svg class="ratio" viewBox="0 0 %d %d" aria-hidden="true"><path d="M%d 0V%d"/>%s<circle cx="%.1f" cy="6" r="2.5"/></svg>`,
		width, height, width/2, height, line, at(e.Ratio)))
}

// grid is a table that the page can sort and filter.
type grid struct {
	Caption string
	Columns []column
	Rows    []row
}

// column is a column of a grid.
type column struct {
	results.Column
	Help  string
	Timed bool // rows with a mark have no place in an order by it
	Heat  bool // cells have classes of their own
}

// row is a line of a grid. A marked one is no figure of its scheme.
type row struct {
	Cells []cell
	Mark  string
}

// cell is an entry: its text, and what else there is to see.
type cell struct {
	Text   string
	Number string // what it is sorted by, if the text is rounded
	Part   string // of the best of its kind, in percent, drawn as a bar
	Class  string
	SVG    template.HTML
	Small  string // further text
	Link   string
	Bytes  string // for each pair, for a scatter
	Head   bool   // it names the row
}

func words(text string) cell { return cell{Text: text} }

// long is a cell of a sentence or more.
func long(text string) cell {
	if text == "" {
		return cell{}
	}
	return cell{Text: text, Class: "remark"}
}

// ofTable is a table for terminals as a grid.
func ofTable(t results.Table) grid {
	return grid{
		Columns: lists.Map(t.Columns, func(c results.Column) column { return column{Column: c} }),
		Rows:    lists.Map(t.Rows, func(cells []string) row { return row{Cells: lists.Map(cells, words)} }),
	}
}

// add adds a column, unless no row has anything in it.
func (g *grid) add(c column, cells []cell) {
	if !slices.ContainsFunc(cells, func(c cell) bool { return c != cell{} }) {
		return
	}
	g.Columns = append(g.Columns, c)
	for i := range g.Rows {
		g.Rows[i].Cells = append(g.Rows[i].Cells, cells[i])
	}
}

func text(title string) column { return column{Column: results.Column{Title: title}} }

func number(title, unit string) column {
	return column{Column: results.Column{Title: title, Unit: unit, Number: true}}
}

func timed(title, unit string) column {
	c := number(title, unit)
	c.Timed = true
	return c
}
