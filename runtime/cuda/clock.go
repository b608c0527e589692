//go:build cuda

package cuda

import (
	"cmp"
	"fmt"
	"time"

	"gorgonia.org/cu"
)

// Time runs f and returns the GPU time from the start of the first launch, fill or copy to the end of the last.
func (d *Device) Time(f func() error) (time.Duration, error) {
	if d.broken != nil {
		return 0, d.broken
	}
	if err := d.clock.reset(); err != nil {
		return 0, fmt.Errorf("device %s: time: %w", d.info.Name, err)
	}
	failed := f()
	var took time.Duration
	err := d.do("time", func() (err error) {
		took, err = d.clock.read()
		return err
	})
	if failed != nil {
		return 0, failed
	}
	return took, err
}

// Do calls f on the thread of the driver, as a part of what the clock measures.
func (d *Device) Do(what string, f func() error) error {
	return d.do(what, func() error { return d.clock.around(f) })
}

// timed is Do for one driver call.
func (d *Device) timed(what, call string, f func() error) error {
	return d.Do(what, func() error { return called(call, f()) })
}

// queue is timed for a call that does not wait for the GPU.
func (d *Device) queue(what, call string, f func() error) error {
	return d.call(what, func() error {
		d.clock.hold()
		return d.clock.around(func() error { return called(call, f()) })
	})
}

// clock measures time on the GPU. The thread records its events right before and after the
// timed work, so the way to the thread and back does not count.
type clock struct {
	first, last cu.Event
	gate        gate
	running     bool // inside Time
	started     bool // the first event is recorded
}

func (c *clock) start() (err error) {
	if c.first, err = cu.MakeEvent(cu.DefaultEvent); err == nil {
		c.last, err = cu.MakeEvent(cu.DefaultEvent)
	}
	c.gate.start()
	return called("cuEventCreate", err)
}

func (c *clock) stop() error {
	return cmp.Or(called("cuEventDestroy", cmp.Or(cu.DestroyEvent(&c.first), cu.DestroyEvent(&c.last))), c.gate.stop())
}

func (c *clock) reset() error {
	if c.running {
		return fmt.Errorf("already timing")
	}
	c.running, c.started = true, false
	return nil
}

// hold closes the gate before the first timed call.
func (c *clock) hold() {
	if c.running && !c.started {
		c.gate.close()
	}
}

func (c *clock) around(f func() error) error {
	if !c.running {
		return f()
	}
	if !c.started {
		if err := c.first.Record(cu.NoStream); err != nil {
			return called("cuEventRecord", err)
		}
		c.started = true
	}
	if err := f(); err != nil {
		return err
	}
	return called("cuEventRecord", c.last.Record(cu.NoStream))
}

// read waits for the GPU and returns the time between the events.
func (c *clock) read() (time.Duration, error) {
	c.running = false
	if err := cu.Synchronize(); err != nil {
		return 0, called("cuCtxSynchronize", err)
	}
	if !c.started {
		return 0, nil
	}
	ms, err := c.first.Elapsed(c.last)
	return time.Duration(ms * float64(time.Millisecond)), called("cuEventElapsedTime", err)
}
