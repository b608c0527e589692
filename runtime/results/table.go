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
