package analysis

import (
	"math"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// published is swept with the numbers of a paper and a plot of a column.
func published(plot results.Plot, numbers ...results.Published) Side {
	s := swept()
	s.Files[0].Run.Script = &results.Script{Plots: []results.Plot{plot}, Published: numbers, Options: map[string]string{"where": "device"}}
	return s
}

func printed(column string, value float64, unit string, of ...string) results.Published {
	p := results.Published{Of: map[string]string{}, Column: column, Value: value, Unit: unit, Source: "published: Table 1"}
	for i := 0; i < len(of); i += 2 {
		p.Of[of[i]] = of[i+1]
	}
	return p
}

var byLoad = results.Plot{X: "load", Y: "failed"}

func TestPublishedNumbersAreUnderTheResultsThatTheyBelongTo(t *testing.T) {
	f := figures(t, results.Plot{}, published(byLoad,
		printed("failed", 7, "pairs", "scheme", "first:size=8", "op", "find", "load", "0.8"),
		printed("failed", 5, "pairs", "scheme", "first", "op", "find", "load", "0.6"),
		printed("failed", 9, "pairs", "scheme", "second", "where", "device"),
		printed("failed", 1, "pairs", "scheme", "second", "where", "host"),
		printed("failed", 2, "pairs", "scheme", "first:size=16"),
		printed("failed", 3, "pairs", "scheme", "third", "load", "0.5"),
		printed("failed", 4, "ms", "scheme", "first"),
		printed("mops", 4, "Mop/s", "scheme", "first")))[0]
	insert, find := f.Panels[0], f.Panels[1]
	must.Need(t, len(insert.Published) == 1 && len(find.Published) == 2 && find.Published[0].Group == 0, "%+v", f.Panels)
	s := find.Published[0].Spots
	must.Hold(t, len(s) == 2 && s[0].X == 0.6 && s[0].Y == 5 && s[1].Y == 7 && s[1].Source == "published: Table 1", "%+v", s)
	for _, level := range []Curve{insert.Published[0], find.Published[1]} {
		must.Hold(t, level.Group == 1 && len(level.Spots) == 1 && level.Spots[0].X == AnyX && level.Spots[0].Y == 9, "%+v: a number without a load factor is a level", level)
	}
	must.Hold(t, f.Published == "published" && f.Notes[0] == "published: Table 1" && f.Y.Label == "failed operations", "%q, %q, %q", f.Published, f.Notes, f.Y.Label)
}

func TestPublishedNumbersOfOtherResultsAreLeftOut(t *testing.T) {
	f := figures(t, results.Plot{}, published(byLoad, printed("failed", 3, "pairs", "scheme", "third", "load", "0.5")))[0]
	must.Hold(t, f.Published == "" && strings.Contains(strings.Join(f.Notes, "\n"), "none of the script's 1 published numbers of failed"), "%q %q", f.Published, f.Notes)
	s := published(byLoad, printed("failed", 3, "pairs", "scheme", "first", "load", "0.5"), printed("failed", 4, "pairs", "scheme", "first", "load", "0.9"))
	f = figures(t, results.Plot{Where: map[string][]string{"load": {"0.9", "0.7"}, "op": {"find"}}}, s)[0]
	c := f.Panels[0].Published
	must.Hold(t, len(c) == 1 && len(c[0].Spots) == 1 && c[0].Spots[0].Y == 4, "%+v: where is for them too", c)
}

// With schemes beside each other, numbers belong to the point that all have.
func TestPublishedNumbersOfBars(t *testing.T) {
	s := published(byLoad, printed("failed", 3, "pairs", "scheme", "second", "load", "0.5"), printed("failed", 4, "pairs", "scheme", "second", "load", "0.9"))
	f := figures(t, results.Plot{Where: map[string][]string{"load": {"0.9"}, "op": {"find"}}}, s)[0]
	c := f.Panels[0].Published
	must.Hold(t, f.X.Bars && len(c) == 1 && len(c[0].Spots) == 1 && c[0].Spots[0].X == 1 && c[0].Spots[0].Y == 4, "%+v", c)
}

// Values that done returned have no parameters, but the rows of the scheme have.
func TestPublishedNumbersOfSummaries(t *testing.T) {
	s := published(results.Plot{X: "load", Y: "good %"}, printed("good %", 3, "%", "scheme", "second:size=8", "load", "0.5"),
		printed("good %", 4, "%", "scheme", "second:size=9", "load", "0.5"))
	c := figures(t, results.Plot{}, s)[0].Panels[0].Published
	must.Hold(t, len(c) == 1 && c[0].Group == 1 && c[0].Spots[0].Y == 3, "%+v", c)
}

func TestRatiosToAScheme(t *testing.T) {
	relative := results.Plot{X: "load", Y: "mops", Relative: map[string]string{"scheme": "second"}}
	s := published(relative,
		printed("mops", 100, "Mop/s", "scheme", "second", "op", "find"), printed("mops", 150, "Mop/s", "scheme", "first", "op", "find"),
		printed("mops", 3, "times second", "scheme", "first", "op", "insert", "load", "0.7"), printed("mops", 3, "times third", "scheme", "first", "op", "insert"))
	for i := range s.Files[0].Rows {
		if r := &s.Files[0].Rows[i]; strings.HasPrefix(r.Scheme, "first") {
			r.Rate *= 2
		}
	}
	f := figures(t, results.Plot{}, s)[0]
	must.Match(t, f.Y.Label, "throughput relative to second")
	for _, p := range f.Panels {
		for i, want := range []float64{2, 1} {
			spot := p.Curves[i].Spots[1]
			must.Hold(t, math.Abs(spot.Y-want) <= 1e-9, "%+v: want %g", spot, want)
		}
	}
	// The interval of a ratio is wider than that of the rate, and the base has none.
	if ours, base := f.Panels[1].Curves[0].Spots[1], f.Panels[1].Curves[1].Spots[1]; ours.High < 2*1.15 || base.High != 1 {
		t.Errorf("%+v %+v", ours, base)
	}
	levels := f.Panels[1].Published
	must.Hold(t, len(levels) == 2 && levels[0].Spots[0].Y == 1 && levels[1].Spots[0].Y == 1.5, "%+v: rates of another machine are ratios", levels)
	c := f.Panels[0].Published
	must.Hold(t, len(c) == 1 && c[0].Spots[0].X != AnyX && c[0].Spots[0].Y == 3, "%+v", f.Panels[0])
	f = figures(t, results.Plot{Relative: map[string]string{}}, s)[0]
	must.Hold(t, f.Published == "" && f.Y.Label == "throughput (Mop/s)" && f.Panels[0].Curves[0].Spots[0].Y == 20, "%+v: not relative, so without rates of others", f)
	n := f.Notes[0]
	must.Hold(t, strings.HasPrefix(n, "without published numbers: those of another machine"), "%q", n)
}

func TestRatiosWithoutTheirScheme(t *testing.T) {
	relative := results.Plot{X: "load", Y: "mops", Relative: map[string]string{"scheme": "third"}}
	f := figures(t, results.Plot{}, published(relative))[0]
	must.Hold(t, f.Panels[0].Curves[0].Spots[0].Y == 10 && strings.Contains(strings.Join(f.Notes, "\n"), "the results lack third to divide by"), "%+v", f)
	_, err := Figures([]Side{swept()}, results.Plot{Relative: map[string]string{"scheme": "secund"}})
	must.Say(t, err, `unknown scheme to divide by "secund": did you mean second`)
	s := swept()
	for i := range s.Files[0].Rows {
		s.Files[0].Rows[i].Scheme = strings.Replace(s.Files[0].Rows[i].Scheme, "second", "first:size=9", 1)
	}
	must.Say(t, must.Err(Figures([]Side{s}, results.Plot{Relative: map[string]string{"scheme": "first"}})), "the results have first:size=8 and first:size=9: choose one")
}

// Where the scheme to divide by has no value, others have no ratio, and a note says so.
func TestRatiosWhereTheirSchemeIsMissing(t *testing.T) {
	s := swept()
	s.Files[0].Rows = s.Files[0].Rows[:len(s.Files[0].Rows)-2]
	f := figures(t, results.Plot{Relative: map[string]string{"scheme": "second"}}, s)[0]
	n := len(f.Panels[0].Curves[0].Spots)
	must.Hold(t, n == 2 && strings.Contains(strings.Join(f.Notes, "\n"), "left out: 2 of 10 marks, where second has no value"), "%d, %q", n, f.Notes)
}

// A scheme that failed has a gap where its value would be, and the figure says why.
func TestFailedSchemesHaveGaps(t *testing.T) {
	s := swept()
	f := &s.Files[0]
	f.Path, f.Rows = "a.json", f.Rows[:len(f.Rows)-2]
	f.LeftOut = []results.LeftOut{{Scheme: "second", Point: results.Point{"load": 0.9}, Reason: "out of memory", Failed: true}}
	f.End.Error = "scheme second: out of memory"
	figure := figures(t, results.Plot{}, s)[0]
	for _, p := range figure.Panels {
		must.Hold(t, len(p.Gaps) == 1 && p.Gaps[0] == (Gap{1, 0.9}), "%+v", p.Gaps)
	}
	must.Hold(t, len(figure.Failed) == 1 && figure.Failed[0] == "failed: second: out of memory", "%q", figure.Failed)
	f.End.Error = "out of paper"
	lines := figures(t, results.Plot{}, s)[0].Failed
	must.Hold(t, len(lines) == 2 && lines[1] == "a.json is not of a whole run: out of paper", "%q", lines)
}
