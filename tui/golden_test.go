package tui

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/live"
	"pgregory.net/rapid"
)

// sizes are the sizes of pinned screens.
var sizes = [][2]int{{80, 24}, {120, 40}, {200, 60}}

// pinned is a screen whose look is pinned.
type pinned struct {
	name  string
	tiny  bool   // in the smallest terminal, too
	steps string // a scheme shown step by step
	run   fakeRun
	keys  []string
	setup func(*stage)
}

func pins() []pinned {
	few, many := fakeRun{schemes: fewSchemes}, fakeRun{schemes: allSchemes}
	changed := func(change func(*live.Snapshot)) fakeRun { return fakeRun{schemes: fewSchemes, change: change} }
	return []pinned{
		{name: "overview", run: few, keys: []string{"down"}},
		{name: "overview-many", tiny: true, run: many, keys: []string{"s", "s"}},
		{name: "overview-expanded", run: changed(counted), keys: []string{"down", "down", "enter"}},
		{name: "overview-cache", run: changed(caching), keys: []string{"down"}},
		{name: "overview-troubles", run: changed(troubles)},
		{name: "overview-gpu", run: changed(onGPU), keys: []string{"o"}},
		{name: "compare", run: few},
		{name: "compare-many", run: many, keys: []string{"down", "down"}, setup: onScreen("2")},
		{name: "compare-load", run: few, keys: []string{"v", "z", "o"}, setup: onScreen("2")},
		{name: "compare-nothing", run: changed(nothing), setup: onScreen("2")},
		{name: "latency", run: few},
		{name: "latency-open", run: changed(open), setup: onScreen("3")},
		{name: "inside", run: changed(counted)},
		{name: "inside-nothing", run: changed(nothing), setup: onScreen("4")},
		{name: "log", run: few},
		{name: "runs", tiny: true, run: changed(ended), setup: compared},
		{name: "log-long", run: changed(long), keys: []string{"up", "up"}, setup: onScreen("5")},
		{name: "frozen", run: few, keys: []string{"down", "b"}, setup: later},
		{name: "paused", run: few, keys: []string{"p"}},
		{name: "recording", run: few, keys: []string{"r"}},
		{name: "replay", run: changed(replay)},
		{name: "starting", run: changed(nothing)},
		{name: "ended", run: changed(ended)},
		{name: "failed", run: changed(func(s *live.Snapshot) { ended(s); s.Err = errors.New("cuda:0: out of memory") })},
		{name: "keys", tiny: true, run: few, keys: []string{"?"}},
		{name: "command", run: few, keys: []string{":", "w", "i", "n", "d", "o", "w", "space", "tab"}},
		{name: "command-wrong", run: few, keys: []string{":", "w", "i", "n", "d", "w", "enter"}},
		{name: "filter", run: few, keys: []string{"/", "c", "h", "t"}},
		{name: "filter-none", run: few, keys: []string{"/", "y", "y"}},
		{name: "start", keys: []string{"tab", "down", "right", "down"}},
		{name: "start-edit", keys: []string{"tab", "down", "right", "down", "7"}},
		{name: "start-wrong", keys: []string{"tab", "down", "right", "down", "7", "enter", "enter"}},
		{name: "start-refused", keys: []string{"enter"}, setup: func(s *stage) {
			s.host.refuse = errors.New("device cuda:0: no driver: libcuda.so.1 was not found")
		}},
		{name: "step", steps: "bcht", keys: []string{"i", "1", "space", "2", "space", "3", "space", "4", "space", "5", "space", "6", "enter", "enter", "enter", "left", "left", "left", "left", "left", "left"}},
		{name: "step-lists", steps: "slab", keys: []string{"enter", "enter", "enter", "enter", "space", "space", "space"}},
		{name: "step-resize", steps: "dycuckoo", keys: []string{"i", "tab", "tab", "tab", "tab", "tab", "tab", "tab", "tab", "tab", "tab", "6", "4", "enter", "space", "space"}},
		{name: "step-typing", tiny: true, steps: "stash", keys: []string{"enter", "enter", "enter", "space", "i", "7", "=", "x", "enter"}},
		{name: "ascii", run: few, setup: func(s *stage) { s.m.canvas.ascii = true }},
		{name: "ascii-compare", run: few, setup: func(s *stage) { s.m.canvas.ascii = true; s.keys("2") }},
	}
}

