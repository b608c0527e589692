package papers

import (
	"cmp"
	_ "embed" // the page
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
	_ "github.com/hashzoo/hashzoo/runtime/zoo"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/check"
	"github.com/hashzoo/hashzoo/workloads/lua"
)

var bounds = lua.Limits{Steps: 10_000_000, Time: time.Minute, Memory: 1 << 26, Vectors: 1 << 26, From: 1 << 20, Batches: 100_000}

// Every claim that a CPU can show holds, or differs as its file says. In the small tier, those of one paper.
func TestClaimsOnACPU(t *testing.T) {
	work := must.Get(Work(Request{Context: t.Context(), Seed: 1, Limits: bounds}))(t)
	if testing.Short() {
		const soon = "HH Hash, " // it has claims that hold, that differ and that take a GPU, in a second
		work = slices.DeleteFunc(work, func(w check.Work) bool { return !strings.HasPrefix(w.What, soon) })
	}
	dev, err := devices.Open("cpu", device.Options{Threads: 1})
	must.OK(t, err)
	defer dev.Close()
	var findings []check.Finding
	err = check.Run(t.Context(), check.Plan{Device: dev, Part: "papers", Papers: work, Seed: 1}, func(e check.Event) {
		if f := e.Finding; f != nil {
			findings = append(findings, *f)
			must.Hold(t, f.Status != check.Failed, "%s, %s: %s: %s", f.Claim.Paper, f.Claim.Figure, f.What, f.Why)
		}
	})
	must.OK(t, err)
	must.Hold(t, len(findings) != 0, "no claim was looked at")
}

// docs/papers.md has what was found on a GPU; go test ./workloads/papers -run Docs -update writes it.
func TestDocs(t *testing.T) {
	all := must.Get(All())(t)
	findings, model := gpuCheck(t)
	must.Golden(t, "../../docs/papers.md", Page(all, findings, model))
}

// gpuCheck is what the last check on a GPU found, and which model it was.
func gpuCheck(t *testing.T) (findings []check.Finding, model string) {
	text := must.Get(os.ReadFile("testdata/gpu.json"))(t)
	var document struct {
		Run      struct{ Device device.Info }
		Findings []check.Finding
	}
	must.OK(t, json.Unmarshal(text, &document))
	words := strings.Fields(document.Run.Device.Model) // NVIDIA H100 80GB HBM3
	must.Need(t, len(words) >= 2, "the check was on a device of model %q", document.Run.Device.Model)
	return document.Findings, words[1]
}

// Every claim was checked on a GPU, and none failed.
func TestClaimsOnAGPU(t *testing.T) {
	all := must.Get(All())(t)
	found, _ := gpuCheck(t)
	for _, p := range all {
		for _, f := range p.Figures {
			for _, c := range f.Claims {
				status := finding(found, p, f, c).Status
				must.Hold(t, status == check.Passed || status == check.Differs, "%s, %s: %s: %s on a GPU", p.Title, f.What, c.Claim, status)
			}
		}
	}
}

// Every script of a paper belongs to a figure.
func TestEveryScriptHasAFigure(t *testing.T) {
	all := must.Get(All())(t)
	for _, s := range scripts.All() {
		name, isPaper := strings.CutPrefix(s.Name, "paper/")
		if !isPaper || !slices.ContainsFunc(all, func(p Paper) bool { return strings.HasPrefix(name, p.Name) }) {
			continue
		}
		claimed := func(p Paper) bool {
			return slices.ContainsFunc(p.Figures, func(f Figure) bool { return f.Script == name })
		}
		must.Hold(t, slices.ContainsFunc(all, claimed), "%s is in no figure of its paper's claims", s.Name)
	}
}

// The sizes for a GPU are options and axes of the scripts.
func TestSizesForAGPU(t *testing.T) {
	all := must.Get(All())(t)
	for _, p := range all {
		for _, f := range p.Figures {
			if f.Script == "" {
				continue
			}
			err := (Request{Limits: bounds}).request(f, true).Check(t.Context())
			must.Hold(t, err == nil, "%s, %s: %v", p.Title, f.What, err)
		}
	}
}

func TestMistakesInAFile(t *testing.T) {
	const claim = "[[figure.claim]]\nclaim='c'\npaper='1'\n"
	for text, want := range map[string]string{
		"titel = 'x'":                                                 "paper/x.claims.toml: unknown key titel",
		"[[figure]]\nwhat = 'Figure 1'":                               "paper/x.claims.toml: Figure 1: it takes either script, measure or not_here",
		"[[figure]]\nscript = 's'\nmeasure = 'm'":                     "it takes either script, measure or not_here",
		"[[figure]]\nmeasure = 'memory'":                              `measure is "memory": it takes allocators or contention`,
		"[[figure]]\nscript = 'nothing'":                              `unknown script "paper/nothing"`,
		"[[figure]]\nscript = 'stadium-lanes'\nschemes = ['stahs']":   `unknown scheme "stahs": did you mean stash`,
		"[[figure]]\nscript = 'stadium-lanes'\n" + claim + "ours='1'": `claim "c": it takes claim, paper, ours and holds`,
		"title = ":  "paper/x.claims.toml:1: ",
		"title = 5": "paper/x.claims.toml: ",
	} {
		must.Say(t, must.Err(read("paper/x", text)), want, text)
	}
}

