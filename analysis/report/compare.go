package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"

	"github.com/hashzoo/hashzoo/analysis"
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