func onScreen(key string) func(*stage) { return func(s *stage) { s.keys(key) } }

// compared is two runs of three, compared.
func compared(s *stage) {
	commanded(s, "seed 42")
	s.host.run.change = nil
	commanded(s, "schemes bcht") // goes on
	commanded(s, "compare 1 2")
}

// later freezes the view and lets the run continue.
func later(s *stage) {
	s.keys("space")
	s.host.session.run.elapsed = 45 * time.Second
	s.look()
}

func counted(s *live.Snapshot) {
	s.Counted = true
	for i := range s.Schemes {
		s.Schemes[i].PerOp = map[string]float64{"probes": 1.13 + 0.2*float64(i), "sectors": 4.5, "evictions": 0.012, "failed_cas": 0}
		s.Schemes[i].Notes = []string{"rebuilt once with other hash functions", "2 inserts found no room at first"}
	}
}

// caching has tables that answer requests, and all but one evict.
func caching(s *live.Snapshot) {
	s.Ops = []string{"get", "put"}
	for i := range s.Schemes {
		x := &s.Schemes[i]
		get, put := &x.Ops[0], &x.Ops[1]
		get.Lookups, get.Hits, get.HitsNow = 1e6, 6e5+uint64(i)*1e4, 0.612-0.09*float64(i)
		put.Evicted, put.HitsNow = 123456*uint64(3-i), math.NaN()
		x.All.Lookups, x.All.Hits, x.All.HitsNow, x.All.Evicted = get.Lookups, get.Hits, get.HitsNow, put.Evicted
	}
}

func troubles(s *live.Snapshot) {
	s.Incomparable = "iht asked for other keys than bcht, from batch 12 on: its own choices differ"
	s.Schemes[1].State, s.Schemes[1].Why = live.Failed, "the kernel of find did not end within 1m0s: it hangs, and its table is given up (engine.batch_timeout)"
	s.Schemes[2].State, s.Schemes[2].Why = live.Out, "it has no pairs of 8+8 bytes: lanes of a slab have 32 bits: two for each pair, and one for the pointer"
	s.Schemes[3].State = live.Waiting
	s.Schemes[0].Failed = 1234567
	s.Schemes[0].Notes = []string{"1234567 inserts found no room"}
}

func onGPU(s *live.Snapshot) {
	s.Device = device.Info{Name: "cuda:0", Model: "NVIDIA H100 80GB HBM3", Threads: 132, Memory: 80 << 30, Driver: "580.1", Arch: "sm_90"}
	s.Machine = device.State{Free: 61 << 30, Throttled: []string{"power cap"}, Figures: map[string]float64{
		device.CPUClock: 3245, device.GPUClock: 1980, device.GPUPower: 352.5, device.GPUTemperature: 54}}
	s.Warmup = true
	for i := range s.Schemes {
		for j := range s.Schemes[i].Ops {
			o := &s.Schemes[i].Ops[j]
			o.Mean, o.Now = o.Mean*700, o.Now*700
			o.Times.P50, o.Times.P99 = o.Times.P50/700, o.Times.P99/700
		}
	}
}

func nothing(s *live.Snapshot) {
	s.State, s.Done, s.Left, s.Phase.Name, s.Input, s.Mix, s.Log = live.Starting, -1, -1, "", "", nil, nil
	for i := range s.Schemes {
		name := s.Schemes[i].Name
		s.Schemes[i] = live.Scheme{Name: name, Ops: make([]live.Op, len(s.Ops))}
	}
}

func open(s *live.Snapshot) {
	s.Rate = 2.5e6
	for i := range s.Schemes {
		s.Schemes[i].All.Responses = fakeTimes(i+50, 3*s.Schemes[i].All.Times.P50)
	}
}

func long(s *live.Snapshot) {
	for i := range 60 {
		s.Log = append(s.Log, live.Entry{At: time.Duration(30+i) * time.Second, Where: "load=0.9 run", Batch: uint64(100 + i), Scheme: i % 4, Kind: live.Mismatch,
			Text: fmt.Sprintf("batch %d: the results are not those of the recording", 100+i)})
	}
	s.Forgotten = 12
}