// The result of an expression decides, and the file's verdict must agree with it.
func TestVerdicts(t *testing.T) {
	d := results.Document{Run: results.Run{Script: &results.Script{Published: []results.Published{
		{Of: map[string]string{"scheme": "a", "load": "0.9"}, Column: "probes", Value: 2},
	}}}}
	for load, probes := range map[float64]float64{0.8: 1.25, 0.9: 2.5} {
		d.Rows = append(d.Rows, results.Row{Scheme: "a:x=1", Parameters: map[string]string{"x": "1"}, Op: "find", Phase: "run",
			Point: results.Point{"load": load}, PerOp: map[string]float64{"probes": probes}})
	}
	e := &evidence{d}
	at := `value("probes", { scheme = "a:x=1", load = 0.9 })`
	for _, c := range []struct {
		Claim
		status check.Status
		says   string
	}{
		{Claim{Ours: at, Holds: "ours == 2.5"}, check.Passed, "2.5"},
		{Claim{Ours: at, Holds: "ours == 2"}, check.Failed, "it is 2.5, and ours == 2 does not hold"},
		{Claim{Ours: at, Holds: "ours == 2", Differs: "it is more"}, check.Differs, "it is more"},
		{Claim{Ours: at, Holds: "ours > 2", Differs: "it is less"}, check.Failed, "it holds, but"},
		{Claim{Ours: `deviation("probes")`, Holds: "ours == 25"}, check.Passed, "25"},
		{Claim{Ours: `most(values("probes", { op = "find" })) / 2`, Holds: "ours == 1.25"}, check.Passed, "1.25"},
		{Claim{Ours: `{ 1, 2 }`, Holds: "rises(ours) and not falls(ours) and mean(ours) == 1.5"}, check.Passed, "1, 2"},
		{Claim{Ours: `value("probes", { op = "find" })`, Holds: "true"}, check.Failed, "2 results have these fields"},
		{Claim{Ours: `value("probes", { load = 0.7 })`, Holds: "true"}, check.Failed, "no result has probes"},
		{Claim{Ours: `value("prboes")`, Holds: "true"}, check.Failed, `unknown column "prboes": did you mean probes`},
		{Claim{Ours: at, Holds: "ours"}, check.Failed, "it takes a condition on ours"},
	} {
		f := judged(Paper{}, Figure{}, c.Claim, e, nil, false)
		must.Hold(t, f.Status == c.status && strings.Contains(f.Why+f.Claim.Ours, c.says),
			"%s, %s: %s, %s %s; it should be %s, %s", c.Ours, c.Holds, f.Status, f.Why, f.Claim.Ours, c.status, c.says)
	}
	rate := Claim{Rate: true, Ours: at, Holds: "ours == 2"}
	f := judged(Paper{}, Figure{}, rate, e, nil, false)
	must.Hold(t, f.Status == check.Unavailable && f.Why == "a rate: needs a GPU" && f.Claim.Ours == "", "a rate without a GPU: %s, %s", f.Status, f.Why)
	large := Claim{Ours: at, Holds: "ours == 2", GPUDiffers: "there are more keys"}
	f = judged(Paper{}, Figure{}, large, e, nil, true)
	must.Hold(t, f.Status == check.Differs && f.Why == large.GPUDiffers, "what differs on a GPU: %s, %s", f.Status, f.Why)
	must.Match(t, judged(Paper{}, Figure{}, large, e, nil, false).Status, check.Failed, "on a CPU")
	must.Match(t, judged(Paper{}, Figure{}, rate, e, nil, true).Status, check.Failed, "a rate on a GPU")
}

//go:embed page.txt
var pageText string

// Page is docs/papers.md: what is known of the papers, with what a check found on a GPU, a model of NVIDIA.
func Page(papers []Paper, findings []check.Finding, model string) string {
	var b strings.Builder
	page := template.Must(template.New("").Funcs(template.FuncMap{
		"cell":    cell,
		"model":   func() string { return model },
		"row":     func(p Paper, f Figure, i int) string { return row(p, f, i, findings) },
		"missing": func(all []Figure) []Figure { return lists.Filter(all, func(f Figure) bool { return f.Not != "" }) },
	}).Parse(pageText))
	if err := page.Execute(&b, papers); err != nil {
		panic(err) // a mistake in page.txt
	}
	return b.String()
}

// row is a claim of a figure, whose name is in the first one.
func row(p Paper, f Figure, i int, findings []check.Finding) string {
	what := ""
	switch {
	case i == 0 && f.Script != "":
		what = fmt.Sprintf("[%s](../scripts/%s.lua): ", cell(f.What), f.path())
	case i == 0:
		what = fmt.Sprintf("%s (`%s`): ", cell(f.What), f.path())
	}
	c := f.Claims[i]
	found := finding(findings, p, f, c)
	return fmt.Sprintf("| %s%s | %s | %s |%s |", what, cell(c.Claim), cell(c.Paper), cell(found.Claim.Ours), cell(c.differs(found)))
}

// finding is what a check found of a claim.
func finding(all []check.Finding, p Paper, f Figure, c Claim) check.Finding {
	at := slices.IndexFunc(all, func(found check.Finding) bool {
		return found.What == c.Claim && found.Claim.Paper == p.Title && found.Claim.Figure == f.What
	})
	if at < 0 {
		return check.Finding{Status: check.Unavailable, Why: "not measured", Claim: &check.Claim{}}
	}
	return all[at]
}

// differs says why a claim does not hold on the GPU. The file says why; it may have been edited since the check.
func (c Claim) differs(found check.Finding) string {
	switch {
	case found.Status == check.Passed:
		return ""
	case found.Status != check.Differs:
		return " " + found.Verdict()
	case c.Differs == "" && !c.Rate:
		return " only at the paper's size: " + c.GPUDiffers
	}
	return " " + cmp.Or(c.Differs, c.GPUDiffers)
}

// cell escapes what would end a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
