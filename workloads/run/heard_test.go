package run

import (
	"slices"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/engine"
)

// A listener is told all that a script has done to its table: the batches as it gave
// them, when it was cleared, and, if the plan asks for it, what is in it after a phase.
func TestListenersAreToldEverything(t *testing.T) {
	s := script{shape: small, prepare: inserts(100), stages: []Stage{{Name: "look", Warmup: 1, Batches: 2}},
		event: func(t Table, i uint64, _ string) (bool, error) {
			if i == 3 {
				if err := t.Clear(true); err != nil {
					return false, err
				}
			}
			_, err := find(t, 0, 50)
			return true, err
		}}
	p := plan(t, s, "bcht")
	p.Digests = true
	var order []string
	var contents []engine.Contents
	h := &heard{hear: func(e Event) error {
		switch e := e.(type) {
		case Measured:
			order = append(order, e.Sample.Op)
			c, err := e.Input.Columns()
			if err != nil || c.N != e.Batch.Len() || engine.Number(c.Keys, c.KeyWidth, 49) == engine.Number(c.Keys, c.KeyWidth, 48) {
				t.Errorf("%+v: %v, %+v", e, err, c)
			}
			if e.Sample.Result == "" || e.Round == 0 != (e.Phase == Prepare) || (e.At > 0) != (e.Round == 3) {
				t.Errorf("%+v", e)
			}
		case Cleared:
			order = append(order, "clear")
			if e.Round != 3 || !e.Reseed || e.Phase != "look" {
				t.Errorf("%+v", e)
			}
		case PhaseEnded:
			order = append(order, e.Name)
			contents = append(contents, e.Contents[0])
		}
		return nil
	}}
	if _, err := carryOutUntil(t, t.Context(), p, h); err != nil {
		t.Fatal(err)
	}
	if want := []string{"insert", Prepare, "find", "find", "clear", "find", "look"}; !slices.Equal(order, want) {
		t.Errorf("%v instead of %v", order, want)
	}
	if len(contents) != 2 || contents[0].N != 100 || contents[1].N != 0 || contents[0].Digest == "" {
		t.Errorf("%+v", contents)
	}
}

// Batches on a schedule are due at their own times, whatever those before them did.
func TestSchedule(t *testing.T) {
	p := &pace{schedule: []time.Duration{0, 10, 20}}
	var dues []time.Duration
	for _, service := range []time.Duration{15, 2, 1} {
		a := p.begin(7)
		dues = append(dues, a.due)
		if (a.lag == 5) != (a.due == 10) {
			t.Errorf("%+v", a)
		}
		p.end(a, service)
	}
	if !slices.Equal(dues, p.schedule) || p.now != 21 || p.behind() != 0 {
		t.Errorf("due %v, now %v, %d behind", dues, p.now, p.behind())
	}
	if rate := p.perSecond(); rate < 1.04e9 || rate > 1.06e9 {
		t.Errorf("%g operations a second", rate)
	}
}
