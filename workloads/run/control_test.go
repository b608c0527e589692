package run

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
)

// controlled carries out a plan on a clock that is turned by hand.
func controlled(t *testing.T, p Plan, h *heard, clock *fakeClock) error {
	t.Helper()
	return timely(t, p, h, clock, func() time.Duration { return ms / 4 })
}

// timely is controlled on a device on which every launch takes as long as the test says.
func timely(t *testing.T, p Plan, h *heard, clock *fakeClock, takes func() time.Duration) error {
	return (&runner{Plan: p, dev: slow{open(t, 1), takes}, listener: h.Hear, clock: clock}).controlled(t.Context())
}

// While a run pauses nothing is run, and the time that an open loop has is none: no batch
// is late for it, and those not yet due come as much later.
func TestPause(t *testing.T) {
	s := script{shape: small, stages: []Stage{{Name: "paced", Batches: 4, Rate: 1e6}}, event: finds(1000)}
	p, clock := plan(t, s, "bcht"), &fakeClock{now: time.Unix(1e9, 0)}
	p.Control = &Control{}
	measured, events := 0, []string{}
	h := &heard{hear: func(e Event) error {
		switch e := e.(type) {
		case Measured:
			if measured++; measured == 2 {
				p.Control.Pause(true)
			}
		case Halted:
			if events = append(events, map[bool]string{true: "stands", false: "goes on"}[e.On]); e.On {
				clock.now = clock.now.Add(time.Hour)
				p.Control.Pause(false)
			}
		}
		return nil
	}}
	must.OK(t, controlled(t, p, h, clock))
	must.Hold(t, slices.Equal(events, []string{"stands", "goes on"}) && measured == 4, "%v, %d batches", events, measured)
	open := h.rows()[0].Open
	must.Hold(t, open.Late == 0 && open.Most == 0.00025, "%+v", open)
	must.Match(t, clock.slept, []time.Duration{3 * ms / 4, 3 * ms / 4, 3 * ms / 4})
}

// pausing ends each pause after an hour of the clock.
func pausing(c *Control, clock *fakeClock) *heard {
	return when(func(halted Halted) {
		if halted.On {
			clock.now = clock.now.Add(time.Hour)
			c.Pause(false)
		}
	})
}

// A pause that begins while there is nothing to do takes nothing of that time.
func TestPauseWhileIdle(t *testing.T) {
	s := script{shape: small, stages: []Stage{{Name: "paced", Batches: 2, Rate: 1e6}}, event: finds(1000)}
	p, clock := plan(t, s, "bcht"), &fakeClock{now: time.Unix(1e9, 0)}
	p.Control = &Control{}
	clock.sleep = func(time.Time) bool {
		if clock.slept != nil {
			return false
		}
		clock.slept, clock.now = []time.Duration{ms / 4}, clock.now.Add(ms/4)
		p.Control.Pause(true)
		return true
	}
	must.OK(t, controlled(t, p, pausing(p.Control, clock), clock))
	must.Match(t, clock.slept, []time.Duration{ms / 4, ms / 2})
}

// A run that pauses can be stopped.
func TestStopWhilePaused(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	p := plan(t, script{shape: small, prepare: inserts(10), stages: []Stage{{Batches: 1}}, event: finds(10)}, "bcht")
	p.Control = &Control{}
	p.Control.Pause(true)
	h := when(func(Halted) { stop() })
	_, err := carryOutUntil(t, ctx, p, h)
	must.Hold(t, errors.Is(err, context.Canceled) && h.order() == nil, "%v, after %v", err, h.order())
}

// A run that skips does not wait until batches are due, and pauses where it was sent; to go back it starts over.
func TestSkip(t *testing.T) {
	late := 24 * time.Hour
	s := script{shape: small, prepare: inserts(10), event: finds(10), stages: []Stage{
		{Name: "one", Batches: 2, Schedule: []time.Duration{0, late}}, {Name: "two", Batches: 2}, {Name: "three", Batches: 1}}}
	p, clock := plan(t, s, "bcht"), &fakeClock{now: time.Unix(1e9, 0)}
	p.Points = []Point{{{"n", 1.0}}, {{"n", 2.0}}}
	p.Control = &Control{}
	var phases []string
	back := 0
	h := &heard{}
	h.hear = func(e Event) error {
		switch e := e.(type) {
		case PhaseBegan:
			if phases = append(phases, e.Name); len(phases) == 1 {
				p.Control.Skip(2) // prepare, one, two
			}
		case Halted:
			if !e.On {
				break
			}
			if phases = append(phases, "pause"); len(phases) == 4 {
				p.Control.Skip(4) // three, prepare, one, two
			} else if back++; back == 1 {
				p.Control.Skip(-3) // three of the first point
			} else {
				p.Control.Pause(false)
			}
		}
		return nil
	}
	err := controlled(t, p, h, clock)
	must.Need(t, errors.Is(err, ErrAgain), "%v", err)
	want := []string{"prepare", "one", "two", "pause", "three", "prepare", "one", "two", "pause"}
	must.Hold(t, slices.Equal(phases, want) && clock.slept == nil, "%v, slept %v", phases, clock.slept)
	phases = []string{"again"}
	must.OK(t, controlled(t, p, h, clock))
	want = []string{"again", "prepare", "one", "two", "three", "pause", "prepare", "one", "two", "three"}
	must.Hold(t, slices.Equal(phases, want) && slices.Equal(clock.slept, []time.Duration{late - ms/4}), "%v, slept %v", phases, clock.slept)
}

