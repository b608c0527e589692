package run

import (
	"fmt"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/results"
)

// Table has a line for each scheme at each point.
func (r *Report) Table() results.Table {
	columns := r.columns()
	var t results.Table
	t.Columns = append(t.Columns, columns[0].Column)
	for _, axis := range r.axes {
		t.Columns = append(t.Columns, results.Column{Title: axis, Number: true})
	}
	for _, c := range columns[1:] {
		t.Columns = append(t.Columns, c.Column)
	}
	for i, p := range r.points {
		if i > 0 && len(p.lines) > 1 {
			t.Rows = append(t.Rows, nil)
		}
		for _, l := range p.lines {
			t.Rows = append(t.Rows, r.cells(p.point, l, columns))
		}
	}
	return t
}

func (r *Report) cells(at results.Point, l line, columns []column) []string {
	cells := []string{columns[0].cell(l).text}
	for _, axis := range r.axes {
		cells = append(cells, Text(at[axis]))
	}
	for _, c := range columns[1:] {
		cells = append(cells, c.cell(l).text)
	}
	return cells
}

// Remarks are what the table's marks mean, and what must be known to compare its
// lines.
func (r *Report) Remarks(summaries []results.Summary) []string {
	var list []string
	add := func(remark string) { list = union(list, []string{remark}) }
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
