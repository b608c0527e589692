package run

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/must"
)

const ms = time.Millisecond

// A million operations a second in batches of 1000: one is due every millisecond.
func TestPace(t *testing.T) {
	type result struct {
		due, idle, response time.Duration
		late                bool
	}
	for name, test := range map[string]struct {
		services []time.Duration
		want     []result
		behind   uint64
	}{
		"fast enough": {
			[]time.Duration{ms / 2, ms / 4, ms},
			[]result{{0, 0, ms / 2, false}, {ms, ms / 2, ms / 4, false}, {2 * ms, 3 * ms / 4, ms, false}}, 0},
		// The second batch takes 3 ms. Those behind it wait, are due when they were all the same, and catch up.
		"a stall": {
			[]time.Duration{ms / 2, 3 * ms, ms / 2, ms / 2, ms / 2, ms / 2, ms / 2},
			[]result{{0, 0, ms / 2, false}, {ms, ms / 2, 3 * ms, false}, {2 * ms, 0, 5 * ms / 2, true}, {3 * ms, 0, 2 * ms, true},
				{4 * ms, 0, 3 * ms / 2, true}, {5 * ms, 0, ms, true}, {6 * ms, 0, ms / 2, false}}, 0},
		"the same, not yet caught up": {
			[]time.Duration{ms / 2, 3 * ms},
			[]result{{0, 0, ms / 2, false}, {ms, ms / 2, 3 * ms, false}}, 2000},
		"too slow": {
			[]time.Duration{2 * ms, 2 * ms, 2 * ms},
			[]result{{0, 0, 2 * ms, false}, {ms, 0, 3 * ms, true}, {2 * ms, 0, 4 * ms, true}}, 3000},
	} {
		p := pace{rate: 1e6}
		for i, service := range test.services {
			idle := p.idle(1000)
			a := p.begin(1000)
			got := result{a.due, idle, p.end(a, service), a.lag > 0}
			must.Match(t, fmt.Sprint(got), fmt.Sprint(test.want[i]), name, i)
		}
		must.Match(t, p.behind(), test.behind, name)
	}
}

// Deadlines do not drift: after a million batches the next one is due exactly when
// the rate says, though a single interval is no whole number of nanoseconds.
func TestPaceDoesNotDrift(t *testing.T) {
	p := pace{rate: 3e6}
	for range 1_000_000 {
		p.end(p.begin(1), 0)
	}
	must.Match(t, p.due(), 333_333_333, "due at")
}

// fakeClock stands still, unless someone sleeps.
type fakeClock struct {
	now   time.Time
	slept []time.Duration
	sleep func(until time.Time) (woken bool) // if not nil
}

func (c *fakeClock) Now() time.Time { return c.now }

func (c *fakeClock) Sleep(_ context.Context, until time.Time, wake <-chan struct{}) bool {
	if c.sleep != nil && c.sleep(until) {
		<-wake
		return false
	}
	if wait := until.Sub(c.now); wait > 0 {
		c.slept, c.now = append(c.slept, wait), until
	}
	return true
}

// slow is a device on which every launch takes as long as the test says.
type slow struct {
	watched
	takes func() time.Duration
}

func (s slow) Time(f func() error) (time.Duration, error) {
	if _, err := s.watched.Time(f); err != nil {
		return 0, err
	}
	return s.takes(), nil
}

// Two schemes take turns in an open loop: each keeps its own time, and the program
// waits only while a scheme has nothing to do.
func TestOpenLoop(t *testing.T) {
	s := script{shape: small, prepare: inserts(100), stages: []Stage{{Name: "paced", Batches: 4, Rate: 1e6}}, event: finds(1000)}
	p := plan(t, s, "1cht", "bcht")
	launches := 0
	services := []time.Duration{7 * ms, 7 * ms, // prepare
		ms / 2, 2 * ms, 2 * ms, ms / 2, ms / 2, 2 * ms, 2 * ms, ms / 2} // the second begins every other round
	h, clock := &heard{}, &fakeClock{now: time.Unix(1e9, 0)}
	must.OK(t, timely(t, p, h, clock, func() time.Duration { launches++; return services[launches-1] }))
	for _, row := range h.rows() {
		if row.Phase == Prepare {
			must.Hold(t, row.Open == nil, "prepare in an open loop: %+v", row.Open)
			continue
		}
		must.Need(t, row.Open != nil && row.Open.Rate == 1 && row.Batches == 4, "%s: %+v", row.Scheme, row)
		// 1cht keeps up; bcht needs 2 ms for what arrives in one: the fourth batch was due
		// at 3 ms and ends at 8, when 8000 have arrived and 4000 are done.
		want := map[string][4]float64{"1cht": {0.0005, 0.0005, 0, 0}, "bcht": {0.003, 0.005, 3, 4000}}[row.Scheme]
		must.Match(t, [4]float64{row.Open.Median, row.Open.Most, float64(row.Open.Late), float64(row.Open.Behind)}, want, row.Scheme)
		must.Match(t, row.Rate, map[string]float64{"1cht": 2, "bcht": 0.5}[row.Scheme], row.Scheme)
	}
	// The clock of the world stands still while batches run, so 1cht is idle for the rest
	// of each millisecond, and bcht never is.
	must.Match(t, clock.slept, []time.Duration{ms / 2, ms / 2, ms / 2})
}

// A stage of an open loop is as long as what arrives in it.
func TestOpenLoopDuration(t *testing.T) {
	for service, batches := range map[time.Duration]uint64{ms / 4: 10, 5 * ms: 2, 3 * ms: 4} {
		s := script{shape: small, stages: []Stage{{Duration: 10 * ms, Rate: 1e6}}, event: finds(1000)}
		h := &heard{}
		must.OK(t, timely(t, plan(t, s, "bcht"), h, &fakeClock{now: time.Unix(1e9, 0)}, func() time.Duration { return service }))
		must.Match(t, h.rows()[0].Batches, batches, service)
	}
}

// Waiting ends with the run.
func TestInterruptWhileIdle(t *testing.T) {
	s := script{shape: small, stages: []Stage{{Batches: 2, Rate: 1e-3}}, event: finds(1000)} // the second is due in 11 days
	ctx, stop := context.WithCancel(context.Background())
	h := when(func(Measured) { stop() })
	_, err := carryOutUntil(t, ctx, plan(t, s, "bcht"), h)
	must.Hold(t, err == context.Canceled || err != nil, "not interrupted")
	must.Hold(t, len(h.rows()) == 1 && h.rows()[0].Batches == 1, "rows %+v", h.rows())
}

// With a real clock a stage takes at least as long as its operations arrive.
func TestRealClock(t *testing.T) {
	began := time.Now()
	realClock{}.Sleep(context.Background(), began.Add(3*ms), nil)
	took := time.Since(began)
	must.Hold(t, took >= 3*ms, "slept %v", took)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	must.Hold(t, !(realClock{}).Sleep(ctx, began.Add(time.Hour), nil), "slept though the run has ended")
	wake := make(chan struct{})
	close(wake)
	must.Hold(t, !(realClock{}).Sleep(context.Background(), began.Add(time.Hour), wake), "slept though woken")
}
