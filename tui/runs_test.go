package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/workloads/live"
)

// done is a run that has ended.
var done = fakeRun{schemes: fewSchemes, change: ended}

// Errors in a command appear before the run in progress ends, or a finished one leaves the screen.
func TestWrongCommandsEndNoRun(t *testing.T) {
	for _, run := range []fakeRun{done, {schemes: fewSchemes}} {
		s := withRun(t, 100, 30, run)
		s.host.wrong = errors.New("shape.load is 5, it takes a number, 0 to 1")
		got := commanded(s, "load 5")
		if !strings.Contains(got, "shape.load is 5, it takes a number, 0 to 1") || len(s.host.started) != 1 || s.host.session.did != nil || s.m.session != s.host.session {
			t.Errorf("%d runs were started; the first did %v; %s", len(s.host.started), s.host.session.did, got)
		}
		checked := s.host.checked
		must.Hold(t, len(checked) == 1 && slices.Equal(checked[0].Axis, []string{"load=5"}), "checked %+v", checked)
		must.Hold(t, s.m.choice.Axis == nil, "the next command begins with %v", s.m.choice.Axis)
	}
}

// A run that cannot start, or that fails, leaves the earlier ones.
func TestRunsStay(t *testing.T) {
	s := withRun(t, 100, 30, done)
	first := s.host.session
	s.host.refuse = errors.New("cuda:0: out of memory")
	if got := commanded(s, "device cuda:0"); !strings.Contains(got, "out of memory") || s.m.session != first || !strings.Contains(s.screen(), "slab") {
		t.Error(s.screen())
	}
	s.host.refuse = nil
	s.host.run.change = func(s *live.Snapshot) { ended(s); s.Err = errors.New("my.lua:7: it broke") }
	if commanded(s, "script my.lua"); !strings.Contains(s.screen(), "it broke") {
		t.Error(s.screen())
	}
	commanded(s, "runs")
	if got := s.screen(); !strings.Contains(got, "▸6 runs") || !strings.Contains(got, "1      ycsb/a") || !strings.Contains(got, "2      my.lua") || !strings.Contains(got, "FAILED") {
		t.Error(got)
	}
	s.keys("up", "enter")
	if got := s.screen(); s.m.session != first || s.m.screen != onOverview || strings.Contains(got, "it broke") || s.m.choice.Script != "ycsb/a" {
		t.Error(got)
	}
	if commanded(s, "runs 2"); !strings.Contains(s.screen(), "it broke") {
		t.Error(s.screen())
	}
}

// Two runs are compared by the rule of hashzoo compare.
func TestRunsAreCompared(t *testing.T) {
	s := withRun(t, 100, 40, done)
	commanded(s, "seed 42")
	commanded(s, "seed 42")
	s.keys("6", "home", "up", "up", "b", "down")
	for _, want := range []string{"run 2, compared with run 1", "slower", "0.500", "4 slower; a difference up to 2 % counts as none"} {
		got := s.screen()
		must.Hold(t, strings.Contains(got, want), "without %s:\n%s", want, got)
	}
	if s.keys("down"); !strings.Contains(s.screen(), "run 3, compared with run 1") || !strings.Contains(s.screen(), "0.333") {
		t.Error(s.screen())
	}
	if s.keys("up", "up", "b", "down"); strings.Contains(s.screen(), "compared with") {
		t.Error(s.screen())
	}
	if commanded(s, "compare 3,2 2,3"); !strings.Contains(s.screen(), "runs 2, 3, compared with runs 3, 2") || !strings.Contains(s.screen(), "unclear") {
		t.Error(s.screen())
	}
	if commanded(s, "seed 7"); strings.Contains(s.screen(), "compared with") {
		t.Error(s.screen())
	}
	if commanded(s, "compare 1 4"); !strings.Contains(s.screen(), "not compared, another input") {
		t.Error(s.screen())
	}
}

func TestOnlyWholeRunsAreCompared(t *testing.T) {
	s := withRun(t, 100, 30, fakeRun{schemes: fewSchemes})
	commanded(s, "seed 42") // ends the first early
	for line, want := range map[string]string{
		"compare 1 2":   "run 1: the run did not end (it was interrupted): compare whole runs; run 2 goes on: compare runs",
		"compare 1":     `compare "1": it takes two runs, such as 1 2, or repeated ones: 1,3 2,4`,
		"compare 1 2 3": `compare "1 2 3": it takes two runs`,
		"compare 1 3":   `run "3": there are 1, 2`,
		"compare 1, 2":  `run "": there are 1, 2`,
		"runs one":      `run "one": there are 1, 2`,
		"runs 1,2":      `runs "1,2": it takes one number`,
		"runs 1 2":      `run "1 2": there are 1, 2`,
	} {
		if commanded(s, line); !strings.Contains(strings.ReplaceAll(s.screen(), "\n ", " "), want) {
			t.Errorf("%s: want %s\n%s", line, want, s.screen())
		}
		s.keys("esc")
	}
}

// The screen of runs appears only when there is more than one run.
func TestTabOfRuns(t *testing.T) {
	s := withRun(t, 60, 16, done)
	if s.keys("5", "tab"); s.m.screen != onOverview || strings.Contains(s.screen(), "6 runs") {
		t.Error(s.screen())
	}
	s.keys("n", "5", "tab")
	got := s.screen()
	must.Hold(t, s.m.screen == onRuns && strings.Contains(got, "5 log  ▸6 runs") && strings.Contains(got, "43"), "%v", got)
}

