//go:build cuda

package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// Time runs f and returns the GPU time from the start of the first launch, fill or copy to the end of the last.
func (d *Device) Time(f func() error) (time.Duration, error) {
	took, _, err := d.timing(f, func() (bool, error) { return false, synchronize() })
	return took, err
}

// TimeWithin is Time that gives up after a while.
func (d *Device) TimeWithin(limit time.Duration, f func() error) (took time.Duration, late bool, err error) {
	return d.timing(f, func() (bool, error) { return d.within(limit) })
}

func synchronize() error { return called("cuCtxSynchronize", cu.Synchronize()) }

func (d *Device) timing(f func() error, wait func() (late bool, err error)) (took time.Duration, late bool, err error) {
	if d.broken != nil {
		return 0, false, d.broken
	}
	if err := d.clock.reset(); err != nil {
		return 0, false, fmt.Errorf("device %s: time: %w", d.info.Name, err)
	}
	d.fetched = nil
	failed := f()
	err = d.call("time", func() (err error) {
		d.clock.running = false
		err = d.fetch()
		d.clock.gate.open()
		if err == nil {
			late, err = wait()
		}
		if err == nil && !late {
			took, err = d.clock.read()
		}
		return err
	})
	if d.fetched != nil && !late {
		copy(d.fetched, d.landing[:])
	}
	if failed != nil {
		return 0, late, failed
	}
	return took, late, err
}

// polled is how long the GPU is polled. Most batches end within it, and a goroutine that waits would have to be woken.
const polled = time.Millisecond

// within waits for the default stream, up to a limit.
func (d *Device) within(limit time.Duration) (late bool, err error) {
	for began := time.Now(); time.Since(began) < polled; {
		if err := cu.NoStream.Query(); !errors.Is(err, cu.NotReady) {
			return false, called("cuStreamQuery", err)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- d.inContext(synchronize) }()
	select {
	case err := <-ended:
		return false, err
	case <-time.After(limit):
		return true, nil
	}
}

// Fetch copies a few bytes through pinned memory, without another call that waits.
func (d *Device) Fetch(dst []byte, at device.Addr) error {
	if len(dst) > len(d.landing) {
		return fmt.Errorf("device %s: fetch %d bytes: at most %d come at once", d.info.Name, len(dst), len(d.landing))
	}
	d.fetched, d.source = dst, at
	return nil
}

func (d *Device) fetch() error {
	if d.fetched == nil {
		return nil
	}
	return called("cuMemcpyDtoHAsync", cu.MemcpyDtoHAsync(unsafe.Pointer(d.landing), cu.DevicePtr(d.source), int64(len(d.fetched)), cu.NoStream))
}

// queue is call for a driver call that counts as timed work. One that waits for the GPU opens the gate.
func (d *Device) queue(what, call string, f func() error) error {
	return d.call(what, func() error { return d.clock.around(func() error { return called(call, f()) }) })
}

// clock measures time on the GPU. Its events are recorded right before and after the timed work.
type clock struct {
	first, last cu.Event
	gate        gate
	running     bool       // inside Time
	started     bool       // the first event is recorded
	held        bool       // the last one waits for more work
	points      []cu.Event // of the work inside Time
	used        int        // how many of them
	spans       []span
	laps        device.Laps
}

// span is a lap from one point to another.
type span struct {
	lap        int
	begin, end cu.Event
}

func (c *clock) start() (err error) {
	if c.first, err = cu.MakeEvent(cu.DefaultEvent); err == nil {
		c.last, err = cu.MakeEvent(cu.DefaultEvent)
	}
	c.gate.start()
	return called("cuEventCreate", err)
}

func (c *clock) stop() (err error) {
	for _, e := range append(c.points, c.first, c.last) {
		err = cmp.Or(err, cu.DestroyEvent(&e))
	}
	c.points = nil
	return cmp.Or(called("cuEventDestroy", err), c.gate.stop())
}

func (c *clock) reset() error {
	if c.running {
		return fmt.Errorf("already timing")
	}
	c.running, c.started, c.used, c.spans, c.laps = true, false, 0, c.spans[:0], device.Laps{}
	return nil
}

// record returns the point that a stream has reached.
func (c *clock) record(on cu.Stream) (cu.Event, error) {
	if c.used == len(c.points) {
		e, err := cu.MakeEvent(cu.DefaultEvent)
		if err != nil {
			return e, called("cuEventCreate", err)
		}
		c.points = append(c.points, e)
	}
	e := c.points[c.used]
	c.used++
	return e, called("cuEventRecord", e.Record(on))
}

func (c *clock) lapped(lap int, begin, end cu.Event) {
	c.spans = append(c.spans, span{lap, begin, end})
}

func (c *clock) around(f func() error) error {
	if !c.running {
		return f()
	}
	if err := c.begin(); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	c.gate.submitted()
	return c.end()
}

// end records the last event so far.
func (c *clock) end() error {
	if !c.started || c.held {
		return nil
	}
	return called("cuEventRecord", c.last.Record(cu.NoStream))
}

// begin closes the gate and records the first event, unless it is recorded.
func (c *clock) begin() error {
	if c.started || !c.running {
		return nil
	}
	c.started = true
	c.gate.close()
	return called("cuEventRecord", c.first.Record(cu.NoStream))
}

// read returns the time between the events, which have been reached.
func (c *clock) read() (time.Duration, error) {
	if !c.started {
		return 0, nil
	}
	for _, s := range c.spans {
		took, err := elapsed(s.begin, s.end)
		if err != nil {
			return 0, err
		}
		c.laps[s.lap] += took
	}
	return elapsed(c.first, c.last)
}

func elapsed(from, to cu.Event) (time.Duration, error) {
	ms, err := from.Elapsed(to)
	return time.Duration(ms * float64(time.Millisecond)), called("cuEventElapsedTime", err)
}

// Lap records the points before and after what f launches.
func (d *Device) Lap(lap int, f func() error) error {
	begin, err := d.Mark()
	if err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	end, err := d.Mark()
	d.clock.lapped(lap, begin.(cu.Event), end.(cu.Event))
	return err
}

// Laps returns the laps of the last Time.
func (d *Device) Laps() device.Laps { return d.clock.laps }
