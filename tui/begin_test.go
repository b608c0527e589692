package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hashzoo/hashzoo/runtime/must"
)

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
	if s.m.Update(ticked{}); s.painted() == before || s.host.session.looks != looks+1 {
		t.Errorf("%d snapshots, of which none is drawn", s.host.session.looks-looks)
	}
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
