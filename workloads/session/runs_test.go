package session

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/live"
	"github.com/hashzoo/hashzoo/workloads/run"
)

const quick = `-- Ends
axes = { load = { 0.5 } }
options = { keys = 1000 }
shape = { n = opt.keys, load = opt.load, pair = "k8v8" }
stages = { { name = "one", batches = 2 }, { name = "two", batches = 2 } }
thresholds = { "one.find.mops > 0" }
function prepare(t) k = gen.keys{}:take(opt.keys) t:insert(k, 1) end
function event(t) t:find(k) end
`

// Errors in a choice are found before anything is opened or ended, at every point.
func TestCheck(t *testing.T) {
	h := inFolder(t, writing("all.json", "", "bcht", "1cht"))
	for name, text := range map[string]string{"cut.rec": `{"recording":`, "stages.lua": strings.Replace(quick, `"two"`, `"one"`, 1),
		"threshold.lua": strings.Replace(quick, "mops > 0", "mops >> 0", 1)} {
		must.OK(t, os.WriteFile(name, []byte(text), 0o644))
	}
	right := Choice{Script: "quick.lua", Device: "cpu", Schemes: []string{"bcht", "slab"}} // slab has no such pairs, and is left out
	must.OK(t, h.Check(right))
	for want, change := range map[string]func(*Choice){
		"shape.load is 5, it takes a number, 0 to 1": func(c *Choice) { c.Axis = []string{"load=0.5,0.6,5"} },
		`unknown axis "lod": did you mean load?`:     func(c *Choice) { c.Axis = []string{"lod=0.5"} },
		`unknown option "key": did you mean keys?`:   func(c *Choice) { c.Set = []string{"key=5"} },
		"shape.n is":                                 func(c *Choice) { c.Set = []string{"keys=-5"} },
		`unknown script "quickstar"`:                 func(c *Choice) { c.Script = "quickstar" },
		`unknown device "abacus"`:                    func(c *Choice) { c.Device = "abacus" },
		`device is "cpu:1": this machine has cpu`:    func(c *Choice) { c.Device = "cpu:1" },
		`unknown scheme "bch"`:                       func(c *Choice) { c.Schemes = []string{"bch"} },
		"no scheme has all that the script asks for": func(c *Choice) { c.Schemes = []string{"slab"} },
		`the name "one" is taken`:                    func(c *Choice) { c.Script = "stages.lua" },
		"one.find.mops >> 0":                         func(c *Choice) { c.Script = "threshold.lua" },
		"cut.rec":                                    func(c *Choice) { c.Script = "cut.rec" },
		"all.json, which is being read":              func(c *Choice) { c.Script = "all.json" },
	} {
		c := right
		change(&c)
		if err := h.Check(c); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want %s", c, err, want)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) != 5 {
		t.Errorf("files are left: %v, %v", left, err)
	}
	if len(h.Runs()) != 0 {
		t.Error("something was started")
	}
}

// A host keeps the results of its last runs, and no more than it says.
func TestRunsAreKept(t *testing.T) {
	h := inFolder(t, on("bcht"))
	for range Kept + 3 {
		until(t, start(t, h, "quick.lua"), "the end", func(s *live.Snapshot) bool { return s.State == live.Ended })
	}
	runs := h.Runs()
	if len(runs) != Kept+1 || runs[0].Number != 3 || runs[Kept].Number != Kept+3 {
		t.Fatalf("%d runs, the first is number %d", len(runs), runs[0].Number)
	}
	for _, r := range runs {
		if d := r.Results(); len(d.Rows) != 3 || d.End.Finished.IsZero() || r.Choice.Script != "quick.lua" {
			t.Errorf("run %d: %d rows, %+v", r.Number, len(d.Rows), d.End)
		}
	}
}

// A run has all that the request wants measured, and writes what its table holds; the next one writes other files.
func TestFlagsOfScripts(t *testing.T) {
	h := inFolder(t, func(r *Request) {
		r.Choice.Schemes, r.Pair, r.Contents, r.Thresholds = []string{"bcht"}, schemes.Pair4, "rows.csv", []string{"two.find.mops > 1e9"}
	})
	must.OK(t, os.WriteFile("quick.rec", []byte(`{"recording":`), 0o644))
	for _, name := range []string{"rows.csv", "rows-2.csv"} {
		w := start(t, h, "quick.lua")
		bounded.Wait(t, w.done)
		if text, _ := os.ReadFile(name); !errors.Is(w.failure, run.ErrThreshold) || strings.Count(string(text), "\n") != 1001 {
			t.Errorf("%s: %v, %d bytes", name, w.failure, len(text))
		}
	}
	if d := h.runs[0].Results(); d.Rows[0].Pair != "k4v4" {
		t.Errorf("%+v", d.Rows[0])
	}
	if err := h.Check(Choice{Script: "quick.rec", Device: "cpu"}); err == nil || !strings.Contains(err.Error(), "are for scripts") {
		t.Error(err)
	}
}

// A run that would go on is over when the user leaves it: nothing of it lacks.
func TestLeaveForever(t *testing.T) {
	h := inFolder(t, func(r *Request) { r.Choice.Schemes, r.For, r.JSON = []string{"bcht"}, run.Forever, "all.json" })
	w := start(t, h, "quick.lua")
	shown := until(t, w, "the third lap", func(s *live.Snapshot) bool { return s.Point.Lap > 1 })
	if n := strings.Count(entries(shown), "prepare begins"); n != 1 {
		t.Errorf("%d laps are in the log", n)
	}
	if err := w.Record("later.rec"); err == nil || !strings.Contains(err.Error(), "is not recorded") {
		t.Error(err)
	}
	if d := w.Results(); len(d.Rows) != 3 || d.Rows[0].Batches < 2 {
		t.Errorf("%+v", d.Rows)
	}
	if left, err := finish(h); left || err != nil {
		t.Error(left, err)
	}
	if d := document(t, "all.json"); !d.End.Whole() || len(d.Rows) != 3 || d.Rows[0].Batches < 3 || len(d.Summaries) != 1 {
		t.Errorf("%+v", d)
	}
}

// A replay that has ended is started again, at an earlier phase; the first one stays.
func TestRewind(t *testing.T) {
	h := inFolder(t, writing("", "quick.rec", "bcht", "1cht"))
	ended := func(s *live.Snapshot) bool { return s.State == live.Ended }
	until(t, start(t, h, "quick.lua"), "the end", ended)
	h = NewHost(t.Context(), h.request)
	h.request.Recording = ""
	first := until(t, start(t, h, "quick.rec"), "the end", ended)
	if first.Phases != 3 {
		t.Fatalf("%d phases", first.Phases)
	}
	again := open(t, h, "quick.rec")
	must.OK(t, again.Skip(first.Phases-1))
	again.Begin()
	shown := until(t, again, "a pause", func(s *live.Snapshot) bool { return s.State == live.Paused })
	if shown.Phase.Name != "one" || shown.Phases != 2 {
		t.Errorf("in phase %q, number %d", shown.Phase.Name, shown.Phases)
	}
	again.Pause(false)
	until(t, again, "the end", ended)
	if d := h.Runs()[0].Results(); len(d.Rows) != len(h.Runs()[1].Results().Rows) {
		t.Errorf("%d rows", len(d.Rows))
	}
}