func replay(s *live.Snapshot) { s.Replay, s.Name, s.Speed = true, "yesterday.rec", 2 }

func ended(s *live.Snapshot) { s.State, s.Done, s.Left = live.Ended, 1, 0 }

// TestScreens compares screens with those in testdata, which a person has approved.
func TestScreens(t *testing.T) {
	for _, p := range pins() {
		t.Run(p.name, func(t *testing.T) {
			var got strings.Builder
			list := sizes
			if p.tiny {
				list = append([][2]int{{leastWidth, leastHeight}}, sizes...)
			}
			for _, size := range list {
				fmt.Fprintf(&got, "%d×%d\n%s\n", size[0], size[1], p.screen(t, size))
			}
			must.Golden(t, filepath.Join(home, "testdata", p.name+".txt"), got.String())
		})
	}
}

func (p pinned) screen(t *testing.T, size [2]int) string {
	t.Chdir(t.TempDir())
	var s *stage
	if p.steps != "" {
		s = withSteps(t, size[0], size[1], p.steps)
	} else if p.run.schemes == nil {
		s = newStage(t, size[0], size[1], p.run, Options{Theme: "dark"})
	} else {
		s = withRun(t, size[0], size[1], p.run)
	}
	for i, screen := range ofRun {
		if p.name == panes[screen].name {
			s.keys(fmt.Sprint(i + 1))
		}
	}
	if p.setup != nil {
		p.setup(s)
	}
	s.keys(p.keys...)
	return s.screen()
}

var home, _ = os.Getwd()

// TestColours pins the escape sequences for terminals with all colors, with 16, and with none.
func TestColours(t *testing.T) {
	var got strings.Builder
	for _, p := range []struct {
		name    string
		theme   string
		profile colorprofile.Profile
	}{{"dark", "dark", colorprofile.TrueColor}, {"dark, 16 colours", "dark", colorprofile.ANSI}, {"light, 16 colours", "light", colorprofile.ANSI}, {"NO_COLOR", "dark", colorprofile.ASCII}} {
		host := &fakeHost{run: fakeRun{schemes: fewSchemes, ops: []string{"find"}, elapsed: 31 * time.Second}}
		m := must.Get(newModel(context.Background(), host, Options{Choice: &Choice{}, Theme: p.theme}))(t)
		s := &stage{t: t, m: m, host: host}
		s.send(tea.WindowSizeMsg{Width: 80, Height: 20})
		s.send(tea.ColorProfileMsg{Profile: p.profile})
		s.look()
		painted := regexp.MustCompile(` +(\n|$)`).ReplaceAllString(s.painted(), "$1")
		fmt.Fprintf(&got, "%s\n%s\n\n", p.name, strings.ReplaceAll(painted, "\x1b", "␛"))
	}
	must.Golden(t, "testdata/colours.txt", got.String())
}

// No run overflows a terminal of any size.
func TestNothingOverflows(t *testing.T) {
	t.Chdir(t.TempDir()) // pictures go there
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(leastWidth, 260).Draw(t, "w"), rapid.IntRange(leastHeight, 90).Draw(t, "h")
		s := anyStage(t, w, h)
		keys := strings.Fields("1 2 3 4 5 6 n enter space p b s o + - a v z ? esc down up right end home tab : / 0 pgdown r x")
		s.keys(rapid.SliceOfN(rapid.SampledFrom(keys), 0, 12).Draw(t, "keys")...)
		lines := strings.Split(s.painted(), "\n")
		must.Need(t, len(lines) == h, "%d lines on a screen of %d", len(lines), h)
		for _, line := range lines {
			n := ansi.StringWidth(line)
			must.Need(t, n <= w && ansi.StringWidthWc(line) == n, "a line of %d cells on a screen of %d: %q", n, w, line)
		}
		readBack(t, s)
	})
}

