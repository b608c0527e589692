package check

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/results"
)

// Report prints the findings of a check for people.
type Report struct{ Findings []Finding }

// Add adds a finding, if there is one.
func (r *Report) Add(f *Finding) {
	if f != nil {
		r.Findings = append(r.Findings, *f)
	}
}

// Count is the number of findings with a status.
func (r Report) Count(status Status) int {
	return len(r.where(func(f Finding) bool { return f.Status == status }).Findings)
}

// Print writes a table for each part, then every failure with the command that repeats it.
func (r Report) Print(w io.Writer) error {
	tables := []results.Table{
		r.of("verbs").summary("verbs", func(f Finding) string { name, _, _ := strings.Cut(f.What, ", "); return name }),
		r.of("vectors").summary("vectors of", func(f Finding) string { return f.Scheme }),
	}
	tables = append(tables, r.ladders()...)
	tables = append(tables, r.figures(), r.fills(),
		r.of("backends").summary("the same as on a CPU with one thread", func(f Finding) string {
			if f.Scheme != "" {
				return f.Scheme + ": " + f.What
			}
			return "streams of numbers"
		}))
	for _, table := range tables {
		if len(table.Rows) == 0 {
			continue
		}
		if err := table.Print(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	r.printOthers(w)
	_, err := fmt.Fprintln(w, r.Summary())
	return err
}

// Summary is the report in one line.
func (r Report) Summary() string {
	if len(r.Findings) == 0 {
		return "nothing was checked"
	}
	line := fmt.Sprintf("%d passed, %d failed", r.Count(Passed), r.Count(Failed))
	if excused := r.Count(NotOffered) + r.Count(Unavailable); excused > 0 {
		line += fmt.Sprintf(", %d not offered or unavailable", excused)
	}
	return line
}

func (r Report) where(is func(Finding) bool) Report {
	return Report{slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return !is(f) })}
}

// of are the findings of a part.
func (r Report) of(part string) Report {
	return r.where(func(f Finding) bool { return f.Part == part })
}

// tally is "7 of 8", and what became of the rest.
func (r Report) tally() string {
	text := fmt.Sprintf("%d of %d", r.Count(Passed), len(r.Findings))
	for _, status := range []Status{Failed, NotOffered, Unavailable} {
		if n := r.Count(status); n > 0 {
			text += fmt.Sprintf(", %d %s", n, status)
		}
	}
	return text
}

// groupBy groups findings by a name, in the order of the first of each group.
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

// summary is a table with a line for each group.
func (r Report) summary(title string, name func(Finding) string) results.Table {
	table := results.Table{Columns: []results.Column{{Title: title}, {Title: "passed"}}}
	names, groups := r.groupBy(name)
	for _, name := range names {
		table.Rows = append(table.Rows, []string{name, groups[name].tally()})
	}
	return table
}

// ladders is a table for each scheme: how many of its configurations passed each rung.
func (r Report) ladders() (tables []results.Table) {
	schemes, of := r.of("ladder").groupBy(func(f Finding) string { return f.Scheme })
	for _, scheme := range schemes {
		configs, _ := of[scheme].groupBy(func(f Finding) string { return f.Config + " " + f.Pair })
		title := fmt.Sprintf("ladder of %s, %d configurations", scheme, len(configs))
		if len(configs) == 1 {
			title = "ladder of " + configs[0]
		}
		tables = append(tables, of[scheme].summary(title, func(f Finding) string { return fmt.Sprintf("%2d  %s", f.Rung, f.What) }))
	}
	return tables
}

// figures has a line for each table that was measured, and a column for each figure. A mark
// says that it is too far from the expected one.
func (r Report) figures() results.Table {
	compared := r.where(func(f Finding) bool { return f.Figure != nil })
	whats, _ := compared.groupBy(func(f Finding) string { return f.What })
	filled, of := compared.groupBy(func(f Finding) string { return fmt.Sprintf("%s\t%.2f", f.Config, f.Figure.Load) })
	table := results.Table{Columns: []results.Column{{Title: "measured (expected)"}, {Title: "load", Number: true}}}
	for _, what := range whats {
		table.Columns = append(table.Columns, results.Column{Title: what, Number: true})
	}
	for _, name := range filled {
		row := append(strings.Split(name, "\t"), make([]string, len(whats))...)
		for _, f := range of[name].Findings {
			mark := map[bool]string{true: "! "}[f.Status == Failed]
			row[2+slices.Index(whats, f.What)] = fmt.Sprintf("%s%.4f (%.4f)", mark, f.Figure.Measured, f.Figure.Expected)
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

func (r Report) fills() results.Table {
	table := results.Table{Columns: []results.Column{{Title: "tables that fill"}, {Title: "load", Number: true},
		{Title: "full", Number: true}, {Title: "at least", Number: true}}}
	for _, f := range r.of("fills").Findings {
		table.Rows = append(table.Rows, []string{f.Config, fmt.Sprintf("%.2f", f.Fill.Load),
			fmt.Sprintf("%d of %d", f.Fill.Full, f.Fill.Of), fmt.Sprint(f.Fill.Least)})
	}
	return table
}

// printOthers explains everything that did not pass; equal excuses are printed once.
func (r Report) printOthers(w io.Writer) {
	for _, status := range []Status{NotOffered, Unavailable} {
		reasons, of := r.where(func(f Finding) bool { return f.Status == status }).groupBy(func(f Finding) string { return f.Why })
		for _, why := range reasons {
			fmt.Fprintf(w, "%s: %s (%s)\n", status, of[why].Findings[0].subject(), why)
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

// subject says what a finding is about.
func (f Finding) subject() string {
	subject := strings.Join(slices.DeleteFunc([]string{f.Config, f.Pair, f.Part}, func(s string) bool { return s == "" }), " ")
	if f.Rung > 0 {
		subject += fmt.Sprintf(", rung %d", f.Rung)
	}
	return subject + ": " + f.What
}
