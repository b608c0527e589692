package report_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/analysis/report"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/step"
)

// suiteFile is a file of three schemes and two questions. Of join, alpha is 25 percent faster than beta:x=1, which takes
// less memory, and gamma:x=2 failed; of grow, gamma was asked with a parameter, and the others do not offer it.
func suiteFile(model, driver string) analysis.File {
	questions := []results.Question{{Name: "join", Why: "How fast is a probe?", Script: "suite/join", Set: []string{"n=1000"}, Phase: "join", Op: "find"},
		{Name: "grow", Why: "What does growth cost?", Script: "suite/grow", Axis: []string{"load=0.8"}, Phase: "grow", Op: "insert"}}
	row := func(scheme, question, phase, op string, rate, bytes float64, completed uint64) results.Row {
		noise := 0.01
		return results.Row{Scheme: scheme, Pair: "k4v4", Op: op, Phase: phase, Point: results.Point{"question": question}, N: 1000, Completed: completed,
			Rate: rate, Noise: &noise, BytesPerPair: &bytes, Runs: []float64{1, 1}}
	}
	out := func(scheme string, failed bool) results.LeftOut {
		return results.LeftOut{Scheme: scheme, Point: results.Point{"question": "grow"}, Reason: "no operation resize", Failed: failed}
	}
	f := analysis.File{Path: "results/" + strings.ReplaceAll(model, " ", "-") + ".ndjson"}
	f.Schema = results.Schema
	f.Run = results.Run{Started: time.Unix(1e9, 0), Device: device.Info{Model: model, Driver: driver, Threads: 2}, Host: results.Host{CPUs: 2}, Build: results.Build{Version: "v1"},
		Suite: &results.Suite{Version: "suite/1", Digest: "0123456789", Scale: 1, Passes: 7, Schemes: []string{"alpha", "beta:x=1", "gamma"}, Questions: questions}}
	f.Rows = []results.Row{row("alpha", "join", "join", "find", 12500, 16, 1000), row("alpha", "join", "build", "insert", 1, 16, 1000),
		row("beta:x=1", "join", "join", "find", 10000, 10, 1000), row("gamma", "join", "join", "find", 11000, 10, 999), row("gamma:resize=auto", "grow", "grow", "insert", 50, 10, 1000)}
	f.LeftOut = []results.LeftOut{out("alpha", false), out("beta:x=1", true)}
	f.End.Seals = f.Seals()
	return f
}

// known describes a scheme.
func known(name string) report.Scheme {
	of := step.State{Rows: []step.Row{{Title: "bucket 0", Cells: []string{"1=10", "."}}}}
	cell := []step.Place{{}}
	return report.Scheme{Scheme: &schemes.Scheme{Title: "table " + name, About: "It is small.", Paper: "A paper"}, Essay: []string{"Idea.", "  [ ]"},
		Plays: []step.Operation{{Text: "insert 1=10", Before: of, Steps: []step.Step{{Text: "reads bucket 0", At: cell, State: of}, {Text: "goes in", Changed: cell, State: of}}}}, Export: []string{"hashzoo export " + name + " my"}}
}

func siteOf(files ...analysis.File) report.Site {
	return report.Site{Files: files, Schemes: map[string]report.Scheme{"alpha": known("alpha"), "beta": known("beta")}, Scripts: map[string]string{"suite/join": "options = { n = 1 }\nif a < b then end\n"}}
}

// site writes a site and returns its pages.
func site(t *testing.T, s report.Site) (folder string, pages map[string]string) {
	t.Helper()
	folder, pages = filepath.Join(t.TempDir(), "site"), map[string]string{}
	must.OK(t, s.Write(folder))
	for _, entry := range must.Get(os.ReadDir(folder))(t) {
		pages[entry.Name()] = string(must.Get(os.ReadFile(filepath.Join(folder, entry.Name())))(t))
	}
	return folder, pages
}

