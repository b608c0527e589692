package run

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
)

// asksFor is a script that does an operation on whole tables in the second of two stages.
func asksFor(op string) script {
	return script{shape: small, prepare: inserts(100), stages: []Stage{{Name: "a", Batches: 2}, {Name: "b", Batches: 2}},
		event: func(t Table, i uint64, stage string) (bool, error) {
			_, err := find(t, 0, 100)
			if err == nil && stage == "b" {
				_, err = t.Do(engine.Batch{Op: op})
			}
			return true, err
		}}
}

// A scheme that lacks an operation is left out when it is asked for it. What it did in the
// phases before is kept, and the others are compared as if it had not been there.
func TestLeftOutWhileItRuns(t *testing.T) {
	p := plan(t, asksFor("flush"), "bcht", "slab", "1cht", "linear")
	p.LeaveOut = true
	h := done(t, p)
	want := []results.LeftOut{
		{Scheme: "bcht", Point: results.Point{}, Phase: "b", Reason: "no operation flush"},
		{Scheme: "1cht", Point: results.Point{}, Phase: "b", Reason: "no operation flush"},
	}
	must.Match(t, h.leftOut(), want)
	phases := map[string][]string{}
	for _, r := range h.rows() {
		phases[r.Scheme] = append(phases[r.Scheme], r.Phase+" "+r.Op)
		must.Match(t, r.Compare, "", r.Scheme, r.Phase)
	}
	all := []string{"prepare insert", "a find", "b find", "b flush"}
	must.Match(t, phases, map[string][]string{"bcht": all[:2], "slab": all, "1cht": all[:2], "linear": all})
	s := h.summaries()
	must.Hold(t, len(s) == 2 && s[0].Scheme == "slab" && s[1].Scheme == "linear", "%+v", s)
	r := report(t, nil, h.rows(), h.summaries(), "a find")
	lines := []string{"left out: bcht: no operation flush", "left out: 1cht: no operation flush"}
	must.Match(t, r.LeftOut(h.leftOut()), lines)
	must.Match(t, len(r.Table().Rows), 4, r.Table().Rows)
}

// A scheme without such tables is left out before anything runs.
func TestLeftOutFromTheStart(t *testing.T) {
	wide := small
	wide.Pair = schemes.Pair8
	p := plan(t, script{shape: wide, prepare: inserts(10)}, "slab", "bcht")
	p.LeaveOut = true
	h := done(t, p)
	got := h.leftOut()
	must.Hold(t, len(got) == 1 && got[0].Scheme == "slab" && got[0].Phase == "" && strings.HasPrefix(got[0].Reason, "no pairs of 8+8 bytes: "), "%+v", got)
	rows := h.rows()
	must.Hold(t, len(rows) == 1 && rows[0].Scheme == "bcht", "%+v", rows)
}

// Named schemes are not left out, and if all are, there is nothing to show.
func TestNothingIsLeft(t *testing.T) {
	var mistake *ScriptError
	for _, leaveOut := range []bool{false, true} {
		p := plan(t, asksFor("flush"), "bcht", "1cht")
		p.LeaveOut = leaveOut
		h, err := carryOut(t, p)
		must.Hold(t, errors.As(err, &mistake) && strings.Contains(err.Error(), "scheme bcht has no operation flush: it has insert"), "%v", err)
		must.Hold(t, leaveOut == (len(h.leftOut()) == 2) && len(h.summaries()) == 0, "%+v", h.leftOut())
	}
}

// A line says at which points, if not at all of them.
func TestLinesOfThoseLeftOut(t *testing.T) {
	at := func(load float64) results.Point { return results.Point{"load": load} }
	rows := slices.Concat(rowsOf(at(0.7)), rowsOf(at(0.8)), rowsOf(at(0.9)))
	out := func(scheme string, load float64) results.LeftOut {
		return results.LeftOut{Scheme: scheme, Point: at(load), Reason: "no operation find", Phase: "all", Where: "x.lua:3"}
	}
	got := report(t, []string{"load"}, rows, nil, "").LeftOut([]results.LeftOut{
		out("a", 0.7), out("b", 0.7), out("a", 0.8), out("c", 0.8), out("a", 0.9), out("c", 0.9)})
	want := []string{"left out: a: no operation find (x.lua:3)", "left out: b: no operation find (x.lua:3) at load=0.7",
		"left out: c: no operation find (x.lua:3) at load=0.8, and at 1 more"}
	must.Match(t, got, want)
}

