package run

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// lapped carries out a plan until the events numbered end have ended.
func lapped(t *testing.T, p Plan, end int) (*heard, error) {
	t.Helper()
	clock := &fakeClock{now: time.Unix(1e9, 0)}
	h := when(func(r RoundEnded) {
		if r.Round > 0 {
			if end--; end == 0 {
				clock.now = clock.now.Add(p.For)
			}
		}
	})
	return h, controlled(t, p, h, clock)
}

// last is what was told at the end of the last lap.
func (h *heard) last() PointEnded {
	all := of[PointEnded](h)
	return all[len(all)-1]
}

// A run with a time visits its points again until it is over. Its figures, and its thresholds, are of all laps together.
func TestLaps(t *testing.T) {
	s := script{shape: small, prepare: inserts(100), stages: []Stage{{Name: "a", Batches: 2}, {Name: "b", Batches: 2}}, event: finds(50)}
	p := plan(t, s, "bcht", "linear")
	p.For, p.Rehearse, p.Counted, p.Thresholds = time.Hour, true, true, []string{"a.find.batches > 3", "b.find.batches < 3"}
	h, err := lapped(t, p, 7)
	if !errors.Is(err, ErrThreshold) || err.Error() != "a threshold does not hold: b.find.batches < 3: bcht has 3, and 1 more" {
		t.Error(err)
	}
	batches := map[string]uint64{}
	for _, r := range h.last().Rows {
		batches[r.Scheme+" "+r.Phase] = r.Batches
		if r.N != r.Batches*map[bool]uint64{true: 100, false: 50}[r.Phase == Prepare] || uint64(len(r.Runs)) != r.Batches || r.PerOp["probes"] < 1 || r.Compare != "" {
			t.Errorf("%+v", r)
		}
	}
	want := map[string]uint64{"bcht prepare": 2, "bcht a": 4, "bcht b": 3, "linear prepare": 2, "linear a": 4, "linear b": 3}
	if diff := cmp.Diff(want, batches); diff != "" || h.last().Lap != 1 || len(h.last().Summaries) != 2 {
		t.Error(diff, h.last())
	}
	if n := len(of[Rehearsed](h)); n != 6 {
		t.Errorf("%d batches of rehearsals", n)
	}
}

// A scheme that was left out stays away in later laps, and what it did stays. A run that all have left ends.
func TestLeftOutForLaps(t *testing.T) {
	p := plan(t, asksFor("flush"), "bcht", "slab")
	p.For, p.LeaveOut = Forever, true
	h := must.Get(lapped(t, p, 6))(t)
	batches := map[string]uint64{}
	for _, r := range h.last().Rows {
		batches[r.Scheme+" "+r.Phase+" "+r.Op] = r.Batches
	}
	want := map[string]uint64{"bcht prepare insert": 1, "bcht a find": 2, "slab prepare insert": 2, "slab a find": 4, "slab b find": 2, "slab b flush": 2}
	if diff := cmp.Diff(want, batches); diff != "" || len(h.parted()) != 1 || len(h.last().LeftOut) != 1 {
		t.Error(diff, h.parted(), h.last().LeftOut)
	}
	p.Schemes = p.Schemes[:1]
	if _, err := lapped(t, p, -1); err == nil || h.last().Lap != 1 {
		t.Errorf("%v", err)
	}
}

// A batch that is due after the end of the run begins at its end; a pause is no part of the time.
func TestTimeIsOverWhileIdle(t *testing.T) {
	p, clock := plan(t, script{shape: small, stages: []Stage{{Batches: 9, Rate: 1}}, event: finds(1000)}, "bcht"), &fakeClock{now: time.Unix(1e9, 0)}
	p.For, p.Control = time.Minute, &Control{}
	p.Control.Pause(true)
	h := pausing(p.Control, clock)
	must.OK(t, controlled(t, p, h, clock))
	if diff := cmp.Diff([]time.Duration{time.Minute}, clock.slept); diff != "" || h.last().Rows[0].Batches != 2 {
		t.Error(diff, h.last())
	}
}
