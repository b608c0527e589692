package session

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // tests run the schemes that ship
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
		err := h.Check(c)
		must.Hold(t, err != nil && strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "\n"), "%+v: %v, want %s", c, err, want)
	}
	must.Match(t, len(must.Get(os.ReadDir("."))(t)), 5)
	must.Match(t, len(h.Runs()), 0, "something was started")
}

// A host keeps the results of its last runs, and no more than it says.
func TestRunsAreKept(t *testing.T) {
	h := inFolder(t, on("bcht"))
	for range Kept + 3 {
		until(t, start(t, h, "quick.lua"), "the end", func(s *live.Snapshot) bool { return s.State == live.Ended })
	}
	runs := h.Runs()
	must.Need(t, len(runs) == Kept+1 && runs[0].Number == 3 && runs[Kept].Number == Kept+3, "%d runs, the first is number %d", len(runs), runs[0].Number)
	for _, r := range runs {
		d := r.Results()
		must.Hold(t, len(d.Rows) == 3 && !d.End.Finished.IsZero() && r.Choice.Script == "quick.lua", "run %d: %d rows, %+v", r.Number, len(d.Rows), d.End)
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
		text, _ := os.ReadFile(name)
		must.Hold(t, errors.Is(w.failure, run.ErrThreshold) && strings.Count(string(text), "\n") == 1001, "%s: %v, %d bytes", name, w.failure, len(text))
	}
	must.Match(t, h.runs[0].Results().Rows[0].Pair, "k4v4")
	must.Say(t, h.Check(Choice{Script: "quick.rec", Device: "cpu"}), "are for scripts")
}

// A run that would go on is over when the user leaves it: nothing of it lacks.
func TestLeaveForever(t *testing.T) {
	h := inFolder(t, func(r *Request) { r.Choice.Schemes, r.For, r.JSON = []string{"bcht"}, run.Forever, "all.json" })
	w := start(t, h, "quick.lua")
	shown := until(t, w, "the third lap", func(s *live.Snapshot) bool { return s.Point.Lap > 1 })
	must.Match(t, strings.Count(entries(shown), "prepare begins"), 1, "laps are in the log")
	must.Say(t, w.Record("later.rec"), "is not recorded")
	d := w.Results()
	must.Hold(t, len(d.Rows) == 3 && d.Rows[0].Batches >= 2, "%+v", d.Rows)
	left, err := finish(h)
	must.Hold(t, !left && err == nil, "%v %v", left, err)
	d = document(t, "all.json")
	must.Hold(t, d.End.Whole() && len(d.Rows) == 3 && d.Rows[0].Batches >= 3 && len(d.Summaries) == 1, "%+v", d)
}

// A replay that has ended is started again, at an earlier phase; the first one stays.
func TestRewind(t *testing.T) {
	h := inFolder(t, writing("", "quick.rec", "bcht", "1cht"))
	ended := func(s *live.Snapshot) bool { return s.State == live.Ended }
	until(t, start(t, h, "quick.lua"), "the end", ended)
	h = NewHost(t.Context(), h.request)
	h.request.Recording = ""
	first := until(t, start(t, h, "quick.rec"), "the end", ended)
	must.Need(t, first.Phases == 3, "%d phases", first.Phases)
	again := open(t, h, "quick.rec")
	must.OK(t, again.Skip(first.Phases-1))
	again.Begin()
	shown := until(t, again, "a pause", func(s *live.Snapshot) bool { return s.State == live.Paused })
	must.Hold(t, shown.Phase.Name == "one" && shown.Phases == 2, "in phase %q, number %d", shown.Phase.Name, shown.Phases)
	again.Pause(false)
	until(t, again, "the end", ended)
	must.Match(t, len(h.Runs()[0].Results().Rows), len(h.Runs()[1].Results().Rows))
}

