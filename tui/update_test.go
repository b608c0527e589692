package tui

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/workloads/live"
)

// Snapshots are taken for the present view.
func TestViewOfTheNextSnapshot(t *testing.T) {
	for _, c := range []struct {
		keys string
		want live.View
	}{
		{"", live.View{Window: 30 * time.Second, Columns: 80}},
		{"+ + -", live.View{Window: time.Minute, Columns: 80}},
		{"- - -", live.View{Window: 10 * time.Second, Columns: 80}},
		{"a", live.View{Columns: 80}},
		{"o", live.View{Window: 30 * time.Second, Columns: 80, Op: "find"}},
		{"o o o", live.View{Window: 30 * time.Second, Columns: 80}},
		{"down down b", live.View{Window: 30 * time.Second, Columns: 80, Baseline: 2}},
		{"2", live.View{Window: 30 * time.Second, Columns: 160}},
	} {
		s := withRun(t, 80, 24, fakeRun{schemes: fewSchemes}).keys(strings.Fields(c.keys)...)
		must.Match(t, s.m.scene.View, c.want, c.keys)
	}
}

func TestKeysForTheRun(t *testing.T) {
	replayed := fakeRun{schemes: fewSchemes, change: replay}
	for _, c := range []struct {
		keys string
		run  fakeRun
		want string
	}{
		{"p p", fakeRun{schemes: fewSchemes}, "pause true, pause false"},
		{"r r", fakeRun{schemes: fewSchemes}, "record ycsb-a-42.rec, record "},
		{"] [", replayed, "skip +1, skip -1"},
		{"> <", replayed, "speed 4, speed 1"},
		{"] >", fakeRun{schemes: fewSchemes}, ""},
		{"p ] r", fakeRun{schemes: fewSchemes, change: ended}, ""},
	} {
		t.Chdir(t.TempDir())
		s := withRun(t, 80, 24, c.run)
		for _, key := range strings.Fields(c.keys) {
			s.keys(key).look()
		}
		got := strings.Join(s.host.session.did, ", ")
		must.Hold(t, got == c.want, "%s: did %q instead of %q", c.keys, got, c.want)
		must.Hold(t, c.want != "" || s.m.message.bad, "%s: it is not said that nothing is done", c.keys)
	}
}

func TestAgainIsAnotherSeedAfterTheFirstHasEnded(t *testing.T) {
	s := withRun(t, 80, 24, fakeRun{schemes: fewSchemes})
	first := s.host.session
	s.keys("n")
	if got := s.host.started; len(got) != 2 || got[1].Seed != 43 || got[1].Script != "ycsb/a" || !slices.Equal(first.did, []string{"stop"}) {
		t.Errorf("started %+v; the first did %v", got, first.did)
	}
}

func TestSaveWritesAPictureBesideTheResults(t *testing.T) {
	t.Chdir(t.TempDir())
	s := withRun(t, 80, 24, fakeRun{schemes: fewSchemes}).keys("2", "x", "x")
	for _, name := range []string{"results-compare.svg", "results-compare-2.svg"} {
		picture, err := os.ReadFile(name)
		must.Hold(t, err == nil && strings.HasPrefix(string(picture), "<svg") && strings.Contains(string(picture), ">bcht</text>"), "%s: %v: %s", name, err, picture)
	}
	must.Match(t, s.m.message.text, "wrote results.json and results-compare-2.svg")
}

func TestErrorsOfTheSessionAreShown(t *testing.T) {
	s := withRun(t, 80, 24, fakeRun{schemes: fewSchemes})
	s.host.session.fail = os.ErrPermission
	s.keys("x")
	must.Hold(t, s.m.message.bad && s.m.message.text == "permission denied", "%+v", s.m.message)
}

func TestMouse(t *testing.T) {
	s := withRun(t, 120, 40, fakeRun{schemes: fewSchemes})
	lines := strings.Split(s.screen(), "\n")
	y := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, " c slab") })
	s.send(tea.MouseClickMsg{X: 20, Y: y, Button: tea.MouseLeft})
	must.Hold(t, s.m.selected == 2, "scheme %d after a click on number 2", s.m.selected)
	s.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	must.Hold(t, s.m.selected == 3, "scheme %d after the wheel", s.m.selected)
	y = len(lines) - 3 // the screens
	s.send(tea.MouseClickMsg{X: strings.Index(lines[y], "3 latency"), Y: y, Button: tea.MouseLeft})
	must.Hold(t, s.m.screen == onLatency, "screen %d after a click on latency", s.m.screen)
}

// The selection is a scheme, not a line: it stays when others move.
func TestSelectionStaysWhenSorted(t *testing.T) {
	s := withRun(t, 120, 40, fakeRun{schemes: allSchemes}).keys("down", "down", "s")
	must.Hold(t, s.m.selected == 2 && s.m.scene.place() != 2, "scheme %d at place %d", s.m.selected, s.m.scene.place())
}

