package check

import (
	"fmt"
	"io"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/results"
)

// Report is all findings of a check, for people.
type Report struct{ Findings []Finding }

// Count is how many findings have a status.
func (r Report) Count(status Status) int {
	n := 0
	for _, f := range r.Findings {
		if f.Status == status {
			n++
		}
	}
	return n
}

// Print writes what was checked: a table for each part, and then every failure
// with the command that repeats it.
func (r Report) Print(w io.Writer) error {
	for _, section := range []func(io.Writer) error{r.printVerbs, r.printVectors, r.printLadder, r.printFigures, r.printFills, r.printBackends} {
		if err := section(w); err != nil {
			return err
		}
	}
	r.printOthers(w)
	_, err := fmt.Fprintln(w, r.Summary())
	return err
}

// Summary is one line that says it all.
func (r Report) Summary() string {
	if len(r.Findings) == 0 {
		return "nothing was checked"
	}
	failed, excused := r.Count(Failed), r.Count(NotOffered)+r.Count(Unavailable)
	line := fmt.Sprintf("%d passed, %d failed", r.Count(Passed), failed)
	if excused > 0 {
		line += fmt.Sprintf(", %d not offered or unavailable", excused)
	}
	return line
}

// of are the findings of a part.
func (r Report) of(part string) Report {
	var list []Finding
	for _, f := range r.Findings {
		if f.Part == part {
			list = append(list, f)
		}
	}
	return Report{list}
}

// tally is "7 of 8", and what the rest is.
func (r Report) tally() string {
	text := fmt.Sprintf("%d of %d", r.Count(Passed), len(r.Findings))
	for _, status := range []Status{Failed, NotOffered, Unavailable} {
		if n := r.Count(status); n > 0 {
			text += fmt.Sprintf(", %d %s", n, status)
		}
	}
	return text
}

// groupBy puts findings together that have the same name, in the order of the first.
func (r Report) groupBy(name func(Finding) string) (names []string, groups map[string]Report) {
	groups = map[string]Report{}
	for _, f := range r.Findings {
		if _, ok := groups[name(f)]; !ok {
			names = append(names, name(f))
		}
		groups[name(f)] = Report{append(groups[name(f)].Findings, f)}
	}
	return names, groups
}

// summarise prints a table with a line for each group, and a blank line.
func (r Report) summarise(w io.Writer, title string, name func(Finding) string) error {
	if len(r.Findings) == 0 {
		return nil
	}
	table := results.Table{Columns: []results.Column{{Title: title}, {Title: "passed"}}}
	names, groups := r.groupBy(name)
	for _, name := range names {
		table.Rows = append(table.Rows, []string{name, groups[name].tally()})
	}
	return printTable(w, table)
}

func printTable(w io.Writer, table results.Table) error {
	if err := table.Print(w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

func (r Report) printVerbs(w io.Writer) error {
	return r.of("verbs").summarise(w, "verbs", func(f Finding) string { name, _, _ := strings.Cut(f.What, ", "); return name })
}

func (r Report) printVectors(w io.Writer) error {
	return r.of("vectors").summarise(w, "vectors of", func(f Finding) string { return f.Scheme })
}

func (r Report) printBackends(w io.Writer) error {
	return r.of("backends").summarise(w, "the same as on a CPU with one thread", func(f Finding) string {
		if f.Scheme != "" {
			return f.Scheme + ": " + f.What
		}
		return "streams of numbers"
	})
}

// printLadder prints a table for each scheme: its rungs, and how many of its
// configurations passed them.
func (r Report) printLadder(w io.Writer) error {
	schemes, of := r.of("ladder").groupBy(func(f Finding) string { return f.Scheme })
	for _, scheme := range schemes {
		configs, _ := of[scheme].groupBy(func(f Finding) string { return f.Config + " " + f.Pair })
		title := fmt.Sprintf("ladder of %s, %d configurations", scheme, len(configs))
		if len(configs) == 1 {
			title = "ladder of " + configs[0]
		}
		err := of[scheme].summarise(w, title, func(f Finding) string { return fmt.Sprintf("%2d  %s", f.Rung, f.What) })
		if err != nil {
			return err
		}
	}
	return nil
}

// printFigures prints a line for each table on which figures were measured, and a
// column for each figure.
func (r Report) printFigures(w io.Writer) error {
	figures := r.of("figures")
	var compared Report
	for _, f := range figures.Findings {
		if f.Figure != nil {
			compared.Findings = append(compared.Findings, f)
		}
	}
	if len(compared.Findings) == 0 {
		return nil
	}
	whats, _ := compared.groupBy(func(f Finding) string { return f.What })
	tables, of := compared.groupBy(func(f Finding) string { return fmt.Sprintf("%s\t%.2f", f.Config, f.Figure.Load) })
	table := results.Table{Columns: []results.Column{{Title: "measured (published)"}, {Title: "load", Number: true}}}
	for _, what := range whats {
		table.Columns = append(table.Columns, results.Column{Title: what, Number: true})
	}
	for _, name := range tables {
		config, load, _ := strings.Cut(name, "\t")
		row := []string{config, load}
		for _, what := range whats {
			row = append(row, of[name].figure(what))
		}
		table.Rows = append(table.Rows, row)
	}
	return printTable(w, table)
}

// figure is a cell: what was measured, what was published, and a mark if that is
// too far apart.
func (r Report) figure(what string) string {
	for _, f := range r.Findings {
		if f.What != what {
			continue
		}
		mark := ""
		if f.Status == Failed {
			mark = "! "
		}
		return fmt.Sprintf("%s%.4f (%.4f)", mark, f.Figure.Measured, f.Figure.Published)
	}
	return ""
}

func (r Report) printFills(w io.Writer) error {
	table := results.Table{Columns: []results.Column{{Title: "tables that fill"}, {Title: "load", Number: true},
		{Title: "full", Number: true}, {Title: "at least", Number: true}}}
	for _, f := range r.of("fills").Findings {
		table.Rows = append(table.Rows, []string{f.Config, fmt.Sprintf("%.2f", f.Fill.Load),
			fmt.Sprintf("%d of %d", f.Fill.Full, f.Fill.Of), fmt.Sprint(f.Fill.Least)})
	}
	if table.Rows == nil {
		return nil
	}
	return printTable(w, table)
}

// printOthers explains everything that did not pass; what has the same reason,
// once.
func (r Report) printOthers(w io.Writer) {
	for _, status := range []Status{NotOffered, Unavailable} {
		var list Report
		for _, f := range r.Findings {
			if f.Status == status {
				list.Findings = append(list.Findings, f)
			}
		}
		reasons, of := list.groupBy(func(f Finding) string { return f.Why })
		for _, why := range reasons {
			first := of[why].Findings[0]
			fmt.Fprintf(w, "%s: %s (%s)\n", status, first.subject(), why)
			if more := len(of[why].Findings) - 1; more > 0 {
				fmt.Fprintf(w, "  and %d more for the same reason\n", more)
			}
		}
		if len(reasons) > 0 {
			fmt.Fprintln(w)
		}
	}
	for _, f := range r.Findings {
		if f.Status == Failed {
			fmt.Fprintf(w, "failed: %s\n  %s\n  repeat with: %s\n\n", f.subject(), f.Why, f.Repeat)
		}
	}
}

// subject is what a finding is about.
func (f Finding) subject() string {
	var parts []string
	for _, part := range []string{f.Config, f.Pair, f.Part} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	subject := strings.Join(parts, " ")
	if f.Rung > 0 {
		subject += fmt.Sprintf(", rung %d", f.Rung)
	}
	return subject + ": " + f.What
}
