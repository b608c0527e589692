package report_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/analysis/report"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // tests run the schemes that ship
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/record"
	workloads "github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// everything is a script whose results have all that a page shows. One scheme loses pairs on full tables.
const everything = `-- Lookups that arrive at a fixed rate.
options = { n = 4000 }
axes = { load = { 0.5, 0.9 } }
shape = { n = opt.n, load = opt.load }
stages = { { name = "fill", batches = 8 }, { name = "steady", batches = 120, rate = 1e6 } }
plots = { { title = "Lookups", x = "load", y = "mops", where = { op = "find" } } }
local keys = gen.keys{}
function event(t, i, stage)
  if stage == "fill" then t:insert(keys:slice((i - 1) * opt.n / 4, opt.n / 4), i) else t:find(keys:take(1000)) end
end
function done(s) return { ["found %"] = 100 * s.find.ok / s.find.n } end
`

// measured runs the script three times, once for all tests: the first result is one side, the others are the other one.
var measured = sync.OnceValues(func() (folder string, err error) {
	if folder, err = os.MkdirTemp("", "report"); err != nil {
		return "", err
	}
	atEnd = append(atEnd, func() { os.RemoveAll(folder) })
	os.Args = []string{"hashzoo", "run", "everything.lua", "--schemes", "chained,bcht,linear:resize=auto", "--count", "--gauges", "--json", "run.json"}
	script := folder + "/everything.lua"
	if err = os.WriteFile(script, []byte(everything), 0o600); err != nil {
		return "", err
	}
	for _, name := range []string{"old.json", "new-1.json", "new-2.json"} {
		err = errors.Join(err, run(script, folder+"/"+name))
	}
	return folder, err
})

// atEnd is called when all tests have ended.
var atEnd []func()

func TestMain(m *testing.M) {
	code := m.Run()
	for _, f := range atEnd {
		f()
	}
	os.Exit(code)
}

func run(script, path string) error {
	counted := true
	r := session.Request{Choice: session.Choice{Script: script, Schemes: []string{"chained", "bcht", "linear:resize=auto"}, Device: "cpu", Seed: 1},
		Threads: 1, Settings: map[string]string{"seed": "1"}, Pace: record.Pace{Speed: 1},
		Limits: lua.Limits{Steps: 1e9, Time: time.Minute, Memory: 1 << 28, Vectors: 1 << 30, From: 1e6, Batches: 100_000},
		Count:  &counted, Gauges: true, JSON: path}
	r.Policy, r.Timeout = engine.Policy{Least: 6, Noise: 0.02}, time.Minute
	ctx := context.Background()
	s, err := r.Open(ctx)
	if err != nil {
		return err
	}
	return s.Run(ctx, session.Watcher{Hear: func(workloads.Event) {}, Print: func(string, string) {}})
}

// sides are two sides of real runs.
func sides(t *testing.T) []analysis.Side {
	t.Helper()
	folder := must.Get(measured())(t)
	return read(t, folder+"/old.json", folder+"/new-1.json,"+folder+"/new-2.json")
}

func read(t *testing.T, names ...string) (list []analysis.Side) {
	t.Helper()
	for _, name := range names {
		side := must.Get(analysis.ReadParts(name))(t)
		list = append(list, side)
	}
	return list
}

func written(t *testing.T, sides []analysis.Side, o report.Options) string {
	t.Helper()
	var page strings.Builder
	must.OK(t, report.Write(&page, sides, o))
	return page.String()
}

// node is an element of a page.
type node struct {
	name     string
	attr     map[string]string
	text     string // of all below it
	children []*node
}

var foreign = regexp.MustCompile(`(?s)(<(script|style)[^>]*>)(.*?)(</(script|style)>)`)

// parsed reads a page as XML, which pages are, except for the text of scripts and styles.
func parsed(t *testing.T, page string) *node {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(foreign.ReplaceAllString(page, "$1$4")))
	open := []*node{{}}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return open[0]
		}
		must.OK(t, err)
		top := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			n := &node{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				n.attr[a.Name.Local] = a.Value
			}
			top.children, open = append(top.children, n), append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
			open[len(open)-1].text += top.text
		case xml.CharData:
			top.text += string(token)
		}
	}
}

// all returns the elements below a node with a name.
func (n *node) all(name string) (list []*node) {
	for _, child := range n.children {
		if child.name == name {
			list = append(list, child)
		}
		list = append(list, child.all(name)...)
	}
	return list
}

// section is the part of a page below a heading.
func (n *node) section(t *testing.T, heading string) *node {
	t.Helper()
	for _, s := range n.all("section") {
		if len(s.children) > 0 && s.children[0].name == "h2" && strings.Contains(s.children[0].text, heading) {
			return s
		}
	}
	t.Fatalf("no section %s", heading)
	return nil
}

// rows are the texts of a table, by the titles of its columns.
func (n *node) rows(t *testing.T) (list []map[string]*node) {
	t.Helper()
	var titles []string
	for i, tr := range n.all("table")[0].all("tr") {
		cells := map[string]*node{"": tr}
		for k, child := range tr.children {
			if i == 0 {
				titles = append(titles, child.text)
			} else {
				cells[titles[k]] = child
			}
		}
		if i > 0 {
			list = append(list, cells)
		}
	}
	return list
}

