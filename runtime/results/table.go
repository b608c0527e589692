package results

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
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
	Wrap    int // the last column, a text, is broken between words so that lines are not longer; 0: it is not
}

// TableOf makes a table with a row for each item. Bars separate the titles; # begins those of numbers.
func TableOf[T any](titles string, list []T, cells func(T) []string) (t Table) {
	for title := range strings.SplitSeq(titles, " | ") {
		title, isNumber := strings.CutPrefix(title, "#")
		t.Columns = append(t.Columns, Column{Title: title, Number: isNumber})
	}
	t.Rows = lists.Map(list, cells)
	return t
}

// Pick returns the table with some of its columns, in this order.
func (t Table) Pick(columns ...int) Table {
	g := grid{t.Columns, nil, t.Rows}.pick(columns)
	t.Columns, t.Rows = g.columns, g.rows
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
	rules := lists.Map(t.Columns, func(c Column) string { return lists.Either(c.Number, "---:", "---") })
	for _, row := range slices.Insert(t.data(), 1, rules) {
		cells := lists.Map(row, func(cell string) string { return strings.ReplaceAll(cell, "|", `\|`) })
		if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")); err != nil {
			return err
		}
	}
	return nil
}

// List writes notes as a list in Markdown.
func List(w io.Writer, notes []string) error {
	lines := lists.Map(notes, func(note string) string { return "- " + Plain(note) + "\n" })
	_, err := io.WriteString(w, strings.Join(lines, ""))
	return err
}

func (t Table) CSV(w io.Writer) error { return csv.NewWriter(w).WriteAll(t.data()) }

// Plain replaces control characters, which could move a terminal's cursor or change its
// colors: texts of scripts and files are not trusted. Tabs and newlines become spaces.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r) || r == unicode.ReplacementChar:
			return '?'
		}
		return r
	}, text)
}

// Clean is a writer of lines in which scripts and files may have a part: see Plain.
type Clean struct{ io.Writer }

func (c Clean) Write(text []byte) (int, error) {
	lines := lists.Map(strings.Split(string(text), "\n"), Plain)
	_, err := io.WriteString(c.Writer, strings.Join(lines, "\n"))
	return len(text), err
}

// RateText formats a rate with three significant digits.
func RateText(mops float64) string {
	digits := 2 - int(math.Floor(math.Log10(max(mops, 0.01))))
	return strconv.FormatFloat(mops, 'f', min(max(digits, 0), 3), 64)
}

// MillisText formats seconds as milliseconds.
func MillisText(seconds float64) string { return fmt.Sprintf("%.3f", 1e3*seconds) }

// Enough reports whether there are enough batches to have a percentile: ten have no 99th.
func Enough(part float64, batches uint64) bool { return float64(batches)*(1-part) >= 1-1e-9 }

// MaxNoise is the noise above which a figure says nothing, and NoFigure is shown instead.
const (
	MaxNoise = 0.5
	NoFigure = "no figure"
)

// LeastRuns is how many runs show how noisy they are: with fewer, no interval holds their median with a probability of 95
// percent.
const LeastRuns = 6

// NoiseText formats the worst noise of the rows in percent: "?" with too few runs to
// tell, "no figure" above MaxNoise, a trailing "*" if a row did not settle.
func NoiseText(rows []Row) string {
	worst, star := 0.0, ""
	for _, r := range rows {
		if r.Noise == nil {
			return "?"
		}
		worst = max(worst, *r.Noise)
		if !r.Settled {
			star = "*"
		}
	}
	return lists.Either(worst > MaxNoise, NoFigure, fmt.Sprintf("%.1f", 100*worst)+star)
}

// WriteJSON writes a value, indented.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// grid is a table with its header as rows, of titles and of units. Cells may have several lines.
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
	g, last := grid{t.Columns, rows[:2], rows[2:]}.pick(upTo(len(t.Columns))), len(t.Columns)-1
	if t.Wrap > 0 {
		room := max(t.Wrap-between-g.pick(upTo(last)).width(), narrowest)
		for _, row := range g.rows {
			row[last] = ansi.Wordwrap(row[last], room, "")
		}
	}
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
	return lists.Sum(g.widths(), func(w int) int { return w + between }) - between
}

// broken breaks titles and units between words, as far as the columns get narrower by that.
func (g grid) broken() grid {
	widths := grid{g.columns, nil, g.rows}.widths()
	for _, row := range g.head {
		for i, cell := range row {
			widths[i] = max(widths[i], lists.Max(strings.Fields(tied(cell)), lipgloss.Width))
		}
	}
	head := make([][]string, len(g.head))
	for n, row := range g.head {
		for i, cell := range row {
			head[n] = append(head[n], strings.ReplaceAll(ansi.Wordwrap(tied(cell), widths[i], ""), noBreak, " "))
		}
	}
	return grid{g.columns, head, g.rows}
}

const noBreak = "\u00a0"

// tied keeps a percent sign on the line of the word before it.
func tied(title string) string { return strings.ReplaceAll(title, " %", noBreak+"%") }

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
func upTo(n int) []int { return lists.Make(n, func(i int) int { return i }) }

func (g grid) pick(columns []int) grid {
	pick := func(row []string) []string { // which may be an empty line
		there := lists.Filter(columns, func(i int) bool { return i < len(row) })
		return lists.Map(there, func(i int) string { return row[i] })
	}
	head := slices.DeleteFunc(lists.Map(g.head, pick), func(row []string) bool { return strings.Join(row, "") == "" })
	return grid{lists.Map(columns, func(i int) Column { return g.columns[i] }), head, lists.Map(g.rows, pick)}
}

// text aligns the columns, with a rule below the header on a terminal.
func (g grid) text(terminal bool) string {
	widths := g.widths()
	var header, lines []string
	for i, row := range g.head { // titles stand on their last line, units on the first
		header = append(header, g.align(row, widths, lists.Either(i == 0, lipgloss.Bottom, lipgloss.Top))...)
	}
	for _, row := range g.rows {
		lines = append(lines, g.align(row, widths, lipgloss.Top)...)
	}
	if terminal {
		width := lipgloss.Width(strings.Join(slices.Concat(header, lines), "\n"))
		bold := lipgloss.NewStyle().Bold(os.Getenv("NO_COLOR") == "")
		header = append(lists.Map(header, func(line string) string { return bold.Render(line) }), strings.Repeat("─", width))
	}
	return strings.Join(slices.Concat(header, lines), "\n") + "\n"
}

// align returns the lines of a row, with padded cells and without trailing spaces.
func (g grid) align(row []string, widths []int, at lipgloss.Position) []string {
	var cells []string
	for i, cell := range row {
		side := lists.Either(g.columns[i].Number, lipgloss.Right, lipgloss.Left)
		cells = append(cells, lipgloss.NewStyle().Width(widths[i]).Align(side).Render(cell), strings.Repeat(" ", between))
	}
	lines := strings.Split(lipgloss.JoinHorizontal(at, cells...), "\n")
	return lists.Map(lines, func(line string) string { return strings.TrimRight(line, " ") })
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
