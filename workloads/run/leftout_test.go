package run

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashzoo/hashzoo/runtime/engine"
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
	if diff := cmp.Diff(want, h.leftOut()); diff != "" {
		t.Error(diff)
	}
	phases := map[string][]string{}
	for _, r := range h.rows() {
		phases[r.Scheme] = append(phases[r.Scheme], r.Phase+" "+r.Op)
		if r.Compare != "" {
			t.Errorf("%s, %s: %s", r.Scheme, r.Phase, r.Compare)
		}
	}
	all := []string{"prepare insert", "a find", "b find", "b flush"}
	if diff := cmp.Diff(map[string][]string{"bcht": all[:2], "slab": all, "1cht": all[:2], "linear": all}, phases); diff != "" {
		t.Error(diff)
	}
	if s := h.summaries(); len(s) != 2 || s[0].Scheme != "slab" || s[1].Scheme != "linear" {
		t.Errorf("%+v", s)
	}
	r := report(t, nil, h.rows(), h.summaries(), "a find")
	lines := []string{"left out: bcht: no operation flush", "left out: 1cht: no operation flush"}
	if diff := cmp.Diff(lines, r.LeftOut(h.leftOut())); diff != "" {
		t.Error(diff)
	}
	if len(r.Table().Rows) != 4 {
		t.Errorf("%q", r.Table().Rows)
	}
}

// A scheme without such tables is left out before anything runs.
func TestLeftOutFromTheStart(t *testing.T) {
	wide := small
	wide.Pair = schemes.Pair8
	p := plan(t, script{shape: wide, prepare: inserts(10)}, "slab", "bcht")
	p.LeaveOut = true
	h := done(t, p)
	if got := h.leftOut(); len(got) != 1 || got[0].Scheme != "slab" || got[0].Phase != "" || !strings.HasPrefix(got[0].Reason, "no pairs of 8+8 bytes: ") {
		t.Errorf("%+v", got)
	}
	if rows := h.rows(); len(rows) != 1 || rows[0].Scheme != "bcht" {
		t.Errorf("%+v", rows)
	}
}

// Named schemes are not left out, and if all are, there is nothing to show.
func TestNothingIsLeft(t *testing.T) {
	var mistake *ScriptError
	for _, leaveOut := range []bool{false, true} {
		p := plan(t, asksFor("flush"), "bcht", "1cht")
		p.LeaveOut = leaveOut
		h, err := carryOut(t, p)
		if !errors.As(err, &mistake) || !strings.Contains(err.Error(), "scheme bcht has no operation flush: it has insert") {
			t.Error(err)
		}
		if leaveOut != (len(h.leftOut()) == 2) || len(h.summaries()) != 0 {
			t.Errorf("%+v", h.leftOut())
		}
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
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
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
	h, err := carryOut(t, plan(t, s, "linear", "bcht", "double:window=4", "linear:resize=auto"))
	if full := new(engine.TombstoneError); !errors.As(err, &full) || full.Erased != 4000 || full.Op != "insert" {
		t.Errorf("%v", err)
	}
	var gone []string
	for _, out := range h.leftOut() {
		gone = append(gone, out.Scheme)
		if !out.Failed || !strings.Contains(out.Reason, "erased pairs still occupy 4000 of") || !strings.Contains(out.Reason, "t:flush()") {
			t.Errorf("%+v", out)
		}
	}
	if diff := cmp.Diff([]string{"linear", "double:window=4"}, gone); diff != "" {
		t.Error(diff)
	}
	all := map[string]uint64{}
	for _, r := range h.rows() {
		all[r.Scheme+" "+r.Op] = r.N
	}
	if all["bcht insert"] != 8000 || all["linear:resize=auto insert"] != 8000 || all["linear insert"] != 4000 {
		t.Errorf("inserted: %v", all)
	}
}

// A flush now and then lets any churn go on, and a table that is too small has not been choked.
func TestNotFullOfTombstones(t *testing.T) {
	done(t, plan(t, script{shape: small, stages: []Stage{{Batches: 8}}, event: churns(1000, true)}, "linear", "double"))
	done(t, plan(t, script{shape: small, stages: []Stage{{Batches: 2}}, event: churns(5000, false)}, "linear", "double"))
}
