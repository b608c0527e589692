package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/hashzoo/hashzoo/runtime/must"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // tests run the schemes that ship
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