func TestSiteAnswers(t *testing.T) {
	_, pages := site(t, siteOf(suiteFile("Some CPU", ""), suiteFile("Big GPU", "1.0")))
	want := []string{"index.html", "question-grow.html", "question-join.html", "rules.html", "scheme-alpha.html", "scheme-beta.html", "scheme-gamma.html", "script.js", "style.css"}
	have := slices.Sorted(maps.Keys(pages))
	must.Need(t, slices.Equal(have, want), "pages %q", have)
	front := parsed(t, pages["index.html"])
	must.Match(t, front.all("h2")[0].text+front.all("h2")[1].text, "Big GPU"+"Some CPU, 2 threads")
	machine := front.section(t, "Big GPU")
	answers := machine.all("ul")[0].all("li")
	must.Match(t, answers[0].text, "join: alpha, 12,500 million operations a second, 25.0 % ahead of beta:x=1, in 16.0 bytes a pair. beta:x=1 has 80 % of the rate in 10.0 bytes.")
	must.Match(t, answers[1].text, "grow: gamma, 50.0 million operations a second, the only table that answers, in 10.0 bytes a pair.")
	rows := machine.rows(t)
	for i, want := range [][]string{{"alpha", "1 ±1.0%", "– 2"}, {"beta:x=1", "0.80 ±1.0%", "failed 2"}, {"gamma", "failed 1", "1 ±1.0%"}} {
		must.Match(t, rows[i]["scheme"].text+"|"+rows[i]["join"].text+"|"+rows[i]["grow"].text, strings.Join(want, "|"))
	}
	must.Match(t, machine.all("ol")[0].text, "1 of 1,000 operations failedno operation resize")
	for page, texts := range map[string][]string{
		"index.html":         {"hashzoo suite verify Big-GPU.ndjson", `data-at="12500 16.0"`},
		"question-join.html": {"How fast is a probe?", "if a &lt; b then", "hashzoo run suite/join --device cuda:0 --set n=1000", "hashzoo run suite/join --device cpu", "index.html#big-gpu/join"},
		"scheme-beta.html":   {"It is small.", "x=1", "<pre>  [ ]</pre>", `class="changed">1=10`, "hashzoo export beta my", `href="index.html#big-gpu"`},
		"scheme-gamma.html":  {"does not know"},
	} {
		must.Has(t, pages[page], texts...)
	}
}

// Every link leads to a page of the folder, and nothing else is loaded.
func TestSiteStaysInItsFolder(t *testing.T) {
	_, pages := site(t, siteOf(suiteFile("Big GPU", "1.0")))
	for name := range pages {
		if strings.HasSuffix(name, ".html") {
			stays(t, pages, name)
		}
	}
}

func stays(t *testing.T, pages map[string]string, name string) {
	t.Helper()
	page := parsed(t, pages[name])
	for _, kind := range []string{"a", "link", "script"} {
		for _, n := range page.all(kind) {
			to, _, _ := strings.Cut(n.attr["href"]+n.attr["src"], "#")
			_, ok := pages[to]
			must.Hold(t, ok || to == "data:,", "%s: <%s> to %q", name, kind, to)
		}
	}
	for _, kind := range []string{"img", "iframe", "object", "embed", "base", "svg", "style"} {
		must.Hold(t, len(page.all(kind)) == 0, "%s: <%s>", name, kind)
	}
	attribute := regexp.MustCompile(`<[^>"]*("[^"]*"[^>"]*)*\son\w+=`).FindString(pages[name])
	must.Hold(t, attribute == "" && len(page.all("script")) == 1, "%s: %s, %d scripts", name, attribute, len(page.all("script")))
}

// spoiled are small files in which each text is an attack, in turn.
func spoiled(t *testing.T) (list []analysis.File) {
	t.Helper()
	f := suiteFile("Big GPU", "1.0")
	f.Rows, f.LeftOut = f.Rows[:1], f.LeftOut[:1]
	whole := must.Get(json.Marshal(f.Document))(t)
	texts := regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	quoted := must.Get(json.Marshal(attack))(t)
	for _, at := range texts.FindAllIndex(whole, -1) {
		if at[1] < len(whole) && whole[at[1]] == ':' {
			continue // the name of a field
		}
		var d results.Document
		if json.Unmarshal(slices.Concat(whole[:at[0]], quoted, whole[at[1]:]), &d) == nil {
			d.End.Seals = d.Seals()
			list = append(list, analysis.File{Path: f.Path, Document: d})
		}
	}
	f.Path, f.End.Seals = attack, f.Seals()
	return append(list, f)
}

