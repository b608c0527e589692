package tui

import (
	"bytes"
	"context"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/teatest/v2"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// The interface as a program draws, takes keys, and ends.
func TestSmoke(t *testing.T) {
	host := &fakeHost{run: fakeRun{schemes: fewSchemes, ops: []string{"find"}, elapsed: 31 * time.Second}}
	m := must.Get(newModel(context.Background(), host, Options{Choice: &Choice{Script: "ycsb/a"}, Theme: "dark", Hz: 10}))(t)
	tm := teatest.NewTestModel(t, m, teatest.WithInitialTermSize(100, 30), teatest.WithProgramOptions(tea.WithEnvironment([]string{"TERM=xterm-256color"})))
	wait := func(text string) {
		t.Helper()
		teatest.WaitFor(t, tm.Output(), func(out []byte) bool { return bytes.Contains(out, []byte(text)) }, teatest.WithDuration(20*time.Second))
	}
	wait("dycuckoo")
	tm.Type("2")
	wait("Mop/s of all operations")
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
