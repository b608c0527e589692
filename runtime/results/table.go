package results

import (
	"fmt"
	"io"
	"os"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
)

// Column is a column of a table. Numbers stand to the right.
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

// Print writes the table: on a terminal with a line under the header, elsewhere
// plain. Where a terminal is too narrow for it, each row becomes a paragraph, so
// that no figure is cut.
func (t Table) Print(w io.Writer) error {
	t = t.plain()
	width, terminal := screen(w)
	text := t.grid(terminal)
	if terminal && lipgloss.Width(text) > width {
		text = t.paragraphs()
	}
	_, err := fmt.Fprint(colorprofile.NewWriter(w, os.Environ()), text)
	return err
}

// plain is the table with nothing in it but text.
func (t Table) plain() Table {
	var p Table
	for _, c := range t.Columns {
		p.Columns = append(p.Columns, Column{Plain(c.Title), Plain(c.Unit), c.Number})
	}
	for _, row := range t.Rows {
		var cells []string
		for _, cell := range row {
			cells = append(cells, Plain(cell))
		}
		p.Rows = append(p.Rows, cells)
	}
	return p
}

// screen is the width of the terminal that w is, if it is one.
func screen(w io.Writer) (width int, terminal bool) {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(file.Fd()) {
		return 0, false
	}
	width, _, err := term.GetSize(file.Fd())
	return width, err == nil && width > 0
}

// grid aligns the columns. The header has a second line if there are units.
func (t Table) grid(terminal bool) string {
	titles, units := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		titles[i], units[i] = c.Title, c.Unit
		widths[i] = max(lipgloss.Width(c.Title), lipgloss.Width(c.Unit))
		for _, row := range t.Rows {
			if len(row) > 0 {
				widths[i] = max(widths[i], lipgloss.Width(row[i]))
			}
		}
	}
	header := []string{t.line(titles, widths)}
	if below := t.line(units, widths); below != "" {
		header = append(header, below)
	}
	var lines []string
	for _, row := range t.Rows {
		lines = append(lines, t.line(row, widths))
	}
	if terminal {
		header = underlined(header, lines)
	}
	return strings.Join(append(header, lines...), "\n") + "\n"
}

// line pads the cells of one line. Nothing follows its last text.
func (t Table) line(cells []string, widths []int) string {
	var line strings.Builder
	for i, cell := range cells {
		space := strings.Repeat(" ", widths[i]-lipgloss.Width(cell))
		if t.Columns[i].Number {
			cell, space = space+cell, ""
		}
		line.WriteString(cell + space + "  ")
	}
	return strings.TrimRight(line.String(), " ")
}

// underlined makes the header stand out: bold, with a line as wide as the table.
func underlined(header, lines []string) []string {
	width := 0
	for _, line := range append(lines, header...) {
		width = max(width, lipgloss.Width(line))
	}
	bold := lipgloss.NewStyle().Bold(os.Getenv("NO_COLOR") == "")
	for i := range header {
		header[i] = bold.Render(header[i])
	}
	return append(header, strings.Repeat("─", width))
}

func (t Table) paragraphs() string {
	widest := 0
	for _, c := range t.Columns {
		widest = max(widest, lipgloss.Width(c.Title))
	}
	var text strings.Builder
	for i, row := range t.Rows {
		if len(row) == 0 {
			continue
		}
		if i > 0 {
			text.WriteString("\n")
		}
		for j, c := range t.Columns {
			if row[j] != "" && row[j] != "-" {
				line := fmt.Sprintf("%-*s  %s %s", widest, c.Title, row[j], c.Unit)
				text.WriteString(strings.TrimRight(line, " ") + "\n")
			}
		}
	}
	return text.String()
}
