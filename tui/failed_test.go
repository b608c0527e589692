package tui

import (
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/workloads/live"
)

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
		for width := 20; width <= 200; width += step {
			s := withRun(t, width, 24, fakeRun{schemes: c.schemes, change: lost}).keys(strings.Fields(c.keys)...)
			got := s.screen()
			if width < leastWidth {
				if width > 24 && !strings.Contains(got, "needs a terminal") {
					t.Fatalf("%d cells: %s", width, got)
				}
				continue
			}
			if !strings.Contains(got, "failed") || !strings.Contains(got, c.figure) {
				t.Fatalf("%s, %d cells: %s", c.name, width, got)
			}
		}
	}
}

// A table that lost pairs is not ranked: it comes last, unless the schemes are in the order given.
func TestLostPairsAreNotRanked(t *testing.T) {
	s := withRun(t, 80, 24, fakeRun{schemes: fewSchemes, change: func(s *live.Snapshot) { s.Schemes[0].Lost = true }})
	for name, last := range map[string]int{"as given": 3, "mean rate": 0, "load factor": 0, "p50": 0} {
		commanded(s, "sort "+name)
		if order := s.m.scene.order; order[len(order)-1] != last {
			t.Errorf("sorted by %s: %v", name, order)
		}
	}
}

// The column by which schemes are sorted is shown, even if it would be dropped otherwise.
func TestSortedByWhatIsShown(t *testing.T) {
	for name, column := range map[string]string{"p99": "p99", "bytes per key": "B/key", "failed": "failed", "load factor": "load", "difference": "vs bcht"} {
		s := withRun(t, 60, 16, fakeRun{schemes: allSchemes[1:]})
		commanded(s, "sort "+name)
		if head := strings.Split(s.screen(), "\n")[2]; !strings.Contains(head, column) {
			t.Errorf("sorted by %s: %s", name, head)
		}
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
