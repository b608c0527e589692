package check

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// Report is the findings of a check, for people.
type Report []Finding

// Add adds a finding, if there is one.
func (r *Report) Add(f *Finding) {
	if f != nil {
		*r = append(*r, *f)
	}
}

// Count is the number of findings with a status.
func (r Report) Count(which ...Status) int {
	return len(r.where(func(f Finding) bool { return slices.Contains(which, f.Status) }))
}

// Print writes a table for each part, then every failure with the command that repeats it.
func (r Report) Print(w io.Writer) error {
	tables := []results.Table{
		r.of("verbs").summary("verbs", func(f Finding) string { name, _, _ := strings.Cut(f.What, ", "); return name }),
		r.of("vectors").summary("vectors of", schemeOf),
	}
	tables = append(tables, r.ladders()...)
	tables = append(tables, r.figures(), r.fills(),
		r.of("backends").summary("the same as on a CPU with one thread", func(f Finding) string {
			return lists.Either(f.Scheme != "", f.Scheme+": "+f.What, "streams of numbers")
		}))
	tables = append(tables, r.claims()...)
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
	line := fmt.Sprintf("%d passed, %d failed", r.Count(Passed), r.Count(Failed))
	if n := r.Count(Differs); n > 0 {
		line += fmt.Sprintf(", %d differ for the reasons given", n)
	}
	if excused := r.Count(NotOffered) + r.Count(Unavailable); excused > 0 {
		line += fmt.Sprintf(", %d not offered or unavailable", excused)
	}
	return line
}

func (r Report) where(is func(Finding) bool) Report { return lists.Filter(r, is) }

func (r Report) of(part string) Report {
	return r.where(func(f Finding) bool { return f.Part == part })
}

// tally is "7 of 8", and what became of the rest.
func (r Report) tally() string {
	text := fmt.Sprintf("%d of %d", r.Count(Passed), len(r))
	for _, status := range []Status{Failed, NotOffered, Unavailable} {
		if n := r.Count(status); n > 0 {
			text += fmt.Sprintf(", %d %s", n, status)
		}
	}
	return text
}

func (r Report) summary(title string, name func(Finding) string) results.Table {
	return results.TableOf(title+" | passed", lists.Groups(r, name), func(g Report) []string { return []string{name(g[0]), g.tally()} })
}

func schemeOf(f Finding) string { return f.Scheme }

func (r Report) ladders() (tables []results.Table) {
	for _, of := range lists.Groups(r.of("ladder"), schemeOf) {
		configs := lists.Groups(of, func(f Finding) string { return f.Config + " " + f.Pair })
		what := lists.Either(len(configs) == 1, of[0].Config+" "+of[0].Pair, fmt.Sprintf("%s, %d configurations", of[0].Scheme, len(configs)))
		tables = append(tables, of.summary("ladder of "+what, func(f Finding) string { return fmt.Sprintf("%2d  %s", f.Rung, f.What) }))
	}
	return tables
}

// figures has a line for each measured table, and a column for each figure. "!": too far from the expected one.
func (r Report) figures() results.Table {
	compared := r.where(func(f Finding) bool { return f.Figure != nil })
	titles := []string{"measured (expected)", "#load"}
	titles = lists.Add(titles, lists.Map(compared, func(f Finding) string { return "#" + f.What })...)
	measured := func(f Finding) string { return fmt.Sprintf("%s %.2f", f.Config, f.Figure.Load) }
	return results.TableOf(strings.Join(titles, " | "), lists.Groups(compared, measured), func(table Report) []string {
		row := make([]string, len(titles))
		row[0], row[1] = table[0].Config, fmt.Sprintf("%.2f", table[0].Figure.Load)
		for _, f := range table {
			mark := map[bool]string{true: "! "}[f.Status == Failed]
			row[slices.Index(titles, "#"+f.What)] = fmt.Sprintf("%s%.4f (%.4f)", mark, f.Figure.Measured, f.Figure.Expected)
		}
		return row
	})
}

func (r Report) fills() results.Table {
	return results.TableOf("tables that fill | #load | #full | #at least", r.of("fills"), func(f Finding) []string {
		return []string{f.Config, fmt.Sprintf("%.2f", f.Fill.Load), fmt.Sprintf("%d of %d", f.Fill.Full, f.Fill.Of), fmt.Sprint(f.Fill.Least)}
	})
}

// printOthers explains everything that did not pass; equal excuses are printed once.
func (r Report) printOthers(to io.Writer) {
	w := results.Clean{Writer: to}
	for _, status := range []Status{NotOffered, Unavailable} {
		excused := r.where(func(f Finding) bool { return f.Status == status })
		for _, same := range lists.Groups(excused, func(f Finding) string { return f.Why }) {
			fmt.Fprintf(w, "%s: %s (%s)\n", status, same[0].subject(), same[0].Why)
			if more := len(same) - 1; more > 0 {
				fmt.Fprintf(w, "  and %d more for the same reason\n", more)
			}
		}
		if len(excused) > 0 {
			fmt.Fprintln(w)
		}
	}
	for _, f := range r {
		if f.Status == Failed {
			fmt.Fprintf(w, "failed: %s\n  %s\n  repeat with: %s\n\n", f.subject(), f.Why, f.Repeat)
		}
	}
}

func (f Finding) subject() string {
	subject := strings.Join(slices.DeleteFunc([]string{f.Config, f.Pair, f.Part}, func(s string) bool { return s == "" }), " ")
	if f.Rung > 0 {
		subject += fmt.Sprintf(", rung %d", f.Rung)
	}
	return subject + ": " + f.What
}
