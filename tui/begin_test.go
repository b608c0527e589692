package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// A run begins when its screen is drawn, for which the size of the terminal must be known.
func TestRunBeginsWithItsScreen(t *testing.T) {
	s := unsized(t)
	if s.look(); s.host.session.begun != 0 {
		t.Error("it began before there was a screen")
	}
	if s.send(tea.WindowSizeMsg{Width: 100, Height: 30}); s.host.session.begun == 0 {
		t.Error("it did not begin with its screen")
	}
}

// A terminal that never tells its size does not stop the run.
func TestRunBeginsWithoutAScreen(t *testing.T) {
	s := unsized(t)
	if s.m.Update(ticked{}); s.host.session.begun == 0 {
		t.Error("it waits")
	}
}

// unsized is a stage with a run, on a terminal of unknown size.
func unsized(t *testing.T) *stage {
	h := &fakeHost{run: fakeRun{schemes: fewSchemes}}
	choice := h.Catalog().Default
	m := must.Get(newModel(t.Context(), h, Options{Choice: &choice}))(t)
	return &stage{t: t, m: m, host: h}
}

// A tick draws another snapshot, and asks for the next tick.
func TestTicks(t *testing.T) {
	s := withRun(t, 100, 30, fakeRun{schemes: fewSchemes})
	before, ticks, looks := s.painted(), len(s.ticks), s.host.session.looks
	s.host.session.run.elapsed += time.Second
	if s.m.Update(ticked{}); s.painted() == before || s.host.session.looks != looks+1 {
		t.Errorf("%d snapshots, of which none is drawn", s.host.session.looks-looks)
	}
	if got := s.ticks[ticks:]; !slices.Equal(got, []time.Duration{200 * time.Millisecond}) {
		t.Errorf("ticks after %v", got)
	}
}

// A key that wants another view is answered by another snapshot.
func TestKeysDoNotWaitForATick(t *testing.T) {
	s := withRun(t, 100, 30, fakeRun{schemes: fewSchemes})
	if s.m.Update(pressed("2")); s.m.latest.View != s.m.wanted() {
		t.Error("what was pressed is not seen")
	}
}

// Ctrl-Z pauses the run before the process stops, and continues it afterwards.
func TestSuspend(t *testing.T) {
	s := withRun(t, 100, 30, fakeRun{schemes: fewSchemes})
	_, cmd := s.m.Update(pressed("ctrl+z"))
	if got := s.host.session.did; !slices.Equal(got, []string{"pause true"}) {
		t.Errorf("did %v", got)
	}
	if _, ok := cmd().(tea.SuspendMsg); !ok {
		t.Error("it is not suspended")
	}
	s.send(tea.ResumeMsg{})
	if got := s.host.session.did; !slices.Equal(got, []string{"pause true", "pause false"}) {
		t.Errorf("did %v", got)
	}
}

// Ctrl-Z is no text: it suspends also where a command or a value is typed.
func TestSuspendWhileTyping(t *testing.T) {
	for _, keys := range []string{": s", "0 tab tab down e", "?"} {
		s := withRun(t, 100, 30, fakeRun{schemes: fewSchemes}).keys(strings.Fields(keys)...)
		if s.m.Update(pressed("ctrl+z")); !s.m.suspended {
			t.Errorf("%s: it is not suspended", keys)
		}
	}
}

// A run that the user has paused stays paused.
func TestSuspendOfAPausedRun(t *testing.T) {
	s := withRun(t, 100, 30, fakeRun{schemes: fewSchemes}).keys("p")
	_, cmd := s.m.Update(pressed("ctrl+z"))
	if _, ok := cmd().(tea.SuspendMsg); !ok {
		t.Error("it is not suspended")
	}
	if s.send(tea.ResumeMsg{}); !slices.Equal(s.host.session.did, []string{"pause true"}) {
		t.Errorf("did %v", s.host.session.did)
	}
}