func TestEscGoesBackStepByStep(t *testing.T) {
	s := withRun(t, 80, 24, fakeRun{schemes: fewSchemes}).keys("/", "h", "t", "enter", "enter", "3", "?")
	for i, check := range []func() bool{
		func() bool { return !s.m.help.open }, func() bool { return s.m.filter == "" }, func() bool { return s.m.screen == onOverview },
		func() bool { return !s.m.expanded },
	} {
		s.keys("esc")
		must.Hold(t, check(), "esc number %d: help %v, filter %q, screen %d, expanded %v", i+1, s.m.help.open, s.m.filter, s.m.screen, s.m.expanded)
	}
}

func TestBoundRefuses(t *testing.T) {
	for want, keys := range map[string]map[string][]string{
		`unknown binding "freze": did you mean freeze?`:                                   {"freze": {"f"}},
		`key "p" is bound to freeze and to pause: give one of them another key`:           {"freeze": {"p"}},
		`binding quit: a key is empty: write a letter, or a name such as space or ctrl+x`: {"quit": {""}},
	} {
		must.Equal(t, must.Err(Bound(keys)), want, keys)
	}
	list, err := Bound(map[string][]string{"freeze": {"f"}, "scheme-before": nil})
	must.Hold(t, err == nil && bound(list, onOverview, "f").Name == "freeze" && bound(list, onOverview, "space") == nil && bound(list, onCompare, "left") == nil,
		"%v", err)
}

// A run begins when its screen is drawn, for which the size of the terminal must be known. A terminal that never tells its
// size does not stop the run.
func TestRunBeginsWithItsScreen(t *testing.T) {
	s := unsized(t)
	s.look()
	must.Match(t, s.host.session.begun, 0, "it began before there was a screen")
	s.send(tea.WindowSizeMsg{Width: 100, Height: 30})
	must.Hold(t, s.host.session.begun > 0, "it did not begin with its screen")
	s = unsized(t)
	s.m.Update(ticked{})
	must.Hold(t, s.host.session.begun > 0, "it waits")
}

// unsized is a stage with a run, on a terminal of unknown size.
func unsized(t *testing.T) *stage {
	h := &fakeHost{run: fakeRun{schemes: fewSchemes}}
	choice := h.Catalog().Default
	m := must.Get(newModel(t.Context(), h, Options{Choice: &choice}))(t)
	return &stage{t: t, m: m, host: h}
}

// A tick draws another snapshot, and asks for the next tick. A key that wants another view does not wait for it.
func TestTicks(t *testing.T) {
	s := withRun(t, 100, 30, fakeRun{schemes: fewSchemes})
	before, ticks, looks := s.painted(), len(s.ticks), s.host.session.looks
	s.host.session.run.elapsed += time.Second
	s.m.Update(ticked{})
	must.Hold(t, s.painted() != before && s.host.session.looks == looks+1, "%d snapshots, of which none is drawn", s.host.session.looks-looks)
	got := s.ticks[ticks:]
	must.Hold(t, slices.Equal(got, []time.Duration{200 * time.Millisecond}), "ticks after %v", got)
	s.m.Update(pressed("2"))
	must.Match(t, s.m.latest.View, s.m.wanted(), "what was pressed is not seen")
}

// A small screen is drawn at the usual rate, a large one as much less often as it is larger.
func TestPace(t *testing.T) {
	for size, want := range map[[2]int]time.Duration{{0, 0}: 200, {80, 24}: 200, {80, 60}: 200, {140, 44}: 256, {200, 60}: 500} {
		m := Model{period: time.Second / usualHz, w: size[0], h: size[1]}
		must.Match(t, m.pace().Milliseconds(), int64(want), size)
	}
}

// Ctrl-Z pauses the run before the process stops, and continues it afterwards unless it was paused before. It is no
// text: it suspends also where a command or a value is typed.
func TestSuspend(t *testing.T) {
	for keys, want := range map[string]string{
		"": "pause true, pause false", "p": "pause true", ": s": "pause true, pause false", "0 tab tab down e": "pause true, pause false", "?": "pause true, pause false",
	} {
		s := withRun(t, 100, 30, fakeRun{schemes: fewSchemes}).keys(strings.Fields(keys)...)
		_, cmd := s.m.Update(pressed("ctrl+z"))
		_, ok := cmd().(tea.SuspendMsg)
		must.Hold(t, ok && s.host.session.did[0] == "pause true", "%s: it is not suspended", keys)
		s.send(tea.ResumeMsg{})
		must.Match(t, strings.Join(s.host.session.did, ", "), want, keys)
	}
}
