package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/lists"
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
	commanded(s, "device cuda:0")
	s.shows("out of memory", "slab")
	must.Hold(t, s.m.session == first, "the first run is not shown any more")
	s.host.refuse = nil
	s.host.run.change = func(s *live.Snapshot) { ended(s); s.Err = errors.New("my.lua:7: it broke") }
	commanded(s, "script my.lua")
	s.shows("it broke")
	commanded(s, "runs")
	s.shows("▸6 runs", "1      ycsb/a", "2      my.lua", "FAILED")
	s.keys("up", "enter").lacks("it broke")
	must.Hold(t, s.m.session == first && s.m.screen == onOverview && s.m.choice.Script == "ycsb/a", "screen %d, %+v", s.m.screen, s.m.choice)
	commanded(s, "runs 2")
	s.shows("it broke")
}

// Two runs are compared by the rule of hashzoo compare.
func TestRunsAreCompared(t *testing.T) {
	s := withRun(t, 100, 40, done)
	commanded(s, "seed 42")
	commanded(s, "seed 42")
	s.keys("6", "home", "up", "up", "b", "down").shows("run 2, compared with run 1", "slower", "0.500", "4 slower; a difference up to 2 % counts as none")
	s.keys("down").shows("run 3, compared with run 1", "0.333")
	s.keys("up", "up", "b", "down").lacks("compared with")
	commanded(s, "compare 3,2 2,3")
	s.shows("runs 2, 3, compared with runs 3, 2", "unclear")
	commanded(s, "seed 7")
	s.lacks("compared with")
	commanded(s, "compare 1 4")
	s.shows("not compared, another input")
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
	s.keys("5", "tab").lacks("6 runs")
	must.Match(t, s.m.screen, onOverview)
	s.keys("n", "5", "tab").shows("5 log  ▸6 runs", "43")
	must.Match(t, s.m.screen, onRuns)
}

// A comparison that comes too late is dropped.
func TestLateComparison(t *testing.T) {
	s := withRun(t, 100, 30, done)
	commanded(s, "seed 42")
	commanded(s, "compare 1 2")
	s.send(comparison{old: []int{7}, fresh: []int{8}, err: errors.New("too late")})
	s.lacks("too late")
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
		must.Hold(t, s.host.session != first && slices.Equal(s.host.session.did, []string{c.want}) && len(s.m.runs.list) == 2,
			"%s: did %v", c.command, s.host.session.did)
	}
	s := withRun(t, 100, 30, fakeRun{schemes: fewSchemes, change: func(s *live.Snapshot) { replay(s); ended(s) }}).keys("]")
	s.shows("the replay has ended: only earlier phases")
	must.Match(t, len(s.host.started), 1)
	s.keys("p").shows("the replay has ended: [ goes back a phase")
}

// The run in progress is the one that is ended and suspended, whichever is shown.
func TestAnotherRunIsShown(t *testing.T) {
	s := withRun(t, 100, 30, done)
	s.host.run.change = nil
	commanded(s, "seed 42")
	commanded(s, "runs 1")
	s.m.Update(pressed("ctrl+z"))
	must.Match(t, s.host.session.did, []string{"pause true"})
	first, second := s.host.runs[0].Steered.(*fakeSession), s.host.session
	before := len(first.did)
	commanded(s, "seed 8")
	must.Hold(t, slices.Contains(second.did, "stop") && len(first.did) == before, "did %v, and the first %v", second.did, first.did)
	s.m.leave()
	must.Match(t, s.host.session.did, []string{"stop"})
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
		for width := leastWidth; width <= 200; width += lists.Either(testing.Short(), 7, 1) {
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
