package results

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// grid is a table with its header in lines of cells.
type grid struct {
	columns []Column
	head    [][]string
	rows    [][]string
}

// Fit returns the table as text, on a terminal with a styled header and in lines that are not longer than its width.
// In a table that is too wide, titles are broken into several lines. If that is not enough, it is split into tables
// that all begin with its Keys, or each row becomes a paragraph. No column is left out.
func (t Table) Fit(width int, terminal bool) string {
	rows := t.plain()
	g := grid{t.Columns, rows[:2], rows[2:]}.pick(upTo(len(t.Columns)))
	if !terminal || g.width() <= width {
		return g.text(terminal)
	}
	parts := g.broken().parts(t.Keys, width)
	if parts == nil {
		return paragraphs(rows, width)
	}
	return strings.Join(lists.Map(parts, func(columns []int) string {
		part := g.pick(columns)
		if part.width() > width {
			part = part.broken()
		}
		return part.text(true)
	}), "\n")
}

// Wrapped breaks the last column, a text, between words, so that lines are not longer than width. Its further lines are
// rows with nothing in the other columns.
func (t Table) Wrapped(width int) Table {
	last := len(t.Columns) - 1
	all, rows := t.plain(), t.Rows
	t.Rows = nil
	room := max(width-between-grid{t.Columns, all[:2], all[2:]}.pick(upTo(last)).width(), narrowest)
	for _, row := range rows {
		for i, line := range strings.Split(ansi.Wordwrap(row[last], room, ""), "\n") {
			cells := make([]string, last)
			if i == 0 {
				copy(cells, row)
			}
			t.Rows = append(t.Rows, append(cells, line))
		}
	}
	return t
}

const between = 2 // columns

func (g grid) widths() []int {
	widths := make([]int, len(g.columns))
	for _, row := range slices.Concat(g.head, g.rows) {
		for i, cell := range row {
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	return widths
}

func (g grid) width() int {
	sum := -between
	for _, w := range g.widths() {
		sum += w + between
	}
	return sum
}

// broken breaks titles and units between words, as far as the columns get narrower by that.
func (g grid) broken() grid {
	widths := grid{g.columns, nil, g.rows}.widths()
	for _, row := range g.head {
		for i, cell := range row {
			widths[i] = max(widths[i], lists.Max(strings.Fields(tied(cell)), lipgloss.Width))
		}
	}
	var head [][]string
	for n, row := range g.head {
		cells := make([][]string, len(row))
		for i, cell := range row {
			cells[i] = strings.Split(strings.ReplaceAll(ansi.Wordwrap(tied(cell), widths[i], ""), noBreak, " "), "\n")
		}
		head = append(head, stacked(cells, n == 0)...)
	}
	return grid{g.columns, head, g.rows}
}

const noBreak = "\u00a0"

// tied keeps a percent sign on the line of the word before it.
func tied(title string) string { return strings.ReplaceAll(title, " %", noBreak+"%") }

// stacked turns cells of several lines into rows: titles stand on the last line, units on the first.
func stacked(cells [][]string, low bool) [][]string {
	rows := make([][]string, lists.Max(cells, func(lines []string) int { return len(lines) }))
	for _, lines := range cells {
		room := make([]string, len(rows)-len(lines))
		if low {
			lines, room = room, lines
		}
		for y, line := range slices.Concat(lines, room) {
			rows[y] = append(rows[y], line)
		}
	}
	return rows
}

// parts are the columns of one table, or of several that begin with the same keys. It returns nil if these and
// another column do not fit, or if there are no keys.
func (g grid) parts(keys, width int) (parts [][]int) {
	all := upTo(len(g.columns))
	if g.width() <= width {
		return [][]int{all}
	}
	names := all[:keys]
	part := names
	for _, i := range all[keys:] {
		longer := append(slices.Clip(part), i)
		if len(part) > keys && g.pick(longer).width() > width {
			parts, longer = append(parts, part), append(slices.Clip(names), i)
		}
		part = longer
		if g.pick(part).width() > width {
			return nil
		}
	}
	if keys == 0 || len(part) == keys {
		return nil
	}
	return append(parts, part)
}

// upTo is 0, 1, ..., n-1.
func upTo(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

func (g grid) pick(columns []int) grid {
	pick := func(row []string) (cells []string) {
		for _, i := range columns {
			if i < len(row) {
				cells = append(cells, row[i])
			}
		}
		return cells
	}
	head := slices.DeleteFunc(lists.Map(g.head, pick), func(row []string) bool { return strings.Join(row, "") == "" })
	return grid{lists.Map(columns, func(i int) Column { return g.columns[i] }), head, lists.Map(g.rows, pick)}
}

// text aligns the columns, with a rule below the header on a terminal.
func (g grid) text(terminal bool) string {
	widths := g.widths()
	line := func(row []string) string { return g.align(row, widths) }
	header, lines := lists.Map(g.head, line), lists.Map(g.rows, line)
	if terminal {
		width := lipgloss.Width(strings.Join(slices.Concat(header, lines), "\n"))
		bold := lipgloss.NewStyle().Bold(os.Getenv("NO_COLOR") == "")
		header = append(lists.Map(header, func(line string) string { return bold.Render(line) }), strings.Repeat("─", width))
	}
	return strings.Join(slices.Concat(header, lines), "\n") + "\n"
}

// align pads the cells of a row, without trailing spaces.
func (g grid) align(row []string, widths []int) (line string) {
	for i, cell := range row {
		side := lists.Either(g.columns[i].Number, lipgloss.Right, lipgloss.Left)
		line += lipgloss.PlaceHorizontal(widths[i], side, cell) + strings.Repeat(" ", between)
	}
	return strings.TrimRight(line, " ")
}

// narrowest is how much room a paragraph's values have at least.
const narrowest = 20

// paragraphs breaks long values between words.
func paragraphs(rows [][]string, width int) string {
	titles, units, widest := rows[0], rows[1], 0
	for _, title := range titles {
		widest = min(max(widest, lipgloss.Width(title)), width/2)
	}
	var paragraphs []string
	for _, row := range rows[2:] {
		var text strings.Builder
		for i, cell := range row {
			if cell != "" && cell != "-" {
				value := ansi.Wordwrap(strings.TrimRight(cell+" "+units[i], " "), max(width-widest-between, narrowest), "")
				value = strings.ReplaceAll(value, "\n", "\n"+strings.Repeat(" ", widest+between))
				fmt.Fprintf(&text, "%-*s  %s\n", widest, titles[i], value)
			}
		}
		if len(row) > 0 {
			paragraphs = append(paragraphs, text.String())
		}
	}
	return strings.Join(paragraphs, "\n")
}
