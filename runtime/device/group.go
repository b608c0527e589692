package device

import (
	"cmp"
	"errors"
	"time"
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
	return g.each(func(p Device) error { return p.Prepare(kernels...) })
}

// Compiled adds up the times of the parts, which compile one after the other.
func (g *Group) Compiled() (sum time.Duration) {
	for _, p := range g.parts {
		sum += p.Compiled()
	}
	return sum
}

func (g *Group) Close() error { return g.each(Device.Close) }

func (g *Group) each(f func(Device) error) (err error) {
	for _, p := range g.parts {
		err = errors.Join(err, f(p))
	}
	return err
}

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
