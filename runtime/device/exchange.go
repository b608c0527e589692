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

// Exchanging is a part that others cannot copy from by themselves, because it is in another process: both sides of a
// copy have to know of it. The copies of all parts are listed by the part that receives them.
type Exchanging interface {
	// Exchange begins this part's side of all copies, as Beside does. What is launched after `arrived` waits for them.
	Exchange(lap int, all [][]Copy, part int) (arrived func() error, err error)
}

// Exchanges reports whether a device can be a part of a group.
func Exchanges(d Device) bool {
	_, peer := Bare(d).(Peer)
	_, both := Bare(d).(Exchanging)
	return peer || both
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

// NewTraffic is for the exchanges of one batch.
func NewTraffic(parts []Device) *Traffic {
	t := &Traffic{came: make([]int, len(parts))}
	for _, p := range parts {
		t.parts = append(t.parts, Bare(p))
	}
	t.moved = sync.NewCond(&t.mutex)
	return t
}

// Exchange has a part do its side of the next exchange: copies begin when the parts they are from have done what they
// were asked for before it. Every part calls it from a goroutine of its own.
func (t *Traffic) Exchange(lap int, all [][]Copy, part int) (arrived func() error, err error) {
	switch d := t.parts[part].(type) {
	case Exchanging:
		return d.Exchange(lap, all, part)
	case Peer:
		return t.copy(d, lap, all[part], part)
	}
	return nil, fmt.Errorf("device %s: cannot copy from others", t.parts[part].Info().Name)
}

func (t *Traffic) copy(d Peer, lap int, list []Copy, part int) (arrived func() error, err error) {
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

// Together runs f, a part's side of exchanges, with less delay between its calls if the device can.
func (t *Traffic) Together(part int, f func() error) error {
	_, both := t.parts[part].(Exchanging) // others may call it meanwhile
	if d, can := t.parts[part].(Peer); can && !both {
		return d.Together(f)
	}
	return f()
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

// Move is one side of a copy between processes: the memory at At goes to a peer, or comes from it. A copy within
// a process is a single move, from At to To.
type Move struct {
	Peer   int
	Send   bool
	At, To Addr
	Bytes  int64
}

// Threaded is a device whose driver has to be called from a thread that has the device's context.
type Threaded interface {
	// Do calls f on one, as a part of what the device's clock measures. What f launches goes to the stream.
	Do(what string, f func(stream uintptr) error) error
}

// Library makes copies between the devices of several processes, better than their sockets would.
type Library interface {
	// Name says which library it is, with its version.
	Name() string
	// ID makes what the ranks of a job need to find each other.
	ID() ([]byte, error)
	// Join waits for all ranks.
	Join(d Device, id []byte, rank, ranks int) (Comm, error)
}

// Comm is what joins a device to those of other processes.
type Comm interface {
	Exchange([]Move) error
	// Abort ends an exchange that waits for a rank that is gone. Any goroutine may call it.
	Abort()
}
