package results

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
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

// Print writes the table and, after an empty line, the notes on it. A table without rows is not written. The header
// is styled on a terminal; if the terminal is too narrow, each row becomes a paragraph, so that no figure is cut.
func (t Table) Print(w io.Writer, notes ...string) error {
	text := ""
	if len(t.Rows) > 0 {
		text = t.fit(w)
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

func (t Table) fit(w io.Writer) string {
	rows := t.plain()
	width, terminal := Screen(w)
	text := t.grid(rows, terminal)
	if terminal && lipgloss.Width(text) > width {
		return paragraphs(rows)
	}
	return text
}

// plain returns titles, units and rows without control characters.
func (t Table) plain() [][]string {
	rows := make([][]string, 2)
	for _, c := range t.Columns {
		rows[0], rows[1] = append(rows[0], c.Title), append(rows[1], c.Unit)
	}
	rows = append(rows, t.Rows...)
	for i, row := range rows {
		rows[i] = slices.Clone(row)
		for k, cell := range row {
			rows[i][k] = Plain(cell)
		}
	}
	return rows
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

// grid aligns the columns. The header has a second line if any column has a unit.
func (t Table) grid(rows [][]string, terminal bool) string {
	lines := t.align(rows)
	header, lines := lines[:2], lines[2:]
	if header[1] == "" {
		header = header[:1]
	}
	if terminal {
		header = underline(header, lines)
	}
	return strings.Join(slices.Concat(header, lines), "\n") + "\n"
}

// align pads the cells of every row, without trailing spaces.
func (t Table) align(rows [][]string) []string {
	widths, lines := make([]int, len(t.Columns)), make([]string, len(rows))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	for n, row := range rows {
		for i, cell := range row {
			side := lipgloss.Left
			if t.Columns[i].Number {
				side = lipgloss.Right
			}
			lines[n] += lipgloss.PlaceHorizontal(widths[i], side, cell) + "  "
		}
		lines[n] = strings.TrimRight(lines[n], " ")
	}
	return lines
}

// underline makes the header bold and puts a rule as wide as the table below it.
func underline(header, lines []string) []string {
	width := lipgloss.Width(strings.Join(slices.Concat(header, lines), "\n"))
	bold := lipgloss.NewStyle().Bold(os.Getenv("NO_COLOR") == "")
	styled := lists.Map(header, func(line string) string { return bold.Render(line) })
	return append(styled, strings.Repeat("─", width))
}

func paragraphs(rows [][]string) string {
	titles, units, widest := rows[0], rows[1], 0
	for _, title := range titles {
		widest = max(widest, lipgloss.Width(title))
	}
	var paragraphs []string
	for _, row := range rows[2:] {
		var text strings.Builder
		for i, cell := range row {
			if cell != "" && cell != "-" {
				line := fmt.Sprintf("%-*s  %s %s", widest, titles[i], cell, units[i])
				text.WriteString(strings.TrimRight(line, " ") + "\n")
			}
		}
		if len(row) > 0 {
			paragraphs = append(paragraphs, text.String())
		}
	}
	return strings.Join(paragraphs, "\n")
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
		rules[i] = "---"
		if c.Number {
			rules[i] = "---:"
		}
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