// A run of days keeps as many states as a run of minutes, spread over all of it.
func TestWeatherIsBounded(t *testing.T) {
	var w weather
	for i := range 2 * senseStates {
		var s device.State
		s.Set(device.CPUClock, float64(i))
		w.add(s)
	}
	n := len(w.states)
	must.Hold(t, n >= senseStates/2 && n <= senseStates, "%d states", n)
	first := w.states[0].Figures[device.CPUClock]
	must.Hold(t, first == 0 && w.period >= 2*senseEvery, "the first state is %v, the period %v", first, w.period)
}

// slow is a device that takes a while to answer.
type slow struct {
	device.Device
	asked int
}

func (s *slow) Free() (int64, error) { return 7, nil }

func (s *slow) AddState(*device.State) {
	s.asked++
	time.Sleep(20 * time.Millisecond)
}

// A run that is shorter than a hundred questions is asked once.
func TestQuestionsTakeAHundredthOfARun(t *testing.T) {
	var w weather
	dev := &slow{}
	w.ask(dev, true)
	w.ask(dev, false)
	w.ask(dev, true)
	must.Match(t, dev.asked, 1, "questions within a moment")
	w.rest = time.Time{}
	w.ask(dev, false)
	w.ask(dev, true)
	must.Match(t, dev.asked, 2, "questions, although the end needs an answer")
}

// A piece that is a setting belongs to the scheme before it.
func TestSchemeList(t *testing.T) {
	many := "bcht:max_chain={" + strings.Repeat("9,", 1000) + "9}"
	endless := "bcht:bucket=" + strings.Repeat("{4,8}", 100)
	for text, want := range map[string]string{
		"":                               strings.Join(schemes.Names(), " "),
		"bcht":                           "bcht",
		"1cht,bcht:bucket=4,1cht":        "1cht bcht:bucket=4 1cht",
		"bcht:bucket=4,hashes=2,1cht":    "bcht:bucket=4,hashes=2 1cht",
		"bcht:bucket=4;bcht:bucket=32":   "bcht:bucket=4 bcht:bucket=32",
		"bcht:bucket={2,4},hashes={2,4}": "bcht:bucket=2,hashes=2 bcht:bucket=2,hashes=4 bcht:bucket=4,hashes=2 bcht:bucket=4,hashes=4",
		"1cht,bcht:bucket={8,32},1cht":   "1cht bcht bcht:bucket=32 1cht",
		"{1cht,bcht}:hashes=2":           "1cht:hashes=2 bcht:hashes=2",
		"bcht,bcht:bucket={4,8},bcht":    "bcht bcht:bucket=4 bcht",
		"bcht:bucket={4}":                "bcht:bucket=4",
	} {
		var given []string
		if text != "" {
			given = strings.Split(text, ";") // --schemes given more than once
		}
		got, err := Schemes(given)
		names := lists.Map(got, schemes.Config.String)
		list := strings.Join(names, " ")
		must.Hold(t, err == nil && list == want, "%q: %s, %v; it should be %s", text, list, err, want)
	}
	for text, want := range map[string]string{
		"bucket=8,bcht":      `schemes are "bucket=8,bcht": the setting bucket=8 has no scheme before it`,
		"1cht,bcht,bucket=8": `schemes are "1cht,bcht,bucket=8": the first setting comes after a colon: bcht:bucket=8`,
		"bcht,":              `unknown scheme "": `,

		"bcht:bucket=4}":       `schemes are "bcht:bucket=4}": bcht:bucket=4} has a brace without`,
		"bcht:bucket={4,{8}}":  `schemes are "bcht:bucket={4,{8}}": bcht:bucket={4,{8}} has a brace without`,
		"bcht:bucket={}":       `schemes are "bcht:bucket={}": the set {} lacks a value; write sets as in {4,8}`,
		"bcht:{bucket=8,1cht}": "scheme bcht: ",
		many:                   "schemes are " + strconv.Quote(many) + ": its sets stand for more than 1000 schemes; hint: write fewer values",
		"1cht," + endless:      "schemes are " + strconv.Quote("1cht,"+endless) + ": its sets stand for more than 1000",
	} {
		must.Begin(t, must.Err(Schemes([]string{text})), want, text)
	}
}
