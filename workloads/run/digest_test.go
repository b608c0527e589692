package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// Counted and verified runs check everything, and find what is wrong; rates come from tables that count nothing.
func TestCountedAndVerified(t *testing.T) {
	p := plan(t, script{shape: small, prepare: inserts(2000), stages: []Stage{{Batches: 2}},
		event: func(t Table, _ uint64, _ string) (bool, error) {
			s, err := find(t, 1000, 2000)
			if probes := s.PerOp("probes"); err == nil && (probes < 1 || probes > 4) {
				err = fmt.Errorf("%g probes", probes)
			}
			return true, err
		}}, "1cht", "bcht:bucket=8")
	p.Verify, p.Counted = true, true
	for _, r := range done(t, p).rows() {
		must.Hold(t, r.PerOp["probes"] >= 1 && r.PerOp["probes"] <= 4 && r.Result != "", "%+v", r)
	}
	p.Script = script{shape: small, prepare: func(t Table) error { inserts(100)(t); return inserts(100)(t) }}.Start
	wrong := new(engine.VerifyError)
	if _, err := carryOut(t, p); !errors.As(err, &wrong) {
		t.Errorf("a key that is inserted twice: %v", err)
	}
}

// Digests depend on the script alone, not on threads; of what failed there are none.
func TestDigests(t *testing.T) {
	digests := func(threads int, first uint64) (list []string) {
		s := script{shape: small, prepare: inserts(3000), stages: []Stage{{Batches: 3}},
			event: func(t Table, i uint64, _ string) (bool, error) {
				_, err := find(t, first*i, 2000)
				return true, err
			}}
		p, h := plan(t, s, "1cht", "bcht"), &heard{}
		p.Verify = true
		must.OK(t, Run(context.Background(), open(t, threads), p, h.Hear))
		for _, r := range h.rows() {
			list = append(list, r.Input, r.Result)
		}
		return list
	}
	one := digests(1, 5)
	three := digests(3, 5)
	must.Hold(t, slices.Equal(one, three) && !slices.Contains(one, ""), "1 thread %v\n3 threads %v", one, three)
	other := digests(1, 6)
	must.Hold(t, other[0] == one[0] && other[2] != one[2] && other[3] != one[3], "other keys looked up: %v\n%v", one, other)
	full := plan(t, script{shape: small, prepare: inserts(5000), stages: []Stage{{Batches: 1}}, event: finds(10)}, "bcht")
	full.Verify = true
	for _, r := range done(t, full).rows() {
		must.Hold(t, r.Input != "" && r.Result == "", "%s after failed inserts: input %q, result %q", r.Op, r.Input, r.Result)
		if failed := r.Counts["failed"]; r.Op == "insert" && (failed < 5000-4096 || r.Completed != 5000-failed || r.Size != r.Completed) {
			t.Errorf("%d failed, %d completed, %d in the table", failed, r.Completed, r.Size)
		}
	}
}

// An insert that fails while nothing is measured yet makes later results uncertain, too.
func TestNoResultDigestsAfterFailedWarmUp(t *testing.T) {
	s := script{shape: small, stages: []Stage{{Name: "fill", Batches: 1, Warmup: 1}}, event: func(t Table, i uint64, _ string) (bool, error) {
		var err error
		if i == 1 {
			_, err = insert(t, 0, 5000)
		} else {
			_, err = find(t, 0, 5000)
		}
		return true, err
	}}
	p := plan(t, s, "bcht")
	p.Verify = true
	rows := done(t, p).rows()
	must.Hold(t, len(rows) == 1 && rows[0].Op == "find" && rows[0].Result == "" && rows[0].Counts["missing"] != 0, "%+v", rows)
}
