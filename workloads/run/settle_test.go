package run

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/must"

	"github.com/hashzoo/hashzoo/runtime/engine"
)

// settling is a script with stages that settle: it builds a table, looks up half of its keys, and measures erases of a
// table that is filled before each. Finds of another number are wrong from the event changed on.
func settling(changed uint64) script {
	return script{shape: small, stages: []Stage{{Name: "build", Settles: true}, {Name: "half", Settles: true}, {Name: "empty", Settles: true}},
		event: func(t Table, i uint64, stage string) (bool, error) {
			var err error
			switch stage {
			case "build":
				err = t.Clear(false)
				_, failed := insert(t, 0, 1000)
				return true, errors.Join(err, failed)
			case "half":
				n := uint64(1000)
				if changed > 0 && i >= changed {
					n = 999
				}
				_, err = find(t, 500, n)
			case "empty":
				if !strings.HasPrefix(t.Scheme(), "bcht") {
					return true, nil
				}
				b := engine.Batch{Op: "insert", Keys: keys(0, 1000), Values: keys(0, 1000)}
				err = t.Clear(false)
				_, failed := t.Fill(b)
				_, wrong := t.Do(engine.Batch{Op: "erase", Keys: b.Keys})
				return true, errors.Join(err, failed, wrong)
			}
			return true, err
		}}
}

// twice is a policy in which nothing depends on time.
var twice = engine.Policy{Warmup: 1, Least: 2, Most: 2, Noise: 0.01, MaxTime: time.Hour}

// Batches of microseconds get more runs than Most, until they have taken as long as a measurement takes at least.
func TestShortBatchesGetMoreRuns(t *testing.T) {
	for least, runs := range map[time.Duration]uint64{0: 2, time.Nanosecond: 2, time.Hour: 2 * engine.MostForTime} {
		p := plan(t, settling(0), "1cht")
		p.Policy = twice
		p.Policy.Least, p.Policy.LeastTime = 1, least
		for _, r := range done(t, p).rows() {
			must.Match(t, r.Batches, runs, r.Op, least)
		}
	}
}

// Rows are about one event; what is filled in is not measured; a scheme that makes no batch has no row.
func TestStagesThatSettle(t *testing.T) {
	p := plan(t, settling(0), "bcht", "1cht")
	p.Policy = twice
	rows := done(t, p).rows()
	must.Need(t, len(rows) == 5, "%d rows instead of 5", len(rows))
	for _, r := range rows {
		ok := map[string]uint64{"insert": 1000, "find": 500, "erase": 1000}[r.Op]
		must.Hold(t, r.N == 1000 && r.Completed == 1000 && r.Batches == 2 && len(r.Runs) == 2 && r.Counts["ok"] == ok && r.Compare == "", "%s: %+v", r.Op, r)
		rate := 1e3 / r.Median / 1e6
		must.Hold(t, r.Rate >= 0.999*rate && r.Rate <= 1.001*rate, "%s: %g M/s, and 1000 in the median time are %g", r.Op, r.Rate, rate)
		must.Hold(t, r.Op != "erase" || r.Size == 0, "an erase leaves %d pairs", r.Size)
	}
}

// The input digest is that of one event, however many there were.
func TestDigestOfAnEvent(t *testing.T) {
	var digests []string
	for _, most := range []int{2, 5} {
		p := plan(t, settling(0), "bcht")
		p.Policy = twice
		p.Policy.Least, p.Policy.Most = most, most
		for _, r := range done(t, p).rows() {
			must.Match(t, len(r.Runs), most)
			digests = append(digests, r.Input)
		}
	}
	must.Match(t, digests[:3], digests[3:], digests)
}

// A stage ends early when the noise is low, and for one scheme before another.
func TestSettled(t *testing.T) {
	p := plan(t, settling(0), "bcht")
	p.Policy = engine.Policy{Least: 6, Most: 500, Noise: 1, MaxTime: time.Hour}
	for _, r := range done(t, p).rows() {
		must.Hold(t, r.Settled && len(r.Runs) < 500, "%s: settled %v after %d runs", r.Op, r.Settled, len(r.Runs))
	}
	s := settling(0)
	s.stages[0].Noise = 1e-9
	p = plan(t, s, "bcht")
	p.Policy = engine.Policy{Least: 6, Most: 50, Noise: 1, MaxTime: time.Hour}
	r := done(t, p).rows()[0]
	must.Hold(t, !r.Settled && len(r.Runs) == 50, "with a bound of its own: settled %v after %d runs", r.Settled, len(r.Runs))
	p.Policy.MaxTime = 1
	must.Match(t, len(done(t, p).rows()[0].Runs), 6, "runs without time")
}

func TestSettlingMeasuresOneThing(t *testing.T) {
	p := plan(t, settling(6), "bcht")
	p.Policy = twice
	_, err := carryOut(t, p)
	must.Say(t, err, "stage half settles, so every event makes the same batches: event 6 made")
	must.Hold(t, errors.As(err, new(*ScriptError)), "%v", err)
}

// A rehearsal sees what the measured tables do not look at, and is told apart from them.
func TestRehearsal(t *testing.T) {
	p := plan(t, settling(0), "bcht", "1cht")
	p.Policy, p.Counted, p.Verify, p.Rehearse = twice, true, true, true
	h := done(t, p)
	for _, r := range h.rows() {
		must.Hold(t, r.Result != "" && r.PerOp["probes"] >= 0.5 && len(r.Runs) == 2, "%s: result %q, %g probes, %d runs", r.Op, r.Result, r.PerOp["probes"], len(r.Runs))
	}
	rehearsed, measured := 0, 0
	for _, e := range h.events {
		switch e := e.(type) {
		case Rehearsed:
			rehearsed++
			must.Need(t, measured == 0, "a rehearsal after the first measurement")
		case Measured:
			measured++
			must.Need(t, e.Sample.Result == "", "a measured batch of %s writes its results down", e.Sample.Op)
		}
	}
	must.Hold(t, rehearsed == 2*2+2 && measured == 3*(2*2+2), "%d batches were rehearsed, %d measured", rehearsed, measured)
}

// The run of others goes on without a scheme that fails in the rehearsal.
func TestRehearsalOfASchemeThatFails(t *testing.T) {
	s := settling(0)
	event := s.event
	s.event = func(t Table, i uint64, stage string) (bool, error) {
		if stage == "half" && strings.HasPrefix(t.Scheme(), "1cht") {
			return false, t.(*member).point.fault(t.(*member), errors.New("it fell over"))
		}
		return event(t, i, stage)
	}
	p := plan(t, s, "bcht", "1cht")
	p.Policy, p.Rehearse, p.KeepGoing = twice, true, true
	h, err := carryOut(t, p)
	faults := new(SchemesFailed)
	must.Hold(t, errors.As(err, faults) && len(h.rows()) == 3, "%v, %d rows", err, len(h.rows()))
	left := h.events[len(h.events)-1].(PointEnded).LeftOut
	must.Hold(t, len(left) == 1 && left[0].Scheme == "1cht" && left[0].Failed, "left out: %+v", left)
}
