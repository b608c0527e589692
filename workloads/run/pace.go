package run

import (
	"context"
	"math"
	"time"
)

// pace is the clock of one scheme in one stage of an open loop. Operations arrive
// at a rate, whatever the scheme does: the k-th is due k/rate after the start, an
// absolute deadline, so that a batch that is late does not move those behind it. Or the
// schedule has the deadline of each batch.
//
// The clock is the scheme's own. It goes on while a batch of the scheme runs and
// while there is nothing to do, and stands still while the device works for others,
// so schemes that take turns do not make each other late.
type pace struct {
	rate     float64 // operations a second
	schedule []time.Duration
	tempos   []tempo // how fast it was, since when
	now      time.Duration
	begun    int    // batches
	arrived  uint64 // operations of these
}

// arrival is when a batch was due, and how that went.
type arrival struct {
	due time.Duration
	lag time.Duration // another batch took that much longer
}

// due is when the next batch is due.
func (p *pace) due() time.Duration {
	if n := len(p.schedule); n > 0 {
		return p.actual(p.schedule[min(p.begun, n-1)])
	}
	return time.Duration(math.Round(float64(p.arrived) / p.rate * float64(time.Second)))
}

// idle is how long there is nothing to do before the next batch, of n operations.
func (p *pace) idle(n uint64) time.Duration {
	if p.schedule != nil && n == 0 {
		return 0
	}
	return max(0, p.due()-p.now)
}

// begin takes the next batch, of n operations. On a schedule one of none is not expected,
// and is due at once.
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

// end says that the batch took so long; it returns the response time, from when it
// was due to its end.
func (p *pace) end(a arrival, service time.Duration) time.Duration {
	p.now += service
	return p.now - a.due
}

// behind is how many of the operations that have arrived by now are not done.
func (p *pace) behind() uint64 {
	if p.schedule != nil {
		return 0 // nothing arrives but its batches
	}
	return uint64(max(0, math.Floor(p.rate*p.now.Seconds())-float64(p.arrived)))
}

// perSecond is the rate at which operations arrived, of a schedule on average.
func (p *pace) perSecond() float64 {
	if last := p.due().Seconds(); p.schedule != nil && last > 0 {
		return float64(p.arrived) / last
	}
	return p.rate
}

// clock is the time of the world; tests have one that they turn by hand.
type clock interface {
	Now() time.Time
	// Sleep returns at that time. It returns false if the context ends before, or the
	// channel is closed.
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
