package run

import (
	"context"
	"errors"
	"sync"
)

// ErrAgain is what Run gives if it was told to start over.
var ErrAgain = errors.New("the run starts over")

// Control steers a run. Any goroutine may call its methods, which do not wait for the current batch.
type Control struct {
	mutex   sync.Mutex
	change  chan struct{} // closed at the next change; nil if nobody waits for it
	paused  bool
	phase   int // the current one, through all points, counted from 1; 0 before the first
	goal    int // the phase to go to as fast as possible; 0 if none
	faster  float64
	digests bool
	asked   bool
	again   func() // ends the run, to start over
}

// Pause stops the run between batches, or lets it continue.
func (c *Control) Pause(on bool) { c.alter(func() { c.paused = on }) }

// Speed makes a schedule that many times as fast from now on.
func (c *Control) Speed(factor float64) { c.alter(func() { c.faster = factor }) }

// Digests makes tables digest their results from the next point on, whatever the plan says.
func (c *Control) Digests(on bool) { c.alter(func() { c.digests = on }) }

// Ask requests the event SoFar.
func (c *Control) Ask() { c.alter(func() { c.asked = true }) }

// Skip goes that many phases forward without waiting until batches are due, and pauses there. To go back, the
// run ends with ErrAgain, and the next run with this Control goes to that phase from the start.
func (c *Control) Skip(phases int) {
	c.alter(func() {
		c.goal, c.paused = max(c.phase+phases, 1), false
		if c.goal <= c.phase && c.again != nil {
			c.again()
		}
	})
}

func (c *Control) alter(how func()) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	how()
	if c.change != nil {
		close(c.change)
		c.change = nil
	}
}

// orders are what a run has to know before a batch.
type orders struct {
	paused, hurry bool
	faster        float64 // 0 for no change
	digests       bool
	changed       <-chan struct{} // closed when they are out of date
}

func (c *Control) orders() orders {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.change == nil {
		c.change = make(chan struct{})
	}
	return orders{c.paused, c.phase < c.goal, c.faster, c.digests, c.change}
}

// wanted reports, once, whether Ask was called.
func (c *Control) wanted() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	defer func() { c.asked = false }()
	return c.asked
}

func (c *Control) begin(again func()) { c.alter(func() { c.phase, c.again = 0, again }) }

// enter is called when a phase begins. A run that skips pauses at its goal.
func (c *Control) enter() {
	c.alter(func() {
		if c.phase++; c.phase == c.goal {
			c.goal, c.paused = 0, true
		}
	})
}

// hold waits while the run pauses. The clocks of open loops stand still meanwhile.
func (p *point) hold(ctx context.Context) {
	p.answer()
	o := p.Control.orders()
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
		o = p.Control.orders()
	}
	stood := p.clock.Now().Sub(began)
	for _, m := range p.members {
		m.freed = m.freed.Add(stood)
	}
	p.hear(Halted{false})
}

func (p *point) answer() {
	if !p.rehearsing && p.Control.wanted() {
		p.endStage()
		p.hear(SoFar{p.rows()})
	}
}

func (p *point) await(ctx context.Context, m *member, n uint64) {
	for ctx.Err() == nil {
		p.hold(ctx)
		o := p.Control.orders()
		m.open.accelerate(o.faster)
		idle := m.open.idle(n)
		if idle <= 0 || o.hurry {
			return
		}
		if p.clock.Sleep(ctx, m.freed.Add(idle), o.changed) {
			return
		}
		now := p.clock.Now()
		m.open.now += min(max(now.Sub(m.freed), 0), idle)
		m.freed = now
	}
}
