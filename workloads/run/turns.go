package run

import (
	"errors"
	"iter"
	"time"

	"github.com/hashzoo/hashzoo/runtime/engine"
)

// ErrStopped is what a script's batch gives when the run ends before it.
var ErrStopped = errors.New("the run was stopped")

// ask is a batch that a script waits for, then what became of it.
type ask struct {
	batch  engine.Batch
	fill   bool // it is not measured
	sample engine.Sample
	err    error
}

// caller runs calls of a script as coroutines, so a script never computes while a batch is measured.
type caller struct {
	yield func(*ask) bool // nil outside of a call
	next  func() (*ask, bool)
	stop  func()
	err   error
	spent time.Duration // in the script itself
}

func (c *caller) do(a *ask) (engine.Sample, error) {
	if c.yield == nil {
		return engine.Sample{}, errors.New("a batch outside of prepare and event: there is no turn for it")
	}
	if !c.yield(a) {
		return engine.Sample{}, ErrStopped
	}
	return a.sample, a.err
}

func (c *caller) call(body func() error) {
	c.next, c.stop = iter.Pull(func(yield func(*ask) bool) {
		c.yield = yield
		defer func() { c.yield = nil }()
		c.err = body()
	})
}

// resume continues the call up to its next batch; nil if it has ended.
func (c *caller) resume() *ask {
	began := time.Now()
	a, _ := c.next()
	c.spent += time.Since(began)
	return a
}

// inTurns makes a call on each of the members and serves their batches strictly in turn: the first one of
// each, then the second one of each. It ends when all calls have, or at the first error.
func inTurns(members []*member, body func(*member) error, serve func(*member, *ask)) error {
	for _, m := range members {
		m.call(func() error { return body(m) })
		defer m.stop()
	}
	for live := members; len(live) > 0; {
		var still []*member
		for _, m := range live {
			if a := m.resume(); a != nil {
				serve(m, a)
				still = append(still, m)
			} else if m.err != nil {
				return m.err
			}
		}
		live = still
	}
	return nil
}
