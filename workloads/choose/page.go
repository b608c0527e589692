package choose

import (
	_ "embed" // the page
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/template"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

//go:embed page.txt
var pageText string

// Page writes an answer for people.
func Page(w io.Writer, a results.Choice) error {
	fmt.Fprintf(w, "wanted: %s\n\n", results.Plain(a.Goal))
	if a.Winner != nil {
		if err := ranking(a).Print(w); err != nil {
			return err
		}
	}
	most := lists.Max(a.Front, func(c results.Candidate) float64 { return c.Ratio })
	page, err := template.New("").Funcs(template.FuncMap{
		"bar": func(ratio float64) string { return strings.Repeat("#", int(math.Round(barWidth*ratio/most))) },
		"emptier": func() bool {
			return slices.ContainsFunc(a.Front, func(c results.Candidate) bool { return c.Ratio > 1 && c.Load < a.Winner.Load })
		},
		"few": func(names []string) string {
			const most = 6
			if more := len(names) - most; more > 0 {
				return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
			}
			return strings.Join(names, ", ")
		},
		"join":    func(list []string) string { return strings.Join(list, ", ") },
		"percent": func(ratio float64) string { return fmt.Sprintf("%.0f", 100*(ratio-1)) },
	}).Parse(strings.TrimSuffix(pageText, "\n"))
	if err != nil {
		return err
	}
	return page.Execute(results.Clean{Writer: w}, a)
}

// ranking is the winner, what is as fast, and the best of the other schemes.
func ranking(a results.Choice) results.Table {
	t := results.Table{Keys: 2, Columns: []results.Column{{}, {Title: "scheme"}, {Title: "rate", Unit: "Mop/s", Number: true},
		{Title: "of the best", Number: true}, {Title: "filled", Number: true}, {Title: "bytes", Unit: "per pair", Number: true}}}
	if a.Winner.Hits > 0 {
		t.Columns[2].Unit = "Mhit/s"
		t.Columns = append(t.Columns, results.Column{Title: "hits", Unit: "%", Number: true})
	}
	if a.P99 > 0 {
		t.Columns = append(t.Columns, results.Column{Title: "99 % of batches", Unit: "ms", Number: true})
	}
	add := func(place string, list ...results.Candidate) {
		t.Rows = append(t.Rows, lists.Map(list, func(c results.Candidate) []string { return append([]string{place}, cells(a, c)...) })...)
	}
	add("best", *a.Winner)
	for _, c := range a.Within {
		add(map[bool]string{true: "as fast", false: "unclear"}[c.Same], c)
	}
	for _, c := range a.Others {
		add(map[bool]string{true: "", false: "short runs"}[c.Low != nil], c)
	}
	return t
}

func cells(a results.Choice, c results.Candidate) []string {
	ratio := fmt.Sprintf("%.2f", c.Ratio)
	if c.Low != nil { // half its interval, if that is known
		ratio += fmt.Sprintf(" ± %.2f", (*c.High-*c.Low)/2)
	}
	list := []string{c.Scheme, results.RateText(c.Mops), ratio, fmt.Sprintf("%.2f", c.Load), fmt.Sprintf("%.1f", c.BytesPerPair)}
	if a.Winner.Hits > 0 {
		list = append(list, fmt.Sprintf("%.1f", c.Hits))
	}
	if a.P99 > 0 {
		list = append(list, lists.Either(c.P99 > 0, results.MillisText(c.P99), "-"))
	}
	return list
}

// barWidth is the width of the fastest candidate's bar.
const barWidth = 24
