package device

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
)

// Copy is memory that goes from one part of a group to another.
type Copy struct {
	From   int  // the part that has it
	To, At Addr // where it goes, and where it is
	Bytes  int64
}

// Traffic is the exchanges between the parts of a group, one after the other, beside what the parts do otherwise.
type Traffic struct {
	parts  []Device
	mutex  sync.Mutex
	moved  *sync.Cond
	rounds [][]Mark // of each exchange, what the parts that came to it had done
	came   []int    // how many exchanges each part came to
	failed error
}

// NewTraffic is for the exchanges of one batch. The parts are peers.
func NewTraffic(parts []Device) *Traffic {
	t := &Traffic{came: make([]int, len(parts))}
	for _, p := range parts {
		t.parts = append(t.parts, Bare(p))
	}
	t.moved = sync.NewCond(&t.mutex)
	return t
}

// Exchange begins a part's copies of the next exchange, when the parts they are from have done what they were asked for
// before it. What is launched after `arrived` waits for the copies. Every part calls it from a goroutine of its own, even
// if it copies nothing.
func (t *Traffic) Exchange(lap int, list []Copy, part int) (arrived func() error, err error) {
	d := t.parts[part].(Peer)
	mark, err := d.Mark()
	if err != nil {
		return nil, err
	}
	marks, err := t.meet(part, mark)
	if err != nil {
		return nil, err
	}
	var after []Mark
	for from, mark := range marks {
		if slices.ContainsFunc(list, func(c Copy) bool { return c.From == from }) {
			after = append(after, mark)
		}
	}
	end, err := d.Beside(lap, after, func() error {
		for _, c := range list {
			if err := d.CopyFrom(t.parts[c.From], c.To, c.At, c.Bytes); err != nil {
				return err
			}
		}
		return nil
	})
	return func() error { return d.Wait(end) }, err
}

// meet waits until all parts came to an exchange, and returns what they had done before it.
func (t *Traffic) meet(part int, mark Mark) ([]Mark, error) {
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

// Together runs f, a part's side of exchanges, with less delay between its calls.
func (t *Traffic) Together(part int, f func() error) error {
	return t.parts[part].(Peer).Together(f)
}

// Ready waits until every part is.
func (t *Traffic) Ready(part int) error {
	_, err := t.meet(part, nil)
	return err
}

// Fail has parts that wait for others go on with an error: one of the others does not come.
func (t *Traffic) Fail(err error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.failed = cmp.Or(t.failed, err)
	t.moved.Broadcast()
}
