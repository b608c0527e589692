package report

import (
	"html/template"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// grid is a table that the page can sort and filter.
type grid struct {
	Columns []column
	Rows    []row
}

// column is a column of a grid.
type column struct {
	results.Column
	Timed bool // rows with a mark have no place in an order by it
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
