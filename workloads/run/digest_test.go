package run

import (
	"errors"
	"fmt"
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
	_, err := carryOut(t, p)
	must.Hold(t, errors.As(err, &wrong), "a key that is inserted twice: %v", err)
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
