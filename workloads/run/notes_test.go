package run

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashzoo/hashzoo/runtime/engine"
)

// Notes that differ in numbers alone are one, with the range of each and how often.
func TestNotesOfOneKind(t *testing.T) {
	var n Notes
	for _, note := range []string{
		"took out 200 erased pairs and gave 0 slabs back", "super block 2 added", "took out 50 erased pairs and gave 0 slabs back",
		"took out 1000 erased pairs and gave 0 slabs back", "rebuilt 1 times, load 0.85", "super block 3 added", "moved", "moved",
	} {
		n.Add(note)
	}
	want := []string{"took out 50 to 1000 erased pairs and gave 0 slabs back (3 times)", "super block 2 to 3 added (2 times)",
		"rebuilt 1 times, load 0.85", "moved (2 times)"}
	if diff := cmp.Diff(want, n.Texts()); diff != "" {
		t.Error(diff)
	}
}

// A scheme is shown once for all batches that ask it to make room, and a flush by its time.
func TestNotesOfARun(t *testing.T) {
	s := script{shape: small, stages: []Stage{{Batches: 7}}, prepare: inserts(100), event: func(t Table, i uint64, _ string) (bool, error) {
		_, err := t.Do(engine.Batch{Op: "flush"})
		return true, err
	}}
	h := done(t, plan(t, s, "slab"))
	table := report(t, nil, h.rows(), h.summaries(), "").Table()
	if c := table.Columns[2]; c.Title != "flush" || c.Unit != "ms" || !regexp.MustCompile(`^\d+\.\d{3}$`).MatchString(table.Rows[0][2]) {
		t.Errorf("%+v: %q", c, table.Rows[0])
	}
	for _, r := range h.rows() {
		if r.Op == "flush" && (len(r.Notes) != 1 || r.Notes[0] != "took out 0 erased pairs and gave 0 slabs back (7 times)") {
			t.Errorf("notes %q", r.Notes)
		}
	}
}

// Inserts of keys that are in the table fail on some schemes. Their tables lack nothing, in contrast to full ones.
func TestRefusedInserts(t *testing.T) {
	again := script{shape: small, prepare: inserts(100), stages: []Stage{{Batches: 2}}, event: func(t Table, _ uint64, _ string) (bool, error) {
		return true, inserts(100)(t)
	}}
	for _, scheme := range []string{"linear", "linear:resize=auto", "chained", "gomap"} {
		rows := done(t, plan(t, again, scheme)).rows()
		if last := rows[len(rows)-1]; last.Counts["failed"] != 200 || last.Lost != "" || len(last.Notes) != 1 || last.Result != "" {
			t.Errorf("%s: %+v", scheme, last)
		}
	}
	full := script{shape: small, stages: []Stage{{Batches: 2}}, event: again.event}
	full.shape.Load, full.shape.Capacity, full.shape.N = 0, 64, 0
	for _, scheme := range []string{"linear", "bcht"} {
		for _, r := range done(t, plan(t, full, scheme)).rows() {
			if r.Counts["failed"] == 0 || r.Lost != "inserts had found no room" {
				t.Errorf("%s: %+v", scheme, r)
			}
		}
	}
}