func TestHostileFilesStayTexts(t *testing.T) {
	shown := 0
	for _, f := range spoiled(t) {
		_, pages := site(t, siteOf(f))
		for name := range pages {
			if strings.HasSuffix(name, ".html") {
				stays(t, pages, name)
				shown += strings.Count(pages[name], "document.title=")
			}
			must.Hold(t, !strings.Contains(pages[name], "\x1b"), "%s: a control character", name)
		}
	}
	must.Hold(t, shown >= 100, "only %d texts are shown", shown)
}

// A rate that is mostly noise has no rank, but it is no failure.
func TestSiteShowsNoise(t *testing.T) {
	f, noise := suiteFile("Big GPU", "1.0"), 0.7
	f.Rows[0].Noise, f.End.Seals = &noise, nil
	f.End.Seals = f.Seals()
	_, pages := site(t, siteOf(f))
	machine := parsed(t, pages["index.html"]).section(t, "Big GPU")
	must.Match(t, machine.rows(t)[0]["join"].text, "noisy 1")
	must.Match(t, machine.all("ul")[0].all("li")[0].text, "join: beta:x=1, 10,000 million operations a second, the only table that answers, in 10.0 bytes a pair.")
}

// Two machines of one model have two names. The one that was measured last is shown first.
func TestSiteNamesMachines(t *testing.T) {
	f, newest := suiteFile("Big GPU", "1.0"), suiteFile("Big", "1.0")
	newest.Run.Started = newest.Run.Started.Add(1)
	newest.End.Seals = newest.Seals()
	_, pages := site(t, siteOf(f, f, newest, f))
	options := parsed(t, pages["index.html"]).all("select")[0].all("option")
	for i, want := range []string{"Big GPU", "Big GPU (2)", "Big", "Big GPU (3)"} {
		_, selected := options[i].attr["selected"]
		must.Match(t, options[i].text, want)
		must.Match(t, selected, want == "Big")
	}
}

// What else a site refuses is in cli/testdata/site.txtar.
func TestSiteRefusesHalfAFile(t *testing.T) {
	bad := suiteFile("Other", "")
	bad.End.Interrupted = true
	must.Say(t, siteOf(suiteFile("Big GPU", "1.0"), bad).Write(t.TempDir()), "is not whole: it was interrupted")
}

// Before anything is written, a site says what is on it, and what each machine found.
func TestSiteChecks(t *testing.T) {
	folder := t.TempDir()
	names, found, err := siteOf(suiteFile("Some CPU", ""), suiteFile("Big GPU", "1.0")).Check(folder)
	must.OK(t, err)
	must.Match(t, strings.Join(names, " "), "alpha beta gamma")
	must.Match(t, strings.Join(found, "; "), "Big GPU: fastest table of 2 questions: alpha at 1, gamma at 1; Some CPU, 2 threads: fastest table of 2 questions: alpha at 1, gamma at 1")
	must.Hold(t, len(must.Get(os.ReadDir(folder))(t)) == 0, "the check left something behind")
}

// A new site leaves no page of the old one, and is the same every time.
func TestSiteReplacesItself(t *testing.T) {
	folder, before := site(t, siteOf(suiteFile("Big GPU", "1.0")))
	must.OK(t, os.WriteFile(filepath.Join(folder, "scheme-gone.html"), nil, 0o666))
	must.OK(t, siteOf(suiteFile("Big GPU", "1.0")).Write(folder))
	entries := must.Get(os.ReadDir(folder))(t)
	after := map[string]string{}
	for _, e := range entries {
		after[e.Name()] = string(must.Get(os.ReadFile(filepath.Join(folder, e.Name())))(t))
	}
	must.Hold(t, reflect.DeepEqual(before, after), "%d pages, then %d", len(before), len(after))
}
