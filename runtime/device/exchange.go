package device

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Copy is memory that goes from one part of a group to another.
type Copy struct {
	From   int  // the part that has it
	To, At Addr // where it goes, and where it is
	Bytes  int64
}

// Traffic carries out the exchanges between the parts of a group in order, while the parts launch kernels.
type Traffic struct {
	parts  []Device
	mutex  sync.Mutex
	moved  *sync.Cond
	rounds [][]Mark // by exchange and part: the part's work before it
	came   []int    // how many exchanges each part has joined
	failed error
}

// NewTraffic is for the exchanges of one batch.
func NewTraffic(parts []Device) *Traffic {
	t := &Traffic{parts: parts, came: make([]int, len(parts))}
	t.moved = sync.NewCond(&t.mutex)
	return t
}

// Exchange begins a part's copies of the next exchange, once their sources have finished the work before it. Launches
// after `arrived` wait for the copies. Every part calls it from a goroutine of its own, even if it copies nothing.
func (t *Traffic) Exchange(lap int, list []Copy, part int) (arrived func() error, err error) {
	d := t.parts[part]
	mark, err := d.Mark()
	if err != nil {
		return nil, err
	}
	marks, err := t.barrier(part, mark)
	if err != nil {
		return nil, err
	}
	var after []Mark
	for from, mark := range marks {
		if slices.ContainsFunc(list, func(c Copy) bool { return c.From == from }) {
			after = append(after, mark)
		}
	}
	end, err := d.Overlap(lap, after, func() error {
		return lists.Each(list, func(c Copy) error { return d.CopyFrom(t.parts[c.From], c.To, c.At, c.Bytes) })
	})
	return func() error { return d.Wait(end) }, err
}

// barrier waits until all parts have joined an exchange, and returns a mark of each part's work before it.
func (t *Traffic) barrier(part int, mark Mark) ([]Mark, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	round := t.came[part]
	t.came[part]++
	if round == len(t.rounds) {
		t.rounds = append(t.rounds, make([]Mark, len(t.parts)))
	}
	t.rounds[round][part] = mark
	t.moved.Broadcast()
	for slices.Min(t.came) <= round {
		if t.failed != nil {
			return nil, &Abandoned{t.failed}
		}
		t.moved.Wait()
	}
	return t.rounds[round], nil
}

// Abandoned is the error of a part that waited for one which failed.
type Abandoned struct{ Why error }

func (e *Abandoned) Error() string { return fmt.Sprintf("another part failed: %v", e.Why) }

// Ready waits until every part is ready.
func (t *Traffic) Ready(part int) error {
	_, err := t.barrier(part, nil)
	return err
}

// Fail wakes all waiting parts with err.
func (t *Traffic) Fail(err error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.failed = cmp.Or(t.failed, err)
	t.moved.Broadcast()
}
