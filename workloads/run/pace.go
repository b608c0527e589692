package run

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

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

// behind counts the operations that have arrived but are not done.
func (p *pace) behind() uint64 {
	if p.schedule != nil {
		return 0 // nothing arrives but its batches
	}
	return uint64(max(0, math.Floor(p.rate*p.now.Seconds())-float64(p.arrived)))
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