func TestTableHasWhatAnalysisSays(t *testing.T) {
	sides := sides(t)
	rows := parsed(t, written(t, sides, report.Options{})).section(t, "All rows").rows(t)
	marked := 0
	for _, s := range sides {
		for _, m := range s.Measured() {
			row := rows[0]
			rows = rows[1:]
			low, high := m.Interval()
			want := map[string]string{"scheme": m.Scheme, "operation": analysis.Operation(m.Row), "load": analysis.Text(m.Point["load"]),
				"rate Mop/s": results.RateText(m.Rate), "95 % interval Mop/s": "?", "time ms": results.MillisText(m.Median), "noise ± %": results.NoiseText([]results.Row{m.Row})}
			if low < high {
				want["95 % interval Mop/s"] = results.RateText(low) + " to " + results.RateText(high)
			}
			for title, text := range want {
				must.Hold(t, row[title] != nil && row[title].text == text, "%s: %v, want %s", title, row[title], text)
			}
			hasBar := strings.Contains(row["rate Mop/s"].attr["style"], "--part")
			if (m.Mark != "") != (row[""].attr["class"] == "marked") || (m.Mark == "") != hasBar || !strings.Contains(row["remarks"].text, m.Mark) {
				t.Errorf("%s %s: mark %q, class %q, bar %v, remarks %q", m.Scheme, m.Op, m.Mark, row[""].attr["class"], hasBar, row["remarks"].text)
			}
			if m.Lost != "" {
				marked++
			}
		}
	}
	must.Hold(t, len(rows) == 0 && marked != 0, "%d further rows, %d have lost pairs", len(rows), marked)
}

func TestComparisonIsThatOfAnalysis(t *testing.T) {
	sides := sides(t)
	o := analysis.Options{Least: 0.1, Spread: 0.2}
	page := parsed(t, written(t, sides, report.Options{Compare: o}))
	have := page.section(t, "faster than").rows(t)
	want := analysis.Compare(sides[0], sides[1], o)
	for i, cells := range want.Table().Rows {
		got := have[i]["verdict"]
		must.Hold(t, got.text == cells[6] && got.attr["class"] == "verdict "+want.Rows[i].Verdict.String(), "%+v, want %s", got, cells[6])
		must.Match(t, strings.TrimSpace(have[i]["95 % of the ratio"].text), cells[5])
	}
	must.Hold(t, len(have) == len(want.Rows) && len(have) != 0, "%d rows, want %d", len(have), len(want.Rows))
}

func TestPageShowsAllThatWasRecorded(t *testing.T) {
	page := written(t, sides(t), report.Options{Title: "Two of them"})
	for _, want := range []string{"<h1>Two of them</h1>", "Lookups that arrive at a fixed rate.", ">Charts<", ">Lookups<", ">What the script reports<", ">found %<",
		">Response times<", ">99th percentile <", ">Batch by batch<", ">What the kernels counted", ">Inside the tables<", ">bucket fill<", ">Digests<", ">compiler<",
		"and 1 more", "other contents: inserts had found no room", "stages = {", "hashzoo report --extract report.html results"} {
		must.Hold(t, strings.Contains(page, want), "no %s", want)
	}
}

// Nothing is loaded, and only the script of the page runs.
func TestPageNamesNothingOutside(t *testing.T) { inside(t, written(t, sides(t), report.Options{})) }

func inside(t *testing.T, page string) {
	t.Helper()
	scripts, policy := 0, ""
	var visit func(*node)
	visit = func(n *node) {
		for name, value := range n.attr {
			if strings.HasPrefix(name, "on") || name == "src" || name == "href" && value != "data:," || name == "style" && strings.Contains(value, "url") {
				t.Errorf("<%s %s=%q>", n.name, name, value)
			}
		}
		if n.name == "meta" && n.attr["http-equiv"] != "" {
			policy = n.attr["content"]
		}
		if n.name == "script" && n.attr["type"] == "" {
			scripts++
		}
		must.Hold(t, !slices.Contains([]string{"img", "iframe", "object", "embed", "base", "form", "audio", "video", "a", "image", "use"}, n.name), "<%s>", n.name)
		for _, child := range n.children {
			visit(child)
		}
	}
	visit(parsed(t, page))
	source := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindStringSubmatch(page)[1]
	digest := sha256.Sum256([]byte(source))
	if want := "'sha256-" + base64.StdEncoding.EncodeToString(digest[:]) + "'"; scripts != 1 || !strings.Contains(policy, "default-src 'none'") || !strings.HasSuffix(policy, "script-src "+want) {
		t.Errorf("%d scripts; policy %q, want %s", scripts, policy, want)
	}
	style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(page)[1]
	must.Hold(t, !strings.Contains(style, "url(") && !strings.Contains(style, "@import"), "the style sheet loads something")
}

