package report

import (
	"html/template"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

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
	At     string // rate and bytes per pair, for a scatter
	Head   bool   // it names the row
}

func words(text string) cell { return cell{Text: text} }

// long is a cell of a sentence or more.
func long(text string) cell {
	return lists.Either(text == "", cell{}, cell{Text: text, Class: "remark"})
}

// ofTable is a table for terminals as a grid.
func ofTable(t results.Table) grid {
	return grid{
		Columns: lists.Map(t.Columns, func(c results.Column) column { return column{Column: c} }),
		Rows:    lists.Map(t.Rows, func(cells []string) row { return row{Cells: lists.Map(cells, words)} }),
	}
}

// table is a grid with a row for each item of a list.
type table[T any] struct {
	grid
	all []T
}

func tableOf[T any](all []T) *table[T] { return &table[T]{grid{Rows: make([]row, len(all))}, all} }

// add adds a column, unless no row has anything in it.
func (t *table[T]) add(c column, of func(T) cell) {
	cells := lists.Map(t.all, of)
	if !slices.ContainsFunc(cells, func(c cell) bool { return c != cell{} }) {
		return
	}
	t.Columns = append(t.Columns, c)
	for i := range t.Rows {
		t.Rows[i].Cells = append(t.Rows[i].Cells, cells[i])
	}
}

// texts adds a column of plain texts.
func (t *table[T]) texts(c column, of func(T) string) {
	t.add(c, func(one T) cell { return words(of(one)) })
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
