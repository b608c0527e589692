package results

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Column is a column of a table. Numbers are right-aligned.
type Column struct {
	Title  string
	Unit   string // below the title
	Number bool
}

// Table is text in columns. A row without cells is an empty line.
type Table struct {
	Columns []Column
	Rows    [][]string
	Keys    int // columns at the left that name the rows, if a table that is too wide may be split; see Fit
}

// TableOf makes a table with a row for each item. Bars separate the titles; # begins those of numbers.
func TableOf[T any](titles string, list []T, cells func(T) []string) Table {
	var t Table
	for title := range strings.SplitSeq(titles, " | ") {
		title, isNumber := strings.CutPrefix(title, "#")
		t.Columns = append(t.Columns, Column{Title: title, Number: isNumber})
	}
	t.Rows = lists.Map(list, cells)
	return t
}

// Print writes the table and, after an empty line, the notes on it. A table without rows is not written. On a
// terminal, the header is styled and the table fits the width.
func (t Table) Print(w io.Writer, notes ...string) error {
	text := ""
	if len(t.Rows) > 0 {
		text = t.Fit(Screen(w))
	}
	for i, note := range notes {
		if i == 0 && text != "" && note != "" {
			text += "\n"
		}
		text += Plain(note) + "\n"
	}
	_, err := fmt.Fprint(colorprofile.NewWriter(w, os.Environ()), text)
	return err
}

// plain returns titles, units and rows without control characters.
func (t Table) plain() [][]string {
	titles := lists.Map(t.Columns, func(c Column) string { return c.Title })
	units := lists.Map(t.Columns, func(c Column) string { return c.Unit })
	return lists.Map(append([][]string{titles, units}, t.Rows...), func(row []string) []string { return lists.Map(row, Plain) })
}

// Screen returns the width of w if it is a terminal.
func Screen(w io.Writer) (width int, terminal bool) {
	file, ok := w.(term.File)
	if !ok || !term.IsTerminal(file.Fd()) {
		return 0, false
	}
	width, _, err := term.GetSize(file.Fd())
	return width, err == nil && width > 0
}

// data returns the rows below one row of titles with their units, without empty rows.
func (t Table) data() [][]string {
	rows := t.plain()
	for i, unit := range rows[1] {
		rows[0][i] = strings.TrimSpace(rows[0][i] + " " + unit)
	}
	return slices.DeleteFunc(slices.Delete(rows, 1, 2), func(row []string) bool { return len(row) == 0 })
}

// Markdown writes the table for GitHub and the like.
func (t Table) Markdown(w io.Writer) error {
	rules := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		rules[i] = lists.Either(c.Number, "---:", "---")
	}
	for _, row := range slices.Insert(t.data(), 1, rules) {
		for i := range row {
			row[i] = strings.ReplaceAll(row[i], "|", `\|`)
		}
		if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | ")); err != nil {
			return err
		}
	}
	return nil
}

// CSV writes the table with a line of titles.
func (t Table) CSV(w io.Writer) error { return csv.NewWriter(w).WriteAll(t.data()) }
