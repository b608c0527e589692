//go:build cuda

package cuda

/*
#include "stubs.h"
*/
import "C"

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"gorgonia.org/cu"
)

// gate holds the GPU back until the host has submitted the timed work. Without it, a launch reaches the GPU microseconds
// after the event before it, and the clock measures how long the host took to submit it: as long as a small batch takes.
type gate struct {
	lock   sync.Mutex // the guard is a goroutine of its own
	number *uint32    // the GPU waits until it is turn; nil if the driver cannot wait
	turn   uint32
	closed bool
	behind int           // calls that wait for it
	ends   chan struct{} // for the guard
}

// longest is how long the gate is closed at most, or up to twice as long. A profiler, or a driver whose queue is full,
// waits for every launch, and would wait forever.
const longest = 20 * time.Millisecond

// mostBehind is how many calls wait behind the gate at most. The driver's queue has room for about 1024, and each call may
// have an event after it.
const mostBehind = 448

func (g *gate) start() {
	if at, err := allocHost(int64(unsafe.Sizeof(*g.number))); err == nil {
		g.number = (*uint32)(pointer(at))
		g.set()
		g.ends = make(chan struct{})
		go g.guard(g.ends)
	}
}

func (g *gate) stop() error {
	g.lock.Lock()
	defer g.lock.Unlock()
	at := unsafe.Pointer(g.number)
	g.number = nil
	if at == nil {
		return nil
	}
	close(g.ends)
	return called("cuMemFreeHost", cu.MemFreeHost(at))
}

// close makes the GPU wait from here on.
func (g *gate) close() {
	g.lock.Lock()
	defer g.lock.Unlock()
	if g.number == nil {
		return
	}
	if code := C.hz_cuda_wait(unsafe.Pointer(g.number), C.uint(g.turn+1)); code != 0 {
		close(g.ends)
		g.number = nil // which the driver frees with the context
		return
	}
	g.turn++
	g.closed, g.behind = true, 0
}

// submitted counts a call behind the gate, and opens it for too many.
func (g *gate) submitted() {
	g.lock.Lock()
	defer g.lock.Unlock()
	if !g.closed {
		return
	}
	if g.behind++; g.behind == mostBehind {
		g.set()
	}
}

func (g *gate) open() {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.set()
}

// set opens the gate.
func (g *gate) set() {
	if g.closed = false; g.number != nil {
		atomic.StoreUint32(g.number, g.turn)
	}
}

// guard opens a gate that it finds closed twice. A timer for each time would wake a thread each time.
func (g *gate) guard(ends <-chan struct{}) {
	tick := time.NewTicker(longest)
	defer tick.Stop()
	for last := uint32(0); ; {
		select {
		case <-ends:
			return
		case <-tick.C:
		}
		g.lock.Lock()
		if g.closed && g.turn == last {
			g.set()
		}
		last = g.turn
		g.lock.Unlock()
	}
}
