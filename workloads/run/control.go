package run

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// ErrAgain is the error of Run if it was told to start over.
var ErrAgain = errors.New("the run starts over")

// Control steers a run. Any goroutine may call its methods, which do not wait for the current batch.
type Control struct {
	mutex  sync.Mutex
	orders orders
	phase  int // the current one, through all points, counted from 1; 0 before the first
	goal   int // the phase to go to as fast as possible; 0 if none
	asked  []func([]results.Row)
	again  func() // ends the run, to start over
}

// orders are the user's commands, which a run reads before a batch.
type orders struct {
	paused, hurry bool
	faster        float64 // 0 for no change
	digests       bool
	enough        bool           // the run ends after the round
	drops         map[int]string // schemes to be taken out, and why; it is not changed
	changed       chan struct{}  // closed when they are out of date; nil if nobody waits for it
}

// Pause stops the run between batches, or lets it continue.
func (c *Control) Pause(on bool) { c.alter(func() { c.orders.paused = on }) }

// Speed makes a schedule that many times as fast from now on.
func (c *Control) Speed(factor float64) { c.alter(func() { c.orders.faster = factor }) }

// Digests makes tables digest their results from the next point on, whatever the plan says.
func (c *Control) Digests(on bool) { c.alter(func() { c.orders.digests = on }) }

// Ask makes the run call a function, once, with what it has measured at its point until then.
func (c *Control) Ask(hear func([]results.Row)) { c.alter(func() { c.asked = append(c.asked, hear) }) }

// Drop takes a scheme, by index, out of the run after the current round. What it did until then is kept.
func (c *Control) Drop(scheme int, why string) {
	c.alter(func() {
		drops := map[int]string{scheme: why}
		maps.Copy(drops, c.orders.drops)
		c.orders.drops = drops
	})
}

// Enough ends the run after the current round, as if its stages were over.
func (c *Control) Enough() { c.alter(func() { c.orders.enough = true }) }

// Skip goes that many phases forward without waiting until batches are due, and pauses there. To go back, the
// run ends with ErrAgain, and the next run with this Control goes to that phase from the start.
func (c *Control) Skip(phases int) {
	c.alter(func() {
		c.goal, c.orders.paused = max(c.phase+phases, 1), false
		if c.goal <= c.phase && c.again != nil {
			c.again()
		}
	})
}

func (c *Control) alter(how func()) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	how()
	if c.orders.changed != nil {
		close(c.orders.changed)
		c.orders.changed = nil
	}
}

func (c *Control) now() orders {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.orders.changed == nil {
		c.orders.changed = make(chan struct{})
	}
	c.orders.hurry = c.phase < c.goal
	return c.orders
}

// questions returns what was asked since the last call.
func (c *Control) questions() (asked []func([]results.Row)) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	asked, c.asked = c.asked, nil
	return asked
}

func (c *Control) begin(again func()) {
	c.alter(func() {
		c.orders.enough = c.orders.enough && c.again == nil // what was enough before the first run is enough for it
		c.phase, c.again, c.orders.drops = 0, again, nil
	})
}

// enter is called when a phase begins. A run that skips pauses at its goal.
func (c *Control) enter() {
	c.alter(func() {
		if c.phase++; c.phase == c.goal {
			c.goal, c.orders.paused = 0, true
		}
	})
}

// hold waits while the run pauses. The clocks of open loops and of the run stand still meanwhile.
func (p *point) hold(ctx context.Context) {
	p.answer()
	o := p.Control.now()
	if !o.paused {
		return
	}
	began := p.clock.Now()
	p.hear(Halted{true})
	for o.paused && ctx.Err() == nil {
		select {
		case <-o.changed:
		case <-ctx.Done():
		}
		p.answer()
		o = p.Control.now()
	}
	stood := p.clock.Now().Sub(began)
	for _, m := range p.members {
		m.freed = m.freed.Add(stood)
	}
	p.deadline = p.deadline.Add(stood)
	p.hear(Halted{false})
}

