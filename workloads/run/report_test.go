package run

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
)

func figure(x float64) *float64 { return &x }

func row(scheme, phase, op string, rate float64, at results.Point) results.Row {
	return results.Row{Scheme: scheme, Phase: phase, Op: op, Point: at, Rate: rate, Noise: figure(0.01), Settled: true,
		Counts: map[string]uint64{"failed": 0}, Load: 0.8, BytesPerPair: figure(10)}
}

// rowsOf is a build and two kinds of finds of two schemes at one point.
func rowsOf(at results.Point) []results.Row {
	var rows []results.Row
	for i, scheme := range []string{"1cht", "bcht"} {
		faster := 1 + float64(i)
		rows = append(rows, row(scheme, Prepare, "insert", 10*faster, at), row(scheme, "all", "find", 20*faster, at), row(scheme, "none", "find", 5/faster, at))
	}
	return rows
}

func report(t *testing.T, axes []string, rows []results.Row, summaries []results.Summary, sort string) *Report {
	t.Helper()
	var list []Axis
	for _, name := range axes {
		list = append(list, Axis{Name: name})
	}
	return must.Get(NewReport(list, rows, nil, summaries, sort))(t)
}

func TestReport(t *testing.T) {
	rows := append(rowsOf(results.Point{"load": 0.8, "keys": "zipfian"}), rowsOf(results.Point{"load": 0.9, "keys": "zipfian"})...)
	rows[1].Noise, rows[1].Settled = figure(0.25), false
	rows[3].Counts = map[string]uint64{"failed": 12, "rejected": 2}
	for i := 6; i < 9; i++ {
		rows[i].BytesPerPair = nil
	}
	rows = slices.Delete(rows, 11, 12) // bcht was stopped before its last phase
	summaries := []results.Summary{
		{Scheme: "1cht", Point: rows[0].Point, Size: 100, Load: 0.85, TableBytes: 1600, Values: map[string]any{"verdict": "good", "score": 12345678.0}},
		{Scheme: "bcht", Point: rows[0].Point, Values: map[string]any{"score": 2.5}, Notes: []string{"gen.from took 2 s"},
			Thresholds: []results.Threshold{{Condition: "score > 3", Value: 2.5}, {Condition: "score > 2", Value: 2.5, Holds: true}}},
		{Scheme: "1cht", Point: rows[6].Point},
	}
	r := report(t, []string{"load", "keys"}, rows, summaries, "")
	var out bytes.Buffer
	must.OK(t, r.Table().Print(&out))
	want := `
scheme  load     keys  insert  all find  none find  noise  failed  filled     bytes       score  verdict
                        Mop/s     Mop/s      Mop/s    ± %                  per pair
1cht     0.8  zipfian    10.0      20.0       5.00  25.0*       0   0.850      16.0  1.2346e+07     good
bcht     0.8  zipfian    20.0      40.0       2.50    1.0      12   0.800      10.0         2.5        -

1cht     0.9  zipfian    10.0      20.0       5.00    1.0       0   0.800         -           -        -
bcht     0.9  zipfian    20.0      40.0          -    1.0       0   0.800      10.0           -        -
`
	must.Match(t, "\n"+out.String(), want)
	remarks := []string{
		"* the noise did not come below its bound, or there were fewer runs than repeat.least",
		"bcht at load=0.8 keys=zipfian: insert: 2 keys were rejected: the two largest keys are reserved",
		"bcht at load=0.8 keys=zipfian: the threshold score > 3 does not hold: it has 2.5",
		"bcht at load=0.8 keys=zipfian: gen.from took 2 s",
	}
	must.Match(t, r.Remarks(summaries), remarks)
}

// Only what was looked at has columns: probes, accesses that they avoid, response times.
func TestReportOfMore(t *testing.T) {
	rows := []results.Row{row("bcht", Prepare, "insert", 10, nil), row("bcht", "paced", "find", 10, nil), row("bcht", "paced", "mix", 5, nil)}
	rows[0].Noise = nil // prepare was measured once; that is no remark on the rest
	rows[1].Open, rows[1].Batches = &results.OpenLoop{High: 0.0125, Late: 3, Behind: 1000}, 100
	rows[2].Open, rows[2].Batches = &results.OpenLoop{High: 0.5, Late: 4, Behind: 1000}, 99
	rows[2].Noise = figure(0.51)
	rows[2].Phases = []string{"insert", "find"}
	rows[0].PerOp = map[string]float64{"probes": 1.25, "table_reads": 1.25, "table_writes": 1} // reads as many: no news
	rows[1].PerOp = map[string]float64{"probes": 1.5, "table_reads": 0.75}
	rows[1].Notes = []string{"rebuilt 2 times"}
	r := report(t, nil, rows, nil, "")
	var out bytes.Buffer
	must.OK(t, r.Table().Print(&out))
	want := `
scheme  insert   find    mix           find      mix  late  behind      noise  failed  filled     bytes  insert    find     mix        insert         find
         Mop/s  Mop/s  Mop/s         p99 ms   p99 ms                      ± %                  per pair  probes  probes  probes  table writes  table reads
bcht      10.0   10.0   5.00  12.500 of 100  - of 99     7    1000  no figure       0   0.800      10.0   1.250   1.500       -         1.000        0.750
`
	must.Match(t, "\n"+out.String(), want)
	remarks := []string{
		"no figure: the noise is above 50 percent; hint: run more or larger batches, or keep the machine free of other work",
		"bcht: find: rebuilt 2 times",
		"- of few: a 99th percentile takes at least 100 batches; hint: make the stage longer or its batches smaller",
		"mix runs in phases on bcht: insert, find",
	}
	must.Match(t, r.Remarks(nil), remarks)
}