// churns inserts new pairs and erases them, in every event.
func churns(n uint64, flush bool) func(Table, uint64, string) (bool, error) {
	return func(t Table, i uint64, _ string) (bool, error) {
		_, err := insert(t, i*n, n)
		if err == nil {
			_, err = t.Do(engine.Batch{Op: "erase", Keys: keys(i*n, n)})
		}
		if err == nil && flush {
			_, err = t.Do(engine.Batch{Op: "flush"})
		}
		return true, err
	}
}

// A table whose slots erased pairs have taken fails before its walks get long, and says what
// helps; the others go on, although the run does not keep going after other failures.
func TestFullOfTombstones(t *testing.T) {
	s := script{shape: small, stages: []Stage{{Batches: 8}}, event: churns(1000, false)}
	h, err := carryOut(t, plan(t, s, "linear", "bcht", "double:window=1", "linear:resize=auto"))
	full := new(engine.TombstoneError)
	must.Hold(t, errors.As(err, &full) && full.Erased == 4000 && full.Op == "insert", "%v", err)
	var gone []string
	for _, out := range h.leftOut() {
		gone = append(gone, out.Scheme)
		must.Hold(t, out.Failed && strings.Contains(out.Reason, "erased pairs still occupy 4000 of") && strings.Contains(out.Reason, "t:flush()"), "%+v", out)
	}
	must.Match(t, gone, []string{"linear", "double:window=1"})
	all := map[string]uint64{}
	for _, r := range h.rows() {
		all[r.Scheme+" "+r.Op] = r.N
	}
	must.Hold(t, all["bcht insert"] == 8000 && all["linear:resize=auto insert"] == 8000 && all["linear insert"] == 4000, "inserted: %v", all)
}

// A flush now and then lets any churn go on, and a table that is too small has not been choked.
func TestNotFullOfTombstones(t *testing.T) {
	done(t, plan(t, script{shape: small, stages: []Stage{{Batches: 8}}, event: churns(1000, true)}, "linear", "double"))
	done(t, plan(t, script{shape: small, stages: []Stage{{Batches: 2}}, event: churns(5000, false)}, "linear", "double"))
}

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
	must.Hold(t, errors.Is(err, ErrThreshold) && err.Error() == "a threshold does not hold: b.find.batches < 3: bcht has 3, and 1 more", "%v", err)
	batches := map[string]uint64{}
	for _, r := range h.last().Rows {
		batches[r.Scheme+" "+r.Phase] = r.Batches
		must.Hold(t, r.N == r.Batches*map[bool]uint64{true: 100, false: 50}[r.Phase == Prepare] && uint64(len(r.Runs)) == r.Batches && r.PerOp["probes"] >= 1 && r.Compare == "",
			"%+v", r)
	}
	want := map[string]uint64{"bcht prepare": 2, "bcht a": 4, "bcht b": 3, "linear prepare": 2, "linear a": 4, "linear b": 3}
	diff := cmp.Diff(want, batches)
	must.Hold(t, diff == "" && h.last().Lap == 1 && len(h.last().Summaries) == 2, "%v %v", diff, h.last())
	must.Match(t, len(of[Rehearsed](h)), 6, "batches of rehearsals")
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
	diff := cmp.Diff(want, batches)
	must.Hold(t, diff == "" && len(h.parted()) == 1 && len(h.last().LeftOut) == 1, "%v %v %v", diff, h.parted(), h.last().LeftOut)
	p.Schemes = p.Schemes[:1]
	_, err := lapped(t, p, -1)
	must.Hold(t, err != nil && h.last().Lap == 1, "%v", err)
}

// A batch that is due after the end of the run begins at its end; a pause is no part of the time.
func TestTimeIsOverWhileIdle(t *testing.T) {
	p, clock := plan(t, script{shape: small, stages: []Stage{{Batches: 9, Rate: 1}}, event: finds(1000)}, "bcht"), &fakeClock{now: time.Unix(1e9, 0)}
	p.For, p.Control = time.Minute, &Control{}
	p.Control.Pause(true)
	h := pausing(p.Control, clock)
	must.OK(t, controlled(t, p, h, clock))
	diff := cmp.Diff([]time.Duration{time.Minute}, clock.slept)
	must.Hold(t, diff == "" && h.last().Rows[0].Batches == 2, "%v %v", diff, h.last())
}
