package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hashzoo/hashzoo/workloads/live"
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
	m, err := newModel(t.Context(), h, Options{Choice: &choice})
	if err != nil {
		t.Fatal(err)
	}
	return &stage{t: t, m: m, host: h}
}

// A tick draws nothing: the screen is as before until the snapshot is there.
func TestTicksDrawNothing(t *testing.T) {
	s := withRun(t, 100, 30, fakeRun{schemes: fewSchemes})
	before := s.painted()
	s.host.session.run.elapsed += time.Second
	_, cmd := s.m.Update(ticked{})
	if !s.m.drawn || s.painted() != before {
		t.Error("drawn before there was anything new")
	}
	if s.do(cmd); s.m.drawn || s.painted() == before {
		t.Error("the snapshot was not drawn")
	}
}

// A snapshot of a former run is not shown.
func TestFormerRunIsNotShown(t *testing.T) {
	s := withRun(t, 100, 30, fakeRun{schemes: fewSchemes})
	before := s.m.latest
	s.send(sampled{run: s.m.run - 1, snapshot: s.host.session.run.snapshot(live.View{Columns: 10})})
	if s.m.latest != before {
		t.Error("it is shown")
	}
}

// A key that wants another view is answered by another snapshot, also while one is being taken.
func TestKeysDoNotWaitForATick(t *testing.T) {
	s := withRun(t, 100, 30, fakeRun{schemes: fewSchemes})
	_, cmd := s.m.Update(ticked{})
	s.m.Update(pressed("2"))
	s.do(cmd)
	if s.m.latest.View != s.m.look() {
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
