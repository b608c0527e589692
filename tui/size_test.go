package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/live"
)

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