func (p *point) answer() {
	if p.rehearsing {
		return
	}
	for _, hear := range p.Control.questions() {
		p.endStage()
		hear(p.rows())
	}
}

func (p *point) await(ctx context.Context, m *member, n uint64) {
	for ctx.Err() == nil {
		p.hold(ctx)
		o := p.Control.now()
		m.open.accelerate(o.faster)
		idle := m.open.idle(n)
		if idle <= 0 || o.hurry || p.enough() {
			return
		}
		due := m.freed.Add(idle)
		if p.For > 0 && p.deadline.Before(due) {
			due = p.deadline
		}
		if p.clock.Sleep(ctx, due, o.changed) {
			return
		}
		now := p.clock.Now()
		m.open.now += min(max(now.Sub(m.freed), 0), idle)
		m.freed = now
	}
}

// pace is the clock of one scheme in one stage of an open loop. Operations arrive whatever the scheme does, and
// a late batch does not delay those after it. The clock stands still while the device works for others, so
// schemes that take turns do not make each other late.
type pace struct {
	rate     float64         // operations per second; the k-th is due at k/rate
	schedule []time.Duration // or the deadline of each batch
	faster   float64         // speed of the schedule; 0 is 1
	now      time.Duration
	begun    int    // batches
	arrived  uint64 // operations of these
}

// accelerate makes the schedule that many times as fast from now on. What was due stays due when it was.
func (p *pace) accelerate(faster float64) {
	old := cmp.Or(p.faster, 1)
	if faster <= 0 || faster == old {
		return
	}
	p.schedule, p.faster = slices.Clone(p.schedule), faster
	for k, due := range p.schedule {
		if due > p.now {
			p.schedule[k] = p.now + time.Duration(float64(due-p.now)*old/faster)
		}
	}
}

// arrival says when a batch was due, and how much later it began.
type arrival struct{ due, lag time.Duration }

func (p *pace) due() time.Duration {
	if n := len(p.schedule); n > 0 {
		return p.schedule[min(p.begun, n-1)]
	}
	return time.Duration(math.Round(float64(p.arrived) / p.rate * float64(time.Second)))
}

// idle is the time until the next batch, of n operations, is due.
func (p *pace) idle(n uint64) time.Duration {
	return lists.Either(p.schedule != nil && n == 0, 0, max(0, p.due()-p.now))
}

// begin starts the next batch, of n operations. Empty batches are not on a schedule and are due at once.
func (p *pace) begin(n uint64) arrival {
	if p.schedule != nil && n == 0 {
		return arrival{due: p.now}
	}
	a := arrival{due: p.due()}
	a.lag = max(0, p.now-a.due)
	p.now += p.idle(n)
	p.arrived += n
	p.begun++
	return a
}

func (p *pace) end(a arrival, service time.Duration) time.Duration {
	p.now += service
	return p.now - a.due
}

// behind counts the operations that have arrived but are not done. On a schedule, nothing arrives but its batches.
func (p *pace) behind() uint64 {
	return lists.Either(p.schedule != nil, 0, uint64(max(0, math.Floor(p.rate*p.now.Seconds())-float64(p.arrived))))
}

// perSecond is the rate at which operations arrived; the average for a schedule.
func (p *pace) perSecond() float64 {
	if last := p.due().Seconds(); p.schedule != nil && last > 0 {
		return float64(p.arrived) / last
	}
	return p.rate
}

// clock is the real time; tests turn one by hand.
type clock interface {
	Now() time.Time
	// Sleep returns false if the context ends or the channel closes before that time.
	Sleep(ctx context.Context, until time.Time, wake <-chan struct{}) bool
}

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) Sleep(ctx context.Context, until time.Time, wake <-chan struct{}) bool {
	wait := time.NewTimer(time.Until(until))
	defer wait.Stop()
	select {
	case <-wait.C:
		return true
	case <-wake:
	case <-ctx.Done():
	}
	return false
}
