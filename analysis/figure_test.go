package analysis

import (
	"math"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// swept has rows of two schemes over the load factor, and a summary for each.
func swept() Side {
	var f File
	noise := 0.1
	for _, scheme := range []string{"first:size=8", "second"} {
		for i, load := range []float64{0.5, 0.7, 0.9} {
			p := results.Point{"load": load}
			for k, op := range []string{"insert", "find"} {
				f.Rows = append(f.Rows, results.Row{Scheme: scheme, Op: op, Pair: "k4v4", Point: p, Rate: float64(10*(i+1) + k),
					Median: 0.002, N: 100, Completed: 100, Batches: 2, Runs: []float64{0.002, 0.003}, Noise: &noise,
					Parameters: map[string]string{"size": "8"}, Counts: map[string]uint64{"failed": 3}})
			}
			f.Summaries = append(f.Summaries, results.Summary{Scheme: scheme, Point: p, Values: map[string]any{"good %": 50 + load}})
		}
	}
	f.Rows[0].Lost = "inserts had found no room"
	f.Rows[2].Completed = 90
	return Side{Name: "a.json", Files: []File{f}}
}

func figures(t *testing.T, chosen results.Plot, sides ...Side) []Figure {
	t.Helper()
	return must.Get(Figures(sides, chosen))(t)
}

func TestFigureHasACurveForEachSchemeAndAPanelForTheRest(t *testing.T) {
	f := figures(t, results.Plot{}, swept())[0]
	must.Need(t, f.X.Name == "load" && f.X.Label == "load factor" && len(f.Panels) == 2 && f.Panels[0].Title == "insert", "%+v", f)
	must.Hold(t, strings.Join(f.Groups, " ") == "first:size=8 second", "groups %v", f.Groups)
	spots := f.Panels[0].Curves[0].Spots
	must.Hold(t, len(spots) == 3 && spots[1].Y == 20 && spots[1].Low < 18.2 && spots[1].High > 22, "%+v", spots)
	must.Hold(t, strings.HasPrefix(spots[0].Mark, "other contents") && spots[1].Mark == "operations failed" && spots[2].Mark == "", "marks %+v", spots)
	must.Hold(t, len(f.Hollow) == 2, "hollow: %q", f.Hollow)
}

func TestFigureChoices(t *testing.T) {
	where := map[string][]string{"op": {"find"}}
	f := figures(t, results.Plot{X: "size", Where: where}, swept())[0]
	must.Hold(t, f.Groups[0] == "first" && len(f.Panels) == 3 && f.Panels[0].Title == "load factor 0.5", "a parameter on the axis is not repeated: %+v", f)
	f = figures(t, results.Plot{Y: "good %"}, swept())[0]
	must.Hold(t, len(f.Panels) == 1 && f.Panels[0].Curves[1].Spots[2].Y == 50.9, "summaries: %+v", f)
	f = figures(t, results.Plot{X: "batch", Y: "ms", Where: map[string][]string{"op": {"find"}, "load": {"0.7"}}}, swept())[0]
	s := f.Panels[0].Curves[0].Spots
	must.Hold(t, len(s) == 2 && s[1].X == 2 && s[1].Y == 3, "batches: %+v", s)
	f = figures(t, results.Plot{Where: map[string][]string{"load": {"0.9"}}}, swept())[0]
	must.Hold(t, f.X.Name == "scheme" && f.X.Bars && f.Title == "load factor 0.9", "one value on the axis: %+v", f)
	f = figures(t, results.Plot{}, swept(), Side{Name: "b.json", Files: swept().Files})[0]
	must.Hold(t, len(f.Groups) == 4 && f.Groups[2] == "first:size=8, b.json", "two runs: %v", f.Groups)
}

func TestFigureOfRepeatedRuns(t *testing.T) {
	s := swept()
	for _, faster := range []float64{1.1, 1.2} {
		f := swept().Files[0]
		for i := range f.Rows {
			f.Rows[i].Rate *= faster
			f.Rows[i].Noise = nil
		}
		s.Files = append(s.Files, f)
	}
	f := figures(t, results.Plot{}, s)[0]
	spot := f.Panels[1].Curves[1].Spots[0]
	if y := 12.1; math.Abs(spot.Y-y) > 1e-9 || spot.Low > y/1.2 || spot.High < y*1.2 {
		t.Errorf("%+v: the median is %g, and the interval is of the spread", spot, y)
	}
	s.Files[0].Rows[1].Lost = "" // the row of the median run is that of another file
	s.Files[2].Rows[1].Lost = "inserts had found no room"
	if spot := figures(t, results.Plot{}, s)[0].Panels[1].Curves[0].Spots[0]; spot.Mark == "" {
		t.Errorf("%+v: the table of one run lacked pairs", spot)
	}
	must.Hold(t, strings.Contains(f.Notes[0], "over 3 runs"), "notes %q", f.Notes)
}

func TestFigureUsesLargeUnits(t *testing.T) {
	s := swept()
	for i := range s.Files[0].Rows {
		s.Files[0].Rows[i].Rate *= 1000
	}
	f := figures(t, results.Plot{}, s)[0]
	must.Hold(t, f.Y.Label == "throughput (Gop/s)" && f.Panels[0].Curves[0].Spots[0].Y == 10, "%+v", f.Y)
}

func TestFigureLeavesZerosOffLogarithms(t *testing.T) {
	s := swept()
	s.Files[0].Rows[1].Counts["failed"] = 0
	f := figures(t, results.Plot{Y: "failed", Log: "y"}, s)[0]
	if len(f.Panels[1].Curves[0].Spots) != 2 && len(f.Panels[0].Curves[0].Spots) != 2 || !strings.Contains(strings.Join(f.Notes, ""), "failed 0 (1)") {
		t.Errorf("%+v", f)
	}
}

func TestFigureDeclared(t *testing.T) {
	s := swept()
	s.Files[0].Run.Script = &results.Script{Plots: []results.Plot{
		{X: "load", Y: "failed", Log: "y", Title: "Failures"}, {X: "load", Y: "nothing"}, {X: "load", Y: "good %"}}}
	list := figures(t, results.Plot{}, s)
	must.Hold(t, len(list) == 2 && list[0].Title == "Failures" && list[0].Y.Log && list[0].Panels[0].Curves[0].Spots[0].Y == 3, "%+v", list)
	if list = figures(t, results.Plot{Y: "failed"}, s); len(list) != 1 || list[0].Title != "Failures" || !list[0].Y.Log {
		t.Errorf("%+v: the plot of that column is meant", list)
	}
	list = figures(t, results.Plot{}, s)
	n := list[0].Notes
	must.Hold(t, strings.HasPrefix(n[len(n)-1], `left out: unknown column "nothing"`), "notes %q", n)
}

func TestLimitsOfAPanel(t *testing.T) {
	side := swept()
	for i := range side.Files[0].Rows {
		if r := &side.Files[0].Rows[i]; r.Op == "find" {
			r.Limit = 400 + float64(i)/10 // measured again in each run
		}
	}
	f := figures(t, results.Plot{}, side)[0]
	must.Hold(t, f.Panels[0].Limits == nil && len(f.Panels[1].Limits) == 1 && int(f.Panels[1].Limits[0]) == 400, "%v and %v", f.Panels[0].Limits, f.Panels[1].Limits)
	share := figures(t, results.Plot{Y: "limit"}, side)[0]
	y := share.Panels[0].Curves[0].Spots[0].Y
	must.Hold(t, math.Abs(y-100*11/400.1) <= 1e-9 && share.Panels[0].Limits == nil, "%v, %v", y, share.Panels[0].Limits)
}
