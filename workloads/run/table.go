package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/results"
)

// Table has a line for each scheme at each point.
func (r *Report) Table() results.Table {
	columns := r.columns()
	axes := make([]column, len(r.axes))
	for i, axis := range r.axes {
		axes[i] = column{results.Column{Title: axis, Number: true}, false, func(l line) cell { return cell{text: Text(l.point[axis])} }}
	}
	columns = slices.Insert(columns, 1, axes...)
	var t results.Table
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
	}
	for i, p := range r.points {
		if i > 0 && len(p.lines) > 1 {
			t.Rows = append(t.Rows, nil)
		}
		for _, l := range p.lines {
			var cells []string
			for _, c := range columns {
				cells = append(cells, c.cell(l).text)
			}
			t.Rows = append(t.Rows, cells)
		}
	}
	return t
}

// Remarks explain the marks in the table, and what to know when comparing its lines.
func (r *Report) Remarks(summaries []results.Summary) []string {
	var list []string
	add := func(remark string) { list = union(list, remark) }
	for _, p := range r.points {
		for _, l := range p.lines {
			for _, row := range l.measured() {
				if row.Noise == nil {
					add("? fewer than 6 runs say nothing about the noise")
				} else if !row.Settled {
					add("* the noise did not come below its bound, or there were fewer runs than repeat.least")
				}
			}
			for _, row := range l.rows {
				r.remarksOn(row, r.Where(p.point), add)
			}
		}
	}
	for _, s := range summaries {
		for _, c := range s.Thresholds {
			if !c.Holds {
				add(fmt.Sprintf("%s%s: the threshold %s does not hold: it has %v", s.Scheme, r.Where(s.Point), c.Condition, c.Value))
			}
		}
		for _, note := range s.Notes {
			add(fmt.Sprintf("%s%s: %s", s.Scheme, r.Where(s.Point), note))
		}
	}
	return list
}

func (r *Report) remarksOn(row results.Row, where string, add func(string)) {
	title := r.title(step{row.Phase, row.Op})
	if row.Compare != "" {
		add(fmt.Sprintf("not comparable%s: %s: %s", where, title, row.Compare))
	}
	if len(row.Phases) > 0 {
		add(fmt.Sprintf("%s runs in phases on %s: %s", title, row.Scheme, strings.Join(row.Phases, ", ")))
	}
	if n := row.Counts["rejected"]; n > 0 {
		add(fmt.Sprintf("%s%s: %s: %d keys were rejected: the two largest keys are reserved", row.Scheme, where, title, n))
	}
	for _, note := range row.Notes {
		add(fmt.Sprintf("%s%s: %s: %s", row.Scheme, where, title, note))
	}
}

// Where returns " at load=0.8", or nothing without axes.
func (r *Report) Where(at results.Point) string {
	var p Point
	for _, axis := range r.axes {
		p = append(p, Coordinate{axis, at[axis]})
	}
	return p.where()
}
