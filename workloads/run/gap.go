package run

import (
	"context"
	"sync"
	"time"
)

// Gap is the time between two batches, for somebody who has something to do now and then
// that would take from a batch what the batch is measured by: who watches a run draws in
// it. A batch on as many threads as there are cores waits for its slowest one, so a few
// milliseconds of one core in it make it a few milliseconds longer.
//
// Who wants to do something enters, and gets in when no batch runs. In a closed loop the
// next batch waits for him to leave, but only for so long, so whoever does not leave holds
// nobody up. No clock runs meanwhile: it is in no time that is measured, and only the run as
// a whole takes longer. What is not as it was are the caches that the next batch finds. In an
// open loop batches are due whether he is there or not. There nothing waits for him, and he
// gets in only if it is long enough until the next one.
//
// The zero Gap is open: of what does not run nobody takes anything.
type Gap struct {
	mutex sync.Mutex
	shut  bool
	until time.Time // the next batch waits for nobody, and is due then; zero: it waits
	guest *guest    // who is in, or waits to be let in
}

type guest struct {
	inside bool
	in     chan struct{} // closed then
	left   chan struct{}
}

func (who *guest) let() {
	if !who.inside {
		who.inside = true
		close(who.in)
	}
}

// visit is how long a batch waits for somebody to leave, and how long an open loop must have
// nothing to do for somebody to be let in. It is longer than drawing takes, unless the
// terminal is slow.
const visit = 25 * time.Millisecond

// Enter waits until no batch runs, or the context ends. What is done then should be done
// soon, and leave be called. The last who enters is the one for whom batches wait.
func (g *Gap) Enter(ctx context.Context) (leave func()) {
	who := &guest{in: make(chan struct{}), left: make(chan struct{})}
	g.mutex.Lock()
	g.guest = who
	if !g.shut && (g.until.IsZero() || time.Until(g.until) >= visit) {
		who.let()
	}
	g.mutex.Unlock()
	select {
	case <-who.in:
	case <-ctx.Done():
	}
	return sync.OnceFunc(func() { g.leave(who) })
}

func (g *Gap) leave(who *guest) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	close(who.left)
	if g.guest == who {
		g.guest = nil
	}
}

// open says that no batch runs. The next one is due at a time, or waits.
func (g *Gap) open(until time.Time) {
	if g == nil {
		return
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.shut, g.until = false, until
	if g.guest != nil {
		g.guest.let()
	}
}

// close says that a batch begins. It returns what is closed when whoever is still there
// has left; nil: nobody is. Nobody is waited for twice.
func (g *Gap) close() (left <-chan struct{}) {
	if g == nil {
		return nil
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.shut = true
	if g.guest == nil || !g.guest.inside {
		return nil
	}
	left = g.guest.left
	g.guest = nil
	return left
}

// closed says whether a member's batches follow each other without a schedule.
func (p *point) closed(m *member) bool { return m.open == nil || p.warmup }

// closeGap is called right before a batch, which waits for whoever is in the gap if there
// is time.
func (p *point) closeGap(ctx context.Context, m *member) {
	left := p.Gap.close()
	if left != nil && p.closed(m) {
		p.clock.Sleep(ctx, p.clock.Now().Add(visit), left)
	}
}

// openGap is called right after a batch. In an open loop it is not known yet for how long
// there is nothing to do.
func (p *point) openGap(m *member) {
	if p.closed(m) {
		p.Gap.open(time.Time{})
	}
}

// sleep waits until a batch of an open loop is due. It returns false if orders have changed
// before.
func (p *point) sleep(ctx context.Context, until time.Time, changed <-chan struct{}) bool {
	if until.Sub(p.clock.Now()) >= visit {
		p.Gap.open(until)
		defer p.Gap.close()
	}
	return p.clock.Sleep(ctx, until, changed)
}
