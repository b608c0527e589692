package check

import (
	"errors"
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
)

// scarce is a device that, while armed, runs out of memory after some allocations. Those of a few bytes, which the
// engine needs for itself, always succeed.
type scarce struct {
	device.Device
	armed   bool
	left    int
	refused int
}

const aFewBytes = 512

func (s *scarce) take(bytes int64, alloc func(int64) (device.Addr, error)) (device.Addr, error) {
	if s.armed && bytes > aFewBytes {
		if s.left--; s.left < 0 {
			s.refused++
			return 0, fmt.Errorf("device %s: %d bytes asked for, and no memory is left", s.Info().Name, bytes)
		}
	}
	return alloc(bytes)
}

func (s *scarce) Alloc(bytes int64) (device.Addr, error) { return s.take(bytes, s.Device.Alloc) }
func (s *scarce) AllocHost(bytes int64) (device.Addr, error) {
	return s.take(bytes, s.Device.AllocHost)
}

// noMemory has the device run out of memory at every point of every operation that could allocate. The operation
// returns an error and changes nothing, counts what failed, or leaves a note; later the table works again.
func noMemory(c *climb) {
	for _, op := range kernels.Ops {
		if c.config.Host[op] == nil {
			continue
		}
		for pieces := 0; c.outOfMemory(op, pieces) && pieces < 20; pieces++ {
		}
	}
}

// outOfMemory carries out one operation with memory for some allocations, and reports whether it lacked any.
func (c *climb) outOfMemory(op string, pieces int) bool {
	dev := &scarce{Device: c.dev, left: pieces}
	t := c.tableOn(dev, c.small)
	n := t.half()
	t.do("insert", c.keys().Take(n))
	in := t.load(t.demanding(op, n))

	dev.armed = true
	s, err := t.Run(in)
	dev.armed = false
	var lied *engine.VerifyError
	if errors.As(err, &lied) {
		c.fail("%s with memory for %d pieces: %w", op, pieces, err)
	}
	if dev.refused > 0 && err == nil && s.Counts.Get("failed") == 0 && len(s.Notes) == 0 {
		c.fail("%s found no memory after %d pieces, and does not say so", op, pieces)
	}
	c.usable(t, n, fmt.Sprintf("after %s with memory for %d pieces (%v)", op, pieces, err))
	return dev.refused > 0
}

// demanding is a batch after which the table would like to have more memory, or less.
func (t *trial) demanding(op string, n uint64) engine.Batch {
	is := kernels.Op(op)
	if is.Kind == kernels.OnTable {
		b := engine.Batch{Op: op}
		if is.Value {
			b.Capacity = 4 * t.Capacity()
		}
		return b
	}
	keys := t.c.keys().Take(n)
	if is.Adds || op == engine.Mix {
		keys = t.c.keys().Slice(n, 2*t.Capacity())
	}
	b := t.batch(op, keys)
	if op == engine.Mix {
		ops, shared := make(engine.List, keys.Len()), t.Config().Caps.Concurrent
		for i := range ops {
			ops[i] = opCode(shared[i%len(shared)])
		}
		b.Ops = ops
	}
	return b
}

// usable checks that the table holds what the oracle says, finds it, and takes more pairs.
func (c *climb) usable(t *trial, n uint64, when string) {
	defer c.adding(when)
	t.contents()
	t.do("find", c.keys().Take(n+2*t.Capacity()))
	t.maybe("erase", c.keys().Take(n))
	t.contents()
	t.do("insert", c.keys().Slice(1<<20, n/2))
	t.do("find", c.keys().Slice(1<<20, n/2))
	t.contents()
}