// attack is a text that would do harm if it were HTML, a script or a style.
const attack = `</script></title></style><script>document.title='hit'</script><img src=x onerror="document.title='hit'">"'><svg onload=alert(1)>;}*{x:url(//evil)}` + "\x1b[2J"

// hostile is a side in which every text is an attack.
func hostile(t *testing.T) []analysis.Side {
	list := sides(t)
	for i := range list {
		list[i].Name = attack
		for k := range list[i].Files {
			spoil(&list[i].Files[k])
		}
	}
	return list
}

func spoil(f *analysis.File) {
	f.Path = "x/" + attack
	r := &f.Run
	r.Command, r.Host.Name, r.Device.Model, r.Build.Compiler = []string{attack, attack}, attack, attack, attack
	r.Settings = map[string]string{attack: attack}
	r.Script = &results.Script{Name: attack, Source: attack, Options: map[string]string{attack: attack}, Plots: []results.Plot{{Title: attack, X: "load", XLabel: attack, Y: "mops"}}}
	f.LeftOut = append(f.LeftOut, results.LeftOut{Scheme: attack, Reason: attack, Failed: true})
	f.End.Error = attack
	for i := range f.Rows {
		row := &f.Rows[i]
		row.Scheme, row.Phase, row.Notes, row.Pair, row.Input, row.Result = attack+row.Scheme, attack+row.Phase, []string{attack}, attack, attack, attack
		row.Point = results.Point{attack: attack, "load": row.Point["load"]}
		row.PerOp, row.Lost = map[string]float64{attack: 1}, attack
	}
	for i := range f.Summaries {
		s := &f.Summaries[i]
		s.Scheme, s.Point, s.Values = attack, results.Point{attack: attack}, map[string]any{attack: attack}
		s.Thresholds, s.Notes = []results.Threshold{{Condition: attack, Value: attack}}, []string{attack}
		for k := range s.Gauges {
			g := &s.Gauges[k]
			g.Name, g.Help, g.Unit = attack, attack, attack
			for b := range g.Bars {
				g.Bars[b].Label = attack
			}
		}
	}
}

func TestHostileTextsStayTexts(t *testing.T) {
	page := written(t, hostile(t), report.Options{Title: attack, Name: attack})
	inside(t, page)
	n := strings.Count(page, "document.title=")
	must.Hold(t, n >= 50, "only %d texts are shown", n)
	must.Hold(t, !strings.Contains(page, "\x1b"), "a control character")
}

func TestExtractGivesTheSameBytes(t *testing.T) {
	given := sides(t)
	page := written(t, append(given, given[0]), report.Options{}) // a file that is given twice is packed once
	files := must.Get(report.Extract([]byte(page)))(t)
	must.Need(t, len(files) == 3, "%d files", len(files))
	for i, f := range slices.Concat(given[0].Files, given[1].Files) {
		if files[i].Path != []string{"old.json", "new-1.json", "new-2.json"}[i] || !bytes.Equal(files[i].Text, f.Text) {
			t.Errorf("%s: %d bytes, want %d", files[i].Path, len(files[i].Text), len(f.Text))
		}
	}
}

// Files of one name in two folders stay apart.
func TestExtractKeepsFolders(t *testing.T) {
	given := sides(t)
	for i, folder := range []string{"before", "after"} {
		given[i].Files = given[i].Files[:1]
		given[i].Files[0].Path = "x/" + folder + "/r.json"
	}
	files := must.Get(report.Extract([]byte(written(t, given, report.Options{}))))(t)
	must.Hold(t, len(files) == 2 && files[0].Path == "before/r.json" && files[1].Path == "after/r.json", "%v", files)
}

func TestExtractRefusesOtherPages(t *testing.T) {
	page := written(t, sides(t)[:1], report.Options{})
	data := regexp.MustCompile(`(data-sha256="[0-9a-f]*">[^<]{40})[^<]`)
	for want, wrong := range map[string]string{
		"no results in it":          "<html></html>",
		"old.json in it is damaged": data.ReplaceAllString(page, "${1}"),
		"names a file outside":      strings.Replace(page, `data-name="old.json"`, `data-name="../old.json"`, 1),
		"its digest differs":        regexp.MustCompile(`data-sha256="[0-9a-f]`).ReplaceAllString(page, `data-sha256="`),
	} {
		must.Say(t, must.Err(report.Extract([]byte(wrong))), want)
	}
}

// A run that failed is shown with its reason, and not compared.
func TestFailedRunsAreShown(t *testing.T) {
	list := sides(t)
	list[0].Files[0].End.Error = "the disk is full"
	list[0].Files[0].LeftOut = []results.LeftOut{{Scheme: "first", Reason: "it hangs", Failed: true}}
	page := parsed(t, written(t, list, report.Options{}))
	troubles := page.all("header")[0].all("ul")[0].text
	must.Hold(t, strings.Contains(troubles, "did not end (the disk is full)") && strings.Contains(troubles, "failed: first: it hangs"), "%v", troubles)
	must.Has(t, page.section(t, "faster than").text, "not compared: ")
	must.Hold(t, len(page.section(t, "All rows").rows(t)) != 0, "no rows")
}
