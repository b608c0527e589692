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
	guard  *time.Timer // opens the gate; nil when it is open
}

// longest is how long the gate is closed at most. A profiler waits for every launch, and so does the driver if its queue
// is full; they would wait forever.
const longest = 20 * time.Millisecond

func (g *gate) start() {
	if at, err := allocHost(int64(unsafe.Sizeof(*g.number))); err == nil {
		g.number = (*uint32)(pointer(at))
		g.advance(g.turn)
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
	return called("cuMemFreeHost", cu.MemFreeHost(at))
}

// close has the GPU wait from here on.
func (g *gate) close() {
	if g.number == nil {
		return
	}
	turn := g.turn + 1
	if code := C.hz_cuda_wait(unsafe.Pointer(g.number), C.uint(turn)); code != 0 {
		g.number = nil
		return
	}
	g.turn = turn
	g.guard = time.AfterFunc(longest, func() { g.advance(turn) })
}

func (g *gate) open() {
	if g.guard != nil {
		g.guard.Stop()
		g.guard = nil
		g.advance(g.turn)
	}
}

// advance opens the gate, unless it was opened since.
func (g *gate) advance(turn uint32) {
	g.lock.Lock()
	defer g.lock.Unlock()
	if g.number != nil && g.turn == turn {
		atomic.StoreUint32(g.number, turn)
	}
}
