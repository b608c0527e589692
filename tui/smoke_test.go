package tui

import (
	"bytes"
	"context"
	"io"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/teatest/v2"
)

// The interface as a program, with a terminal that is made up: it draws, takes keys, and
// ends.
func TestSmoke(t *testing.T) {
	host := &fakeHost{run: fakeRun{schemes: fewSchemes, ops: []string{"find"}, elapsed: 31 * time.Second}}
	m, err := newModel(context.Background(), host, Options{Choice: &Choice{Script: "ycsb/a"}, Theme: "dark", Hz: 10})
	if err != nil {
		t.Fatal(err)
	}
	// The library is given an output of its own here, so what it does to the screen is done
	// to ours by hand.
	screen := &buffer{}
	m.outlet = newOutlet(screen)
	if _, err := m.outlet.Write([]byte(ansi.SetModeAltScreenSaveCursor)); err != nil {
		t.Fatal(err)
	}
	tm := teatest.NewTestModel(t, m, teatest.WithInitialTermSize(100, 30), teatest.WithProgramOptions(tea.WithEnvironment([]string{"TERM=xterm-256color"})))
	wait := func(out io.Reader, text string) {
		t.Helper()
		teatest.WaitFor(t, out, func(out []byte) bool { return bytes.Contains(out, []byte(text)) }, teatest.WithDuration(20*time.Second))
	}
	wait(tm.Output(), ansi.SetModeAltScreenSaveCursor)
	wait(screen, "dycuckoo")
	tm.Type("2")
	wait(screen, "Mop/s of all operations")
	tm.Type("q")
	tm.WaitFinished(t, teatest.WithFinalTimeout(20*time.Second))
	if !tm.FinalModel(t).(*Model).quits {
		t.Error("it ended, but not because of q")
	}
	m.leave()
	if got := host.session.did; len(got) != 1 || got[0] != "stop" {
		t.Errorf("the session was told %v", got)
	}
}

// buffer is one that is read while it is written.
type buffer struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (b *buffer) Write(text []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.text.Write(text)
}

func (b *buffer) Read(text []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.text.Read(text)
}