// ratios are those of rowsOf, of whose second row there is none.
func ratios(first, last float64) []*analysis.Row {
	kinds := []analysis.Kind{analysis.Faster, analysis.Slower, analysis.Same, analysis.Unclear, analysis.Unclear, analysis.Faster}
	list := lists.Map(kinds, func(k analysis.Kind) *analysis.Row {
		return &analysis.Row{Estimate: analysis.Estimate{Ratio: first}, Verdict: k}
	})
	list[1], list[5].Ratio = nil, last
	return list
}

func TestBaseline(t *testing.T) {
	r, err := NewReport(nil, rowsOf(nil), ratios(0.9876, 2), nil, "")
	must.OK(t, err)
	lines := lists.Map(r.Table().Rows, func(cells []string) string { return strings.Join(cells[:7], " | ") })
	must.Match(t, lines, []string{
		"1cht | 10.0 | 0.988 + | 20.0 | - | 5.00 | 0.988 =",
		"bcht | 20.0 | 0.988 ~ | 40.0 | 0.988 ~ | 2.50 | 2.000 +",
	})
	const column = "none find ratio"
	r, err = NewReport(nil, rowsOf(nil), ratios(0.9876, 2), nil, column)
	err = errors.Join(err, CheckSort(column, []string{"none"}, func(string) bool { return false }))
	must.Hold(t, err == nil && r.points[0][0].scheme == "bcht", "by ratio: %v", err)
}

func TestSort(t *testing.T) {
	rows := rowsOf(nil)
	rows[3].Counts = map[string]uint64{"failed": 12}
	summaries := []results.Summary{{Scheme: "1cht"}, {Scheme: "bcht", Values: map[string]any{"score": 2.5}}}
	for sort, first := range map[string]string{"insert": "bcht", "all find": "bcht", "none find": "1cht", "none find Mop/s": "1cht",
		"failed": "1cht", "score": "bcht", "scheme": "1cht", "noise": "1cht"} {
		must.Match(t, report(t, nil, rows, summaries, sort).points[0][0].scheme, first, sort)
	}
	// Schemes with different inputs are not ranked.
	rows[5].Compare = "batch 1 of event 3 was find 50 on 1cht, find 60 on bcht"
	r := report(t, nil, rows, summaries, "insert")
	must.Match(t, r.points[0][0].scheme, "1cht", "ranked though not comparable")
	want := "not comparable: none find: " + rows[5].Compare
	must.Hold(t, slices.Contains(r.Remarks(nil), want), "remarks %q", r.Remarks(nil))
	must.Equal(t, must.Err(NewReport(nil, rows, nil, summaries, "isnert")), `unknown column "isnert": did you mean insert?`)
}

// A scheme that is given twice is two lines: that is how to see how far noise goes.
func TestTheSameSchemeTwice(t *testing.T) {
	p := plan(t, script{shape: small, prepare: inserts(100), stages: []Stage{{Batches: 2}}, event: finds(10),
		done: func(all map[string]any) (map[string]any, error) { return map[string]any{"n": all["n"]}, nil }}, "bcht", "bcht", "1cht")
	p.Points = must.Get(Points([]Axis{{"x", []any{1.0, 2.0}}}))(t)
	h := done(t, p)
	var lines []string
	for _, cells := range report(t, []string{"x"}, h.rows(), h.summaries(), "").Table().Rows {
		lines = append(lines, strings.Join(append(slices.Clone(cells[:min(2, len(cells))]), cells[max(0, len(cells)-1):]...), " "))
	}
	must.Match(t, fmt.Sprintf("%q", lines), `["bcht 1 120" "bcht 1 120" "1cht 1 120" "" "bcht 2 120" "bcht 2 120" "1cht 2 120"]`)
}