// A comparison that comes too late is dropped.
func TestLateComparison(t *testing.T) {
	s := withRun(t, 100, 30, done)
	commanded(s, "seed 42")
	commanded(s, "compare 1 2")
	s.send(comparison{old: []int{7}, fresh: []int{8}, err: errors.New("too late")})
	must.Hold(t, !strings.Contains(s.screen(), "too late"), "%v", s.screen())
}

// A replay that has ended runs again from an earlier phase on; what it measured stays.
func TestEndedReplayIsRewound(t *testing.T) {
	for _, c := range []struct{ command, want string }{{"", "skip +3"}, {"phase -2", "skip +2"}, {"phase -99", "skip +1"}} {
		s := withRun(t, 100, 30, fakeRun{schemes: fewSchemes, change: func(s *live.Snapshot) { replay(s); ended(s); s.Phases = 4 }})
		first := s.host.session
		if c.command == "" {
			s.keys("[")
		} else {
			commanded(s, c.command)
		}
		if s.host.session == first || !slices.Equal(s.host.session.did, []string{c.want}) || len(s.m.runs.list) != 2 {
			t.Errorf("%s: did %v", c.command, s.host.session.did)
		}
	}
	s := withRun(t, 100, 30, fakeRun{schemes: fewSchemes, change: func(s *live.Snapshot) { replay(s); ended(s) }}).keys("]")
	must.Hold(t, len(s.host.started) == 1 && strings.Contains(s.screen(), "the replay has ended: only earlier phases"), "%v", s.screen())
	if s.keys("p"); !strings.Contains(s.screen(), "the replay has ended: [ goes back a phase") {
		t.Error(s.screen())
	}
}

// The run in progress is the one that is ended and suspended, whichever is shown.
func TestAnotherRunIsShown(t *testing.T) {
	s := withRun(t, 100, 30, done)
	s.host.run.change = nil
	commanded(s, "seed 42")
	commanded(s, "runs 1")
	if s.m.Update(pressed("ctrl+z")); !slices.Equal(s.host.session.did, []string{"pause true"}) {
		t.Errorf("did %v", s.host.session.did)
	}
	first, second := s.host.runs[0].Steered.(*fakeSession), s.host.session
	before := len(first.did)
	commanded(s, "seed 8")
	must.Hold(t, slices.Contains(second.did, "stop") && len(first.did) == before, "did %v, and the first %v", second.did, first.did)
	if s.m.leave(); !slices.Equal(s.host.session.did, []string{"stop"}) {
		t.Errorf("did %v", s.host.session.did)
	}
}

// The interface says how many inserts failed wherever it compares schemes, at every width that it takes.
func TestFailedIsShownAtEveryWidth(t *testing.T) {
	lost := func(s *live.Snapshot) { s.Schemes[1].Failed = 654_321_000 }
	for _, c := range []struct {
		name    string
		schemes []string
		keys    string
		figure  string
	}{
		{"overview", fewSchemes, "", "654.3M"},
		{"overview of an operation", fewSchemes, "o", "654.3M"},
		{"sorted by what is a luxury", fewSchemes, "s s s s s s s", "654.3M"},
		{"many", allSchemes, "", "654.3M"},
		{"expanded", fewSchemes, "enter", "654.3M"},
		{"compare", fewSchemes, "2", "654.3M failed"},
		{"over the load factor", fewSchemes, "2 v", "654.3M failed"},
	} {
		step := 1
		if testing.Short() {
			step = 7
		}
		for width := leastWidth; width <= 200; width += step {
			s := withRun(t, width, 24, fakeRun{schemes: c.schemes, change: lost}).keys(strings.Fields(c.keys)...)
			got := s.screen()
			must.Need(t, strings.Contains(got, "failed") && strings.Contains(got, c.figure), "%s, %d cells: %s", c.name, width, got)
		}
	}
}

// A table that lost pairs is not ranked: it comes last, unless the schemes are in the order given.
func TestLostPairsAreNotRanked(t *testing.T) {
	s := withRun(t, 80, 24, fakeRun{schemes: fewSchemes, change: func(s *live.Snapshot) { s.Schemes[0].Lost = true }})
	for name, last := range map[string]int{"as given": 3, "mean rate": 0, "load factor": 0, "p50": 0} {
		commanded(s, "sort "+name)
		order := s.m.scene.order
		must.Hold(t, order[len(order)-1] == last, "sorted by %s: %v", name, order)
	}
}

// The column by which schemes are sorted is shown, even if it would be dropped otherwise.
func TestSortedByWhatIsShown(t *testing.T) {
	for name, column := range map[string]string{"p99": "p99", "bytes per key": "B/key", "failed": "failed", "load factor": "load", "difference": "vs bcht"} {
		s := withRun(t, 60, 16, fakeRun{schemes: allSchemes[1:]})
		commanded(s, "sort "+name)
		head := strings.Split(s.screen(), "\n")[2]
		must.Hold(t, strings.Contains(head, column), "sorted by %s: %s", name, head)
	}
}

// Columns that do not fit into the lanes of a small terminal go to a second table, if that fits.
func TestSecondTable(t *testing.T) {
	for n, want := range map[int]bool{1: true, 4: true, 8: true, 9: false, 13: false} {
		s := withRun(t, 80, 24, fakeRun{schemes: allSchemes[:n]})
		got := s.screen()
		both := strings.Contains(got, " p50 ") && strings.Contains(got, " p99  failed  B/key")
		if both != want || strings.Count(got, "\n a 1cht") != either(want, 1, 0) && strings.Count(got, "▸a 1cht") != either(want, 2, 1) {
			t.Errorf("%d schemes:\n%s", n, got)
		}
	}
}