// A schedule that is made faster is so from now on.
func TestSpeed(t *testing.T) {
	p := &pace{schedule: []time.Duration{0, 10 * ms, 20 * ms, 40 * ms, 80 * ms}}
	var dues []time.Duration
	for k, faster := range []float64{1, 1, 2, 0.5, 0.5} {
		p.accelerate(faster)
		a := p.begin(1)
		dues = append(dues, a.due)
		must.Match(t, p.end(a, ms), ms, k)
	}
	// The third is 9 ms away when all becomes twice as fast, the fourth then 18 ms when it becomes a quarter of that.
	must.Match(t, dues, []time.Duration{0, 10 * ms, 15*ms + ms/2, 52*ms + ms/2, 132*ms + ms/2})
}

// Batches that were due before the schedule became faster stay as late as they were.
func TestSpeedOfWhatIsLate(t *testing.T) {
	p := &pace{schedule: []time.Duration{0, 10 * ms, 30 * ms}}
	p.end(p.begin(1), 20*ms)
	p.accelerate(10)
	a := p.begin(1)
	must.Hold(t, a.due == 10*ms && a.lag == 10*ms, "%+v", a)
	must.Match(t, p.due(), 21*ms, "the next one is due at")
}

// Tables of later points digest what they give, if somebody wants to record it.
func TestDigestsFromTheNextPoint(t *testing.T) {
	p := plan(t, script{shape: small, prepare: inserts(10), stages: []Stage{{Batches: 1}}, event: finds(10)}, "bcht")
	p.Points = []Point{{{"n", 1.0}}, {{"n", 2.0}}}
	p.Control = &Control{}
	h := when(func(PointBegan) { p.Control.Digests(true) })
	must.Get(carryOutUntil(t, t.Context(), p, h))(t)
	for _, row := range h.rows() {
		must.Match(t, row.Result != "", row.Point["n"] == 2.0, row.Op, row.Point, row.Result)
	}
}

// Questions are answered with the results so far, also while the run pauses, and each one exactly once.
func TestAsk(t *testing.T) {
	p := plan(t, script{shape: small, prepare: inserts(10), stages: []Stage{{Name: "paced", Batches: 3, Rate: 1e6}}, event: finds(10)}, "bcht")
	p.Control = &Control{}
	var answers []string
	h := &heard{}
	h.hear = func(e Event) error {
		switch e := e.(type) {
		case Measured:
			if e.Round == 2 {
				p.Control.Pause(true)
			}
		case Halted:
			if e.On {
				p.Control.Ask(func(rows []results.Row) {
					for _, r := range rows {
						answers = append(answers, r.Op)
						must.Match(t, r.Op != "find" || r.Batches == 2 && r.Open.Rate == 1, true, r)
					}
					p.Control.Pause(false)
				})
			}
		}
		return nil
	}
	must.Get(carryOutUntil(t, t.Context(), p, h))(t)
	must.Match(t, answers, []string{"insert", "find"})
}

// A scheme that is dropped leaves after the round, with what it did; enough ends the run as if it were over.
func TestDropAndEnough(t *testing.T) {
	s := script{shape: small, prepare: inserts(100), stages: []Stage{{Name: "a", Batches: 5}, {Name: "b", Batches: 5}}, event: finds(100)}
	p := plan(t, s, "bcht", "linear", "1cht")
	p.Control = &Control{}
	h := &heard{hear: func(e Event) error {
		if r, ok := e.(RoundEnded); ok && r.Round == 2 {
			p.Control.Drop(1, "too slow")
		} else if ok && r.Round == 7 {
			p.Control.Enough()
		}
		return nil
	}}
	must.Get(carryOutUntil(t, t.Context(), p, h))(t)
	batches := map[string]uint64{}
	for _, r := range h.rows() {
		batches[r.Scheme+" "+r.Phase] = r.Batches
		must.Match(t, r.Compare, "", r.Scheme)
	}
	want := map[string]uint64{"bcht prepare": 1, "linear prepare": 1, "1cht prepare": 1, "bcht a": 5, "linear a": 2, "1cht a": 5, "bcht b": 2, "1cht b": 2}
	must.Match(t, batches, want)
	out := h.leftOut()
	must.Hold(t, len(out) == 1 && out[0].Eliminated && out[0].Line() == "eliminated: linear: too slow", "%+v", out)
	must.Match(t, len(h.summaries()), 2)
}

// A scheme may have its own load factor, in one run with others.
func TestLoadOfAScheme(t *testing.T) {
	sized := script{shape: schemes.Shape{N: 1000, Load: 0.8, Pair: schemes.Pair4}, prepare: inserts(1000)}
	rows := done(t, plan(t, sized, "linear", "linear:load=0.5")).rows()
	must.Hold(t, len(rows) == 2 && rows[0].Load >= 0.79 && rows[1].Load <= 0.51 && rows[1].Scheme == "linear:load=0.5", "%+v", rows)
	must.Equal(t, must.Err(carryOut(t, plan(t, script{shape: small, prepare: inserts(10)}, "linear:load=0.5"))), "scheme linear:load=0.5: the table is sized by its slots or bytes, not by n and a load factor")
}
