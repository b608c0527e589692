package survey

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/schemes"
)

// Page is a survey in Markdown.
func Page(rows []Row, loads []float64) string {
	var able, taken, watched [][]string
	for _, r := range rows {
		name, c := "`"+r.String()+"`", r.Scheme.Caps
		able = append(able, []string{name, r.Title, strings.Join(c.Ops, ", "), cmp.Or(strings.Join(c.Concurrent, ", "), "none"),
			stable(r.Scheme), yes(c.Duplicates), yes(c.HostMemory), pairs(c)})
		taken = append(taken, slices.Concat([]string{name, reached(r)}, figures(r, loads)))
		for _, g := range r.Gauges {
			watched = append(watched, []string{name, g.Name, g.Unit, g.Help})
		}
	}
	columns := []string{"scheme", "fills to"}
	for _, load := range loads {
		for _, what := range []string{"insert", "found", "absent", "bytes"} {
			columns = append(columns, fmt.Sprintf("%s at %g", what, load))
		}
	}
	var b strings.Builder
	table(&b, "What each can do", "---",
		[]string{"scheme", "what it is", "operations", "may share a batch", "stable", "duplicates", "in host memory", "pairs"}, able)
	table(&b, "What each takes", "---:", columns, taken)
	table(&b, "What can be watched", "---", []string{"scheme", "gauge", "of", "what it shows"}, watched)
	return strings.TrimPrefix(b.String(), "\n")
}

// table writes a table. Align is the rule below all columns but the first.
func table(b *strings.Builder, title, align string, columns []string, rows [][]string) {
	rule := append([]string{"---"}, slices.Repeat([]string{align}, len(columns)-1)...)
	fmt.Fprintf(b, "\n## %s\n\n", title)
	for _, row := range slices.Concat([][]string{columns, rule}, rows) {
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
}

func reached(r Row) string {
	if r.Grows {
		return "grows"
	}
	return fmt.Sprintf("%.2f", r.Reached)
}

// figures are a scheme's cells. A table that was not filled as far as requested says so.
func figures(r Row, loads []float64) []string {
	var cells []string
	for i, p := range r.Probes {
		if p.Failed > 0 {
			cells = append(cells, "full", "", "", "")
			continue
		}
		note := ""
		if off := p.Filled - loads[i]; off > 0.01 || off < -0.01 {
			note = fmt.Sprintf(" (is %.2f full)", p.Filled)
		}
		cells = append(cells, fmt.Sprintf("%.2f%s", p.Insert, note), fmt.Sprintf("%.2f", p.Present),
			fmt.Sprintf("%.2f", p.Absent), fmt.Sprintf("%.1f", p.Bytes))
	}
	return cells
}

func pairs(c schemes.Capabilities) string {
	var list []string
	for _, p := range c.Pairs {
		list = append(list, p.String())
	}
	return strings.Join(list, " ")
}

// stable says whether pairs stay in place, and with which choices they do not.
func stable(s *schemes.Scheme) string {
	if with := s.MovesWith(); with != nil {
		return yes(s.Caps.Stable) + ", but not with " + strings.Join(with, " or ")
	}
	return yes(s.Caps.Stable)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