// A table that has grown and shrunk again is shown as it was when it was fullest.
func TestFullestTable(t *testing.T) {
	s := script{shape: small, prepare: inserts(1000), stages: []Stage{{Batches: 1}}, event: does(engine.Batch{Op: "erase", Keys: keys(0, 1000)}),
		done: func(map[string]any) (map[string]any, error) { return nil, nil }}
	h := done(t, plan(t, s, "linear:resize=auto"))
	rows := h.rows()
	before, after := rows[0], rows[1]
	must.Hold(t, before.Size == 1000 && after.Size == 0 && before.Capacity > after.Capacity && before.TableBytes >= 8000 &&
		*before.BytesPerPair == float64(before.TableBytes)/1000, "%+v", rows)
	table := report(t, nil, rows, h.summaries(), "").Table()
	filled := slices.IndexFunc(table.Columns, func(c results.Column) bool { return c.Title == "filled" })
	got, want := table.Rows[0][filled], fmt.Sprintf("%.3f", rows[0].Load)
	must.Hold(t, got == want && rows[0].Load != 0, "filled %s, want %s", got, want)
}

// failing is a run of schemes with long names, of which two found no room for many pairs.
func failing(phases ...string) (rows []results.Row) {
	for i, scheme := range []string{"bcht", "iht:bucket=32,threshold=80", "slab:alloc=super,beta=120"} {
		at := results.Point{"load": 0.8, "keys": "zipfian"}
		insert := row(scheme, Prepare, "insert", 10, at)
		insert.Counts, insert.Lost = map[string]uint64{"failed": []uint64{0, 271828, 314159}[i]}, "inserts failed"
		rows = append(rows, insert)
		for _, phase := range phases {
			find := row(scheme, phase, "find", 1234, at)
			find.PerOp, find.Open = map[string]float64{"probes": 1.5}, &results.OpenLoop{}
			rows = append(rows, find)
		}
	}
	return rows
}

// However narrow the terminal is, tables say how many inserts failed, with schemes side by side if a few columns fit.
func TestFailedIsShownAtEveryWidth(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	tables := map[string]results.Table{
		"run":   report(t, []string{"load", "keys"}, failing("warm", "the busy hour", "late at night"), nil, "").Table(),
		"bench": report(t, []string{"load"}, failing("find 100 %", "find 50 %", "find 0 %"), nil, "").Table(),
	}
	for name, table := range tables {
		for width := 20; width <= 200; width++ {
			text := table.Fit(width, true)
			head, shown := "", 0
			for line := range strings.Lines(text) {
				if strings.Contains(line, "failed") {
					head = line
				}
				for _, figure := range []string{"271828", "314159"} {
					end := strings.Index(line, figure) + len(figure)
					if strings.Contains(line, figure) && end <= width && (end == strings.Index(head, "failed")+len("failed") || head == line) {
						shown++
					}
				}
			}
			must.Need(t, shown == 2, "%s, %d cells: failed inserts of %d schemes\n%s", name, width, shown, text)
			wide := lipgloss.Width(text)
			must.Need(t, width < 80 || wide <= width && strings.Contains(text, "─"), "%s, %d cells: not side by side, or %d wide\n%s", name, width, wide, text)
		}
	}
}

// docs/running.md has every result that a script or threshold can name.
func TestDocsNameEveryResult(t *testing.T) {
	page := must.Get(os.ReadFile("../../docs/running.md"))(t)
	for _, name := range slices.Concat(fields, tableFields) {
		must.Hold(t, strings.Contains(string(page), "`"+name+"`"), "docs/running.md says nothing of %s", name)
	}
}

// A column that no table can have is refused before a run; what may be one is not.
func TestCheckSort(t *testing.T) {
	phases := []string{"run", "find 50 %"}
	own := func(name string) bool { return slices.Contains([]string{"hit %", "per load"}, name) }
	for title, ok := range map[string]bool{
		"": true, "scheme": true, "noise": true, "noise ± %": true, "late": true, "find": true, "find Mop/s": true, "run": true, "find p99 ms": true, "find table reads": true,
		"resize ms": true, "run find": true, "prepare insert": true, "find 50 %": true, "hit %": true, "per load update": true,
		"isnert": false, "rnu find": false, "hit": false, "Mop/s": false, "load": false,
	} {
		must.Match(t, CheckSort(title, phases, own) == nil, ok, title)
	}
}

// Notes that differ in numbers alone are one, with the range of each and how often.
func TestNotesOfOneKind(t *testing.T) {
	var n Notes
	for _, note := range []string{
		"took out 200 erased pairs and gave 0 slabs back", "super block 2 added", "took out 50 erased pairs and gave 0 slabs back",
		"took out 1000 erased pairs and gave 0 slabs back", "rebuilt 1 times, load 0.85", "super block 3 added", "moved", "moved",
	} {
		n.Add(note)
	}
	want := []string{"took out 50 to 1000 erased pairs and gave 0 slabs back (3 times)", "super block 2 to 3 added (2 times)",
		"rebuilt 1 times, load 0.85", "moved (2 times)"}
	must.Match(t, n.Texts(), want)
}

