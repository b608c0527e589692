package device

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Group is several devices of one kind that act as one. The engine gives each part a share of
// every batch and a shard of every table. Memory allocated from the group itself is the first part's.
type Group struct {
	Device
	parts []Device
	info  Info
}

// NewGroup makes a group of open devices, which it closes. Parts of one device share its memory.
func NewGroup(name string, parts []Device) *Group {
	info := parts[0].Info()
	first := info.Name
	info.Name, info.Parts = name, len(parts)
	for _, p := range parts[1:] {
		more := p.Info()
		info.Threads += more.Threads
		if more.Name != first {
			info.Memory += more.Memory
		}
	}
	return &Group{parts[0], parts, info}
}

// Parts returns the devices of the group.
func (g *Group) Parts() []Device { return g.parts }

func (g *Group) Info() Info { return g.info }

// Free returns the bytes that each part can still allocate.
func (g *Group) Free() (least int64, err error) {
	for i, p := range g.parts {
		free, failed := p.Free()
		if err = cmp.Or(err, failed); i == 0 || free < least {
			least = free
		}
	}
	return least, err
}

func (g *Group) Prepare(kernels ...string) error {
	return errors.Join(lists.Map(g.parts, func(p Device) error { return p.Prepare(kernels...) })...)
}

// Compiled adds up the times of the parts, which compile one after the other.
func (g *Group) Compiled() time.Duration { return lists.Sum(g.parts, Device.Compiled) }

func (g *Group) Close() error { return errors.Join(lists.Map(g.parts, Device.Close)...) }

// PartsOf returns the parts of a device; one that is no group is its only part.
func PartsOf(d Device) []Device {
	if group, ok := d.(interface{ Parts() []Device }); ok {
		return group.Parts()
	}
	return []Device{d}
}

// Peer copies from the memory of other devices of its kind, while kernels run.
type Peer interface {
	// Mark returns the current point in the device's work.
	Mark() (Mark, error)
	// Overlap runs f, whose copies begin when these points are reached and overlap with what is launched later. It
	// returns the point at which they end. Like Lap, it counts the time for them.
	Overlap(lap int, after []Mark, f func() error) (Mark, error)
	// Wait makes what is launched later wait for a point.
	Wait(Mark) error
	// Sequence runs f, which calls this device from its own goroutine only, with less delay between the calls.
	Sequence(f func() error) error
	// CopyFrom copies from the memory of another device.
	CopyFrom(other Device, to, from Addr, bytes int64) error
}

// Mark is a point in the work of a device; nil is one that has been reached.
type Mark any

// Unwrapped returns the device that wrappers forward calls to.
func Unwrapped(d Device) Device {
	for {
		w, wraps := d.(interface{ Unwrap() Device })
		if !wraps {
			return d
		}
		d = w.Unwrap()
	}
}

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
