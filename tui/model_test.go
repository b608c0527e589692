package tui

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // tests run the schemes that ship
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/live"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// stage runs an interface by hand: commands run at once, and the clock ticks only when told.
type stage struct {
	t     must.Test
	m     *Model
	host  *fakeHost
	ticks []time.Duration // that the interface has asked for
}

func newStage(t must.Test, w, h int, run fakeRun, options Options) *stage {
	t.Helper()
	if run.ops == nil {
		run.ops = []string{"find", "update"}
	}
	if run.elapsed == 0 {
		run.elapsed = 31 * time.Second
	}
	host := &fakeHost{run: run}
	m := must.Get(newModel(context.Background(), host, options))(t)
	m.form = newForm(host.Catalog(), someSchemes(t))
	m.profile = colorprofile.ASCII
	m.paint()
	s := &stage{t: t, m: m, host: host}
	m.after = func(d time.Duration, _ func(time.Time) tea.Msg) tea.Cmd {
		s.ticks = append(s.ticks, d)
		return nil
	}
	s.send(tea.WindowSizeMsg{Width: w, Height: h})
	s.look()
	return s
}

// withRun is a stage with a run.
func withRun(t testing.TB, w, h int, run fakeRun) *stage {
	t.Helper()
	return newStage(t, w, h, run, Options{Choice: &Choice{Script: "ycsb/a", Seed: 42}, Theme: "dark"})
}

// send draws, gives the interface a message, and runs its commands.
func (s *stage) send(msg tea.Msg) {
	s.m.View()
	_, cmd := s.m.Update(msg)
	s.do(cmd)
}

func (s *stage) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			s.do(c)
		}
	case nil, tea.QuitMsg:
	default:
		s.send(msg)
	}
}

// look lets the interface take a snapshot.
func (s *stage) look() { s.send(nil) }

// keys presses keys, named as bindings name them.
func (s *stage) keys(list ...string) *stage {
	for _, key := range list {
		s.send(pressed(key))
	}
	return s
}

// typed presses a key for each letter.
func (s *stage) typed(text string) *stage {
	for _, r := range text {
		s.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return s
}

func pressed(key string) tea.KeyPressMsg {
	named := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp,
		"down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
		"home": tea.KeyHome, "end": tea.KeyEnd, "backspace": tea.KeyBackspace}
	if code, ok := named[key]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	if key == "space" {
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	}
	if key == "shift+tab" {
		return tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}
	}
	if letter, ok := strings.CutPrefix(key, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: []rune(letter)[0], Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(key)[0], Text: key}
}

// painted is the screen with its escape sequences.
func (s *stage) painted() string { return s.m.View().Content }