// A scheme is shown once for all batches that ask it to make room, and a flush by its time.
func TestNotesOfARun(t *testing.T) {
	s := script{shape: small, stages: []Stage{{Batches: 7}}, prepare: inserts(100), event: does(engine.Batch{Op: "flush"})}
	h := done(t, plan(t, s, "slab"))
	table := report(t, nil, h.rows(), h.summaries(), "").Table()
	c := table.Columns[2]
	must.Hold(t, c.Title == "flush" && c.Unit == "ms" && regexp.MustCompile(`^\d+\.\d{3}$`).MatchString(table.Rows[0][2]), "%+v: %q", c, table.Rows[0])
	for _, r := range h.rows() {
		must.Hold(t, r.Op != "flush" || len(r.Notes) == 1 && r.Notes[0] == "took out 0 erased pairs and gave 0 slabs back (7 times)", "notes %q", r.Notes)
	}
}

// Inserts of keys that are in the table fail on some schemes. Their tables lack nothing, in contrast to full ones.
func TestRefusedInserts(t *testing.T) {
	again := script{shape: small, prepare: inserts(100), stages: []Stage{{Batches: 2}}, event: func(t Table, _ uint64, _ string) (bool, error) {
		return true, inserts(100)(t)
	}}
	for _, scheme := range []string{"linear", "linear:resize=auto", "chained", "gomap"} {
		rows := done(t, plan(t, again, scheme)).rows()
		last := rows[len(rows)-1]
		must.Hold(t, last.Counts["failed"] == 200 && last.Lost == "" && len(last.Notes) == 1 && last.Result == "", "%s: %+v", scheme, last)
	}
	full := script{shape: small, stages: []Stage{{Batches: 2}}, event: again.event}
	full.shape.Load, full.shape.Capacity, full.shape.N = 0, 64, 0
	for _, scheme := range []string{"linear", "bcht"} {
		for _, r := range done(t, plan(t, full, scheme)).rows() {
			must.Hold(t, r.Counts["failed"] != 0 && r.Lost == "inserts had found no room", "%s: %+v", scheme, r)
		}
	}
}

func TestProgress(t *testing.T) {
	var p Progress
	is := func(now time.Duration, done float64, left time.Duration, where string) {
		t.Helper()
		if d := p.Done(now) - done; d < -1e-9 || d > 1e-9 || p.Left(now) != left || p.Where() != where {
			t.Errorf("after %v: %v done, %v left, at %s; want %v, %v, %s", now, p.Done(now), p.Left(now), p.Where(), done, left, where)
		}
	}
	const s, unknown = time.Second, time.Duration(-1)
	is(0, 0, unknown, "")
	p.Hear(PointBegan{Index: 0, Of: 3, Point: Point{{"load", 0.5}}}, 0)
	p.Hear(PhaseBegan{Index: 0, Of: 2, Name: "prepare"}, 0)
	is(5*s, 0, unknown, "load=0.5 (1 of 3), prepare")

	// A phase of which nothing is known takes as long as the one that is going on.
	p.Hear(Measured{Done: 0.5}, 10*s)
	is(10*s, 10.0/120, 110*s, "load=0.5 (1 of 3), prepare")

	// One that has just begun says nothing, and a short one before it is not taken for it.
	p.Hear(PhaseBegan{Index: 1, Of: 2, Name: "run"}, 20*s)
	is(21*s, 0, unknown, "load=0.5 (1 of 3), run")
	p.Hear(Measured{Done: 0.25}, 40*s)
	is(40*s, 40.0/300, 260*s, "load=0.5 (1 of 3), run")

	// At the next point phases are as long as they were, until they say more.
	p.Hear(PointBegan{Index: 1, Of: 3, Point: Point{{"load", 0.6}}}, 100*s)
	is(100*s, 1.0/3, 200*s, "load=0.6 (2 of 3)")
	p.Hear(PhaseBegan{Index: 0, Of: 2, Name: "prepare"}, 100*s)
	is(110*s, 110.0/300, 190*s, "load=0.6 (2 of 3), prepare")
	p.Hear(Measured{Done: 0.5}, 120*s)
	is(120*s, 120.0/340, 220*s, "load=0.6 (2 of 3), prepare")

	// A phase of which nobody knows more is not shorter than it was so far.
	p.Hear(PhaseBegan{Index: 1, Of: 2, Name: "run"}, 140*s)
	p.Hear(Measured{Done: -1}, 300*s)
	is(300*s, 300.0/500, 200*s, "load=0.6 (2 of 3), run")
}