// readBack checks that bubbletea parses the text of the screen into the cells that were drawn.
func readBack(t *rapid.T, s *stage) {
	c := &s.m.canvas
	for _, method := range []ansi.Method{ansi.GraphemeWidth, ansi.WcWidth} {
		screen := uv.NewScreenBuffer(c.Width(), c.Height())
		screen.Method = method
		uv.NewStyledString(s.painted()).Draw(screen, screen.Bounds())
		for y := range c.Height() {
			for x := range c.Width() {
				if got, want := screen.CellAt(x, y), c.CellAt(x, y); got.Content != want.Content || !got.Style.Equal(&want.Style) {
					t.Fatalf("%+v is at %d,%d where %+v was drawn", got, x, y, want)
				}
			}
		}
	}
}

// anyStage is a stage with an arbitrary run.
func anyStage(t *rapid.T, w, h int) *stage {
	text := rapid.OneOf(rapid.StringN(0, 60, -1), rapid.SampledFrom([]string{"", "bcht", "x\x1b[2Jy\n\tz", "表格 テスト 🙂👩‍👩‍👧", "é́", strings.Repeat("long ", 40)}))
	number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 1e5))
	run := fakeRun{schemes: rapid.SliceOfN(rapid.SampledFrom(allSchemes), 0, 40).Draw(t, "schemes"),
		ops:     rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"find", "insert", "update", "erase", "find_all", "upsert"}), 0, 6, rapid.ID).Draw(t, "ops"),
		elapsed: time.Duration(rapid.Int64Range(0, 1e15).Draw(t, "elapsed"))}
	name, done, mops := text.Draw(t, "name"), number.Draw(t, "done"), number.Draw(t, "rate")
	state := live.State(rapid.IntRange(0, 3).Draw(t, "state"))
	strange := rapid.Bool().Draw(t, "strange")
	run.change = func(s *live.Snapshot) {
		s.State = state
		if !strange {
			return
		}
		s.Name, s.Phase.Name, s.Incomparable, s.Recording, s.Device.Model = name, name, name, name, name
		s.Point.Point = slices.Clone(s.Point.Point)
		s.Point.Point[0].Name = name
		s.Done, s.Rate, s.Left = done, mops, time.Duration(mops)
		for i := range s.Schemes {
			x := &s.Schemes[i]
			x.Name, x.State, x.Why, x.Load = name, live.SchemeState(i%4), name, done
			x.Notes, x.PerOp = []string{name}, map[string]float64{name: mops, "probes": done}
			x.All.Now, x.All.Mean, x.All.Failed = mops, done, uint64(s.Elapsed)
			x.All.Series = nil
			x.ByLoad = []live.Spot{live.NewSpot(done, live.Bin{Completed: uint64(i), Service: time.Duration(mops)}), live.NewSpot(mops, live.Bin{Completed: 1, Service: 1})}
			x.Verdict = live.Verdict{Kind: analysis.Kind(i % 4), Ratio: mops, Noise: done, Pairs: i}
			x.Gauges = append(x.Gauges, schemes.Reading{Name: name, Unit: name, Bars: []schemes.Bar{{Value: mops}, {Label: name, Value: done, Of: mops}}})
		}
		for i := range 30 {
			s.Log = append(s.Log, live.Entry{Where: name, Text: name, Scheme: i - 1, Kind: live.EntryKind(i % 6), At: s.Elapsed})
		}
	}
	s := &stage{}
	options := Options{Theme: "dark", Ascii: rapid.Bool().Draw(t, "ascii")}
	if rapid.IntRange(0, 9).Draw(t, "start") > 0 {
		options.Choice = &Choice{Script: "ycsb/a"}
	}
	s = newStage(t, w, h, run, options)
	s.look()
	return s
}

func TestTooSmall(t *testing.T) {
	for _, size := range [][2]int{{59, 16}, {60, 15}, {10, 3}, {1, 1}} {
		s := withRun(t, size[0], size[1], fakeRun{schemes: fewSchemes})
		lines := strings.Split(s.painted(), "\n")
		must.Hold(t, len(lines) == size[1], "%v: %d lines", size, len(lines))
		must.Hold(t, size[0] <= 30 || strings.Contains(s.screen(), "of 60×16 at least,"), "%v: %s", size, s.screen())
	}
}