// screen is the screen as plain text.
func (s *stage) screen() string {
	s.m.View()
	var out strings.Builder
	for y := range s.m.canvas.Height() {
		var line strings.Builder
		for x := range s.m.canvas.Width() {
			line.WriteString(s.m.canvas.CellAt(x, y).Content)
		}
		out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return out.String()
}

// shows fails the test, which goes on, unless the screen has the texts.
func (s *stage) shows(texts ...string) {
	s.t.Helper()
	must.Has(s.t, s.screen(), texts...)
}

// lacks fails the test, which goes on, if the screen has the text.
func (s *stage) lacks(text string) {
	s.t.Helper()
	got := s.screen()
	must.Hold(s.t, !strings.Contains(got, text), "the screen shows %q:\n%s", text, got)
}

// The schemes of a fake run. Their names are long, so that they do not all fit.
var (
	fewSchemes = []string{"bcht", "iht:bucket=32,threshold=90", "slab", "dycuckoo:hashes=3"}
	allSchemes = []string{"1cht", "bcht", "bcht:bucket=8", "bp2ht", "chained", "clstash", "double:window=8", "dycuckoo",
		"fks", "iht:bucket=32,threshold=90", "linear:bucket=16", "megakv", "slab:alloc=super,beta=120,super_blocks=4", "stash"}
)

// fakeRun makes snapshots that depend only on it and on the view.
type fakeRun struct {
	schemes []string
	ops     []string
	elapsed time.Duration
	change  func(*live.Snapshot)
}

// noise is a pseudorandom number from -1 to 1.
func noise(a, b int) float64 {
	x := uint64(a)*0x9e3779b97f4a7c15 ^ uint64(b)*0xd1342543de82ef95
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 32
	return float64(x%2001)/1000 - 1
}

func (f fakeRun) snapshot(v live.View) *live.Snapshot {
	s := &live.Snapshot{
		State: live.Running, Elapsed: f.elapsed, Done: 0.71, Left: 12 * time.Second,
		About: live.About{Name: "ycsb/a", Seed: 42, Speed: 1,
			Device: device.Info{Name: "cpu", Model: "AMD EPYC 7763 64-Core Processor", Threads: 2, Memory: 16 << 30, Arch: "x86-64-v3"}},
		Point: run.PointBegan{Point: run.Point{{Name: "load", Value: 0.9}}, Index: 1, Of: 3}, Phase: run.PhaseBegan{Name: "run", Index: 1, Of: 2},
		Machine: device.State{Free: 11 << 30, Figures: map[string]float64{device.CPUClock: 3245, device.CPUTemperature: 61}},
		Input:   "9f3c1e8d77aa0b12", Ops: f.ops, View: v,
		End: f.elapsed, Curve: -1,
	}
	if s.Begin = s.End - v.Window; v.Window == 0 || s.Begin < 0 {
		s.Begin = 0
	}
	for _, op := range f.ops {
		s.Mix = append(s.Mix, live.Share{Op: op, Part: 1 / float64(len(f.ops))})
		s.Curves = append(s.Curves, live.Curve{Phase: "run", Op: op})
		s.Curve = max(v.Curve-1, 0)
	}
	for i, name := range f.schemes {
		s.Schemes = append(s.Schemes, f.scheme(i, name, v, s))
	}
	s.Log = []live.Entry{
		{At: 0, Where: "load=0.8", Scheme: -1, Kind: live.Began, Text: "load=0.8, 1 of 3"},
		{At: 9 * time.Second, Where: "load=0.8 run", Batch: 31, Scheme: len(f.schemes) - 1, Kind: live.Note, Text: "subtable 2 was doubled to 1048576 slots"},
		{At: 14 * time.Second, Where: "load=0.9 prepare", Scheme: -1, Kind: live.Began, Text: "load=0.9, 2 of 3"},
		{At: 22 * time.Second, Where: "load=0.9 run", Batch: 17, Scheme: 1, Kind: live.Threshold, Text: "p99 is 44.7 ms, at most 40 ms was asked for"},
	}
	if f.change != nil {
		f.change(s)
	}
	return s
}

func (f fakeRun) scheme(i int, name string, v live.View, s *live.Snapshot) live.Scheme {
	base := 31.4 / (1 + 0.35*float64(i*7%11))
	x := live.Scheme{Name: name, State: live.Working, Load: 0.9 - 0.04*float64(i%5), Size: 900_000, Capacity: 1_000_000,
		Bytes: 8_000_000 + int64(i)*310_000}
	for o := range f.ops {
		x.Ops = append(x.Ops, f.op(100*i+o, base*(1+0.3*float64(o)), 1/float64(len(f.ops)), v, s))
	}
	x.All = f.op(100*i+99, base, 1, v, s)
	x.ByLoad = f.spots(i, base, v)
	x.Verdict = live.Verdict{Kind: analysis.Slower, Ratio: base / 31.4, Noise: 0.012, Pairs: 40}
	switch {
	case i == v.Baseline:
		x.Verdict = live.Verdict{None: live.Baseline, Ratio: 1}
	case base == 31.4:
		x.Verdict = live.Verdict{Kind: analysis.Same, Ratio: 1.004, Noise: 0.012, Pairs: 40}
	case i%5 == 3:
		x.Verdict = live.Verdict{Kind: analysis.Faster, Ratio: 1.214, Noise: 0.03, Pairs: 40}
	case i%5 == 4:
		x.Verdict = live.Verdict{Kind: analysis.Unclear, Ratio: 1.03, Noise: 0.09, Pairs: 4}
	}
	x.Gauges = fakeGauges(i)
	return x
}

// spots are ten batches at each of a few load factors.
func (f fakeRun) spots(i int, base float64, v live.View) (list []live.Spot) {
	for at := range 7 {
		var spot live.Spot
		for k := range 10 {
			load := 0.6 + 0.05*float64(at) - 0.002*float64(i%3)
			mops := base * (1.6 - load) * (1 + 0.3*float64(v.Curve)) * (1 + 0.08*noise(100*i+at, k))
			spot.Add(live.NewSpot(load, fakeBin(mops)))
		}
		list = append(list, spot)
	}
	return list
}

func (f fakeRun) op(seed int, mops, share float64, v live.View, s *live.Snapshot) live.Op {
	o := live.Op{Totals: live.Totals{Batches: 312, N: 312_000_000, Completed: 311_999_000, Missing: 1000, Service: 9 * time.Second}, Share: share,
		Now: mops * (1 + 0.04*noise(seed, 1)), Mean: mops, Median: mops * 1.03}
	o.Times = fakeTimes(seed, time.Duration(1e9/mops))
	span := s.End - s.Begin
	for c := range v.Columns {
		at := int(s.Begin+span*time.Duration(c)/time.Duration(v.Columns)) / 150e6
		o.Series = append(o.Series, fakeBin(mops*(1+0.15*math.Sin(float64(at)/9+float64(seed))+0.06*noise(seed, at))))
	}
	return o
}

func fakeBin(mops float64) live.Bin {
	return live.Bin{Completed: uint64(mops * 40e3), Service: 40 * time.Millisecond}
}

func fakeTimes(seed int, middle time.Duration) live.Times {
	t := live.Times{Least: middle * 8 / 10, P50: middle, P99: middle * 13 / 10, P999: middle * 16 / 10, Most: middle * 19 / 10}
	for upTo, i := float64(t.Least)*1.04, 0; upTo < float64(t.Most)*1.04; upTo, i = upTo*1.04, i+1 {
		away := math.Log(upTo/float64(middle)) * 9
		n := uint64(300*math.Exp(-away*away) + 1.3 + noise(seed, i))
		t.Steps = append(t.Steps, live.Step{UpTo: time.Duration(upTo), Count: n})
		t.Count += n
	}
	return t
}

func fakeGauges(i int) []schemes.Reading {
	fill := schemes.Reading{Name: "bucket fill", Help: "buckets by how many of their slots are taken", Unit: "buckets"}
	for n := range 17 {
		fill.Bars = append(fill.Bars, schemes.Bar{Label: fmt.Sprint(n), Value: math.Round(60000 * math.Exp(-math.Pow(float64(n)-13.5, 2)/8))})
	}
	tables := schemes.Reading{Name: "subtables", Help: "how full each is", Unit: "slots"}
	for n := range 3 + i%2 {
		tables.Bars = append(tables.Bars, schemes.Bar{Label: fmt.Sprintf("subtable %d", n), Value: 200000 + 30000*float64(n), Of: 262144})
	}
	return []schemes.Reading{
		{Name: "rebuilds", Help: "since the table was made", Bars: []schemes.Bar{{Value: 3}}},
		{Name: "slabs", Unit: "slabs", Help: "taken of the allocator's", Bars: []schemes.Bar{{Value: 61234, Of: 131072}}},
		fill, tables,
	}
}

// fakeHost starts fake sessions at once.
type fakeHost struct {
	run     fakeRun
	started []Choice
	refuse  error
	session *fakeSession
	runs    []Run
	wrong   error // with any choice
	checked []Choice
}

func (h *fakeHost) Runs() []Run { return h.runs }

func (h *fakeHost) Check(c Choice) error {
	h.checked = append(h.checked, c)
	return h.wrong
}

func (h *fakeHost) Catalog() Catalog {
	return Catalog{
		Scripts: []Script{
			{Name: "quickstart", Title: "Fill a table to a load factor, then look keys up, some of which are there.", Options: []Option{
				{Name: "n", Default: "1e6", Help: "pairs in the table", Check: func(value string) error {
					if _, err := strconv.ParseFloat(value, 64); err != nil {
						return fmt.Errorf("option n is %q", value)
					}
					return nil
				}}, {Name: "hits", Default: "0.5", Help: "fraction of the lookups that find something"},
				{Name: "load", Default: "0.6,0.8,0.9", Axis: true}}},
			{Name: "ycsb/a", Title: "Half reads, half updates, on keys of which a few are most of them",
				Options: []Option{{Name: "batch", Default: "1e6", Help: "operations in a batch"}}},
			{Name: "broken.lua", Err: errors.New("broken.lua:3: unexpected symbol near 'end'")},
			{Name: "yesterday.rec", Title: "recording of ycsb/a, seed 7"},
		},
		Devices: []Device{{Name: "cpu", Model: "AMD EPYC 7763 64-Core Processor"}, {Name: "cuda:0", Model: "NVIDIA H100 80GB HBM3"}},
		Default: Choice{Script: "quickstart", Device: "cpu", Seed: 1},
	}
}

func (h *fakeHost) Start(c Choice) (Session, error) {
	h.started = append(h.started, c)
	if h.refuse != nil {
		return nil, h.refuse
	}
	h.session = &fakeSession{run: h.run, seed: c.Seed, number: len(h.runs) + 1}
	h.runs = append(h.runs, Run{Number: h.session.number, Choice: c, Steered: h.session})
	return h.session, nil
}

// fakeSession notes its calls.
type fakeSession struct {
	run    fakeRun
	seed   uint64
	number int
	did    []string
	fail   error
	looks  int
	begun  int
}

func (s *fakeSession) Snapshot(v live.View) *live.Snapshot {
	s.looks++
	shot := s.run.snapshot(v)
	if s.seed != 0 {
		shot.Seed = s.seed
	}
	for _, did := range s.did {
		switch did {
		case "pause true":
			shot.State = live.Paused
		case "pause false":
			shot.State = live.Running
		case "stop":
			shot.State = live.Ended
		}
		if path, ok := strings.CutPrefix(did, "record "); ok {
			shot.Recording = path
		}
	}
	return shot
}

func (s *fakeSession) Begin() { s.begun++ }

func (s *fakeSession) do(format string, args ...any) error {
	s.did = append(s.did, fmt.Sprintf(format, args...))
	return s.fail
}

// replay does what only replays do, as sessions have it.
func (s *fakeSession) replay(format string, args ...any) error {
	if !s.run.snapshot(live.View{Columns: 1}).Replay {
		return errors.New("this is no replay")
	}
	return s.do(format, args...)
}

func (s *fakeSession) Pause(on bool)         { _ = s.do("pause %v", on) }
func (s *fakeSession) Stop()                 { _ = s.do("stop") }
func (s *fakeSession) Speed(f float64) error { return s.replay("speed %g", f) }
func (s *fakeSession) Skip(n int) error      { return s.replay("skip %+d", n) }
func (s *fakeSession) Record(p string) error { return s.do("record %s", p) }

// Results are of a run that is slower than all before. One that was stopped was interrupted.
func (s *fakeSession) Results() (d results.Document) {
	for _, scheme := range s.run.schemes {
		rate := 100 / float64(s.number)
		noise := 0.001
		row := results.Row{Scheme: scheme, Pair: "k4v4", Op: "find", Phase: "run", N: 1000, Completed: 1000, Batches: 6, Noise: &noise, Rate: rate, Median: 10 / rate,
			Input: fmt.Sprint("xxh3:seed ", s.seed), Settled: true}
		for k := range 6 {
			row.Runs = append(row.Runs, row.Median*(1+0.001*float64(k%3)))
		}
		d.Rows = append(d.Rows, row)
	}
	d.End.Interrupted = slices.Contains(s.did, "stop") && s.run.snapshot(live.View{Columns: 1}).State != live.Ended
	return d
}

func (s *fakeSession) Save() (string, error) { return "results.json", s.do("save") }
