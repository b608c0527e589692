package run

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrAgain is what Run gives if it was told to start over.
var ErrAgain = errors.New("the run starts over")

// Control is how a run is told what to do while it goes on. Its methods may be called by
// any goroutine and do not wait: the run follows when the batch under way is over. Of the
// zero Control a run never hears anything.
type Control struct {
	mutex   sync.Mutex
	change  chan struct{} // closed at the next one; nil: nobody waits for it
	paused  bool
	phase   int // the present one, through all points, counted from 1; 0: none yet
	goal    int // the phase to go to as fast as can be; 0: none
	faster  float64
	digests bool
	asked   bool   // what there is so far
	again   func() // ends the run, to start over
}

// Pause lets the run stand still between batches, or go on.
func (c *Control) Pause(on bool) { c.alter(func() { c.paused = on }) }

// Speed lets batches that are due on a schedule be so many times as fast from now on.
func (c *Control) Speed(factor float64) { c.alter(func() { c.faster = factor }) }

// Digests lets all tables from the next point on keep what every operation gave, and digest
// it, also if the plan does not ask for it.
func (c *Control) Digests(on bool) { c.alter(func() { c.digests = on }) }

// Ask has the run tell its listener what was measured so far.
func (c *Control) Ask() { c.alter(func() { c.asked = true }) }

// Skip goes so many phases on as fast as can be, without waiting until batches are due,
// and pauses there. To go back, the run ends with ErrAgain: what runs next with this
// Control goes to that phase from the start.
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

// orders are what a run has to know before a batch. The zero orders are those of nobody.
type orders struct {
	paused, hurry bool
	faster        float64 // 0: as fast as it is
	digests       bool
	changed       <-chan struct{} // closed when they are no longer true
}

func (c *Control) orders() orders {
	if c == nil {
		return orders{}
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.change == nil {
		c.change = make(chan struct{})
	}
	return orders{c.paused, c.phase < c.goal, c.faster, c.digests, c.change}
}

// wanted says, once, whether somebody has asked.
func (c *Control) wanted() bool {
	if c == nil {
		return false
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	asked := c.asked
	c.asked = false
	return asked
}

// begin is called when a run begins, with what ends it.
func (c *Control) begin(again func()) {
	if c != nil {
		c.alter(func() { c.phase, c.again = 0, again })
	}
}

// enter is called when a phase begins. Where the run was told to go, it pauses.
func (c *Control) enter() {
	if c == nil {
		return
	}
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

// answer tells what was measured so far, if somebody has asked.
func (p *point) answer() {
	if !p.rehearsing && p.Control.wanted() {
		p.endStage()
		p.hear(SoFar{p.rows()})
	}
}

// await waits until a member's next batch, of n operations, is due.
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

// tempo is from when on a schedule has been how many times as fast.
type tempo struct {
	due    time.Duration // as the schedule says
	at     time.Duration // on the clock
	faster float64
}

// accelerate changes how fast the schedule is from now on. What was due before stays due
// when it was.
func (p *pace) accelerate(faster float64) {
	last := tempo{faster: 1}
	if n := len(p.tempos); n > 0 {
		last = p.tempos[n-1]
	}
	if faster <= 0 || faster == last.faster {
		return
	}
	due := last.due + time.Duration(float64(p.now-last.at)*last.faster)
	p.tempos = append(p.tempos, tempo{due, p.now, faster})
}

// actual is when something is due that a schedule has at a time.
func (p *pace) actual(due time.Duration) time.Duration {
	for i := len(p.tempos) - 1; i >= 0; i-- {
		if t := p.tempos[i]; due >= t.due {
			return t.at + time.Duration(float64(due-t.due)/t.faster)
		}
	}
	return due
}
