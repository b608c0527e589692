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

// caller is how a script asks for batches while it is called. Outside of calls
// there is nobody to ask.
type caller struct {
	yield func(*ask) bool
	spent time.Duration // in the script itself
}

// do waits until the batch was run.
func (c *caller) do(a *ask) (engine.Sample, error) {
	if c.yield == nil {
		return engine.Sample{}, errors.New("a batch outside of prepare and event: there is no turn for it")
	}
	if !c.yield(a) {
		return engine.Sample{}, ErrStopped
	}
	return a.sample, a.err
}

// call is one call of a script, as a coroutine that stops at every batch. So a
// script never computes while a batch is measured.
type call struct {
	index int
	next  func() (*ask, bool)
	stop  func()
	err   error
}

func newCall(index int, c *caller, body func() error) *call {
	made := &call{index: index}
	made.next, made.stop = iter.Pull(func(yield func(*ask) bool) {
		c.yield = yield
		defer func() { c.yield = nil }()
		made.err = body()
	})
	return made
}

// inTurns makes a call on each of the callers and serves their batches strictly in
// turn: the first one of each, then the second one of each. It ends when all calls
// have, or at the first error; calls that are not over then are stopped.
func inTurns(callers []*caller, body func(index int) error, serve func(index int, a *ask)) error {
	var live []*call
	for i, c := range callers {
		made := newCall(i, c, func() error { return body(i) })
		defer made.stop()
		live = append(live, made)
	}
	for len(live) > 0 {
		var still []*call
		for _, c := range live {
			began := time.Now()
			a, asks := c.next()
			callers[c.index].spent += time.Since(began)
			if asks {
				serve(c.index, a)
				still = append(still, c)
			} else if c.err != nil {
				return c.err
			}
		}
		live = still
	}
	return nil
}
