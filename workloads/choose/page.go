package choose

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// Page writes an answer for people.
func Page(w io.Writer, a results.Choice) error {
	fmt.Fprintf(w, "wanted: %s\n\n", results.Plain(a.Goal))
	if a.Winner == nil {
		return results.Table{}.Print(w, append([]string{"no scheme does that"}, reasonLines("cannot", a.Cannot)...)...)
	}
	if err := ranking(a).Print(w); err != nil {
		return err
	}
	lines := []string{"", "run it again: " + a.Command, ""}
	lines = append(lines, within(a)...)
	lines = append(lines, chart(a)...)
	lines = append(lines, conditions(a)...)
	lines = append(lines, reasonLines("cannot", a.Cannot)...)
	lines = append(lines, reasonLines("not tried", a.NotTried)...)
	lines = append(lines, fmt.Sprintf("measured: %d candidates in %d runs, %s of batches in %s",
		a.Measured, a.Runs, seconds(a.Service), seconds(a.Seconds)))
	return results.Table{}.Print(w, lines...)
}

func seconds(s float64) string { return fmt.Sprintf("%.3gs", s) }

// ranking is the winner, what is as fast, and the best of the other schemes.
func ranking(a results.Choice) results.Table {
	var rows [][]string
	add := func(place string, list ...results.Candidate) {
		for _, c := range list {
			rows = append(rows, []string{place, c.Scheme, results.RateText(c.Mops), relative(c), fmt.Sprintf("%.2f", c.Load),
				fmt.Sprintf("%.1f", c.BytesPerPair), p99(c)})
		}
	}
	add("best", *a.Winner)
	for _, c := range a.Within {
		add(map[bool]string{true: "as fast", false: "unclear"}[c.Same], c)
	}
	for _, c := range a.Others {
		add(map[bool]string{true: "", false: "short runs"}[c.Low != nil], c)
	}
	t := results.Table{Keys: 2, Rows: rows, Columns: []results.Column{{}, {Title: "scheme"}, {Title: "rate", Unit: "Mop/s", Number: true},
		{Title: "of the best", Number: true}, {Title: "filled", Number: true}, {Title: "bytes", Unit: "per pair", Number: true}}}
	if a.P99 > 0 {
		t.Columns = append(t.Columns, results.Column{Title: "99 % of batches", Unit: "ms", Number: true})
		return t
	}
	for i := range t.Rows {
		t.Rows[i] = t.Rows[i][:len(t.Columns)]
	}
	return t
}

func p99(c results.Candidate) string {
	if c.P99 == 0 {
		return "-"
	}
	return results.MillisText(c.P99)
}

// relative is a ratio with half its interval, if that is known.
func relative(c results.Candidate) string {
	text := fmt.Sprintf("%.2f", c.Ratio)
	if c.Low != nil {
		text += fmt.Sprintf(" ± %.2f", (*c.High-*c.Low)/2)
	}
	return text
}

func within(a results.Choice) []string {
	if len(a.Within) == 0 {
		return []string{"nothing else is as fast; short runs: measured in these only"}
	}
	return []string{"as fast: the difference is certainly below 2 percent; unclear: the noise hides whether there is one; short runs: measured in these only"}
}

// barWidth is how wide the bar of the fastest candidate is.
const barWidth = 24

// chart draws the front: a bar for the rate of each candidate, by bytes per pair.
func chart(a results.Choice) []string {
	title, most := "rate against memory, where nothing is both smaller and faster", 0.0
	for _, c := range a.Front {
		if most = max(most, c.Ratio); c.Ratio > 1 && c.Load < a.Winner.Load {
			title = "rate against memory, where nothing is both smaller and faster; above 1.00 in emptier tables than were asked for"
		}
	}
	lines := []string{"", title + ":"}
	for _, c := range a.Front {
		bar := strings.Repeat("#", int(math.Round(barWidth*c.Ratio/most)))
		lines = append(lines, fmt.Sprintf("%7.1f bytes  %-*s %5.2f  %s", c.BytesPerPair, barWidth, bar, c.Ratio, c.Scheme))
	}
	return append(lines, "")
}

func conditions(a results.Choice) (lines []string) {
	for _, d := range a.Depends {
		lines = append(lines, fmt.Sprintf("with %s, %s is %.0f %% faster", d.When, d.Scheme, 100*(d.Ratio-1)))
	}
	if len(a.Alike) > 0 {
		lines = append(lines, "nothing is certainly faster with "+strings.Join(a.Alike, ", "))
	}
	if lines == nil {
		lines = []string{"what the choice depends on was not tried"}
	}
	return append(lines, "")
}

// fewNames bounds the names in a line.
const fewNames = 6

func reasonLines(what string, list []results.Reason) []string {
	return lists.Map(list, func(r results.Reason) string {
		names := r.Schemes
		more := ""
		if n := len(names) - fewNames; n > 0 {
			names, more = names[:fewNames], fmt.Sprintf(" and %d more", n)
		}
		return fmt.Sprintf("%s: %s%s: %s", what, strings.Join(names, ", "), more, r.Why)
	})
}
