package cpu

/*
#cgo CFLAGS: -std=gnu11 -O2 -Wall
#cgo LDFLAGS: -pthread
#include <string.h>
#include "workers.h"

static void fill(const void *value, void *at, uint64_t first, uint64_t count) {
	memset((char *)at + first, (int)(uintptr_t)value, count);
}
static const hz_body hz_fill = fill;

// Go passes addresses as numbers (cpu.go).
static void run(struct workers *w, void *name, void *body, uintptr_t table, uintptr_t batch, uint64_t count, uint64_t piece, _Bool together) {
	workers_run(w, name, (hz_body)body, (const void *)table, (void *)batch, count, piece, together);
}
static void *fill_body(void) { return (void *)hz_fill; }
*/
import "C"

import (
	"fmt"
	"sync"
	"unsafe"
)

// workers holds the worker threads of a device. A launch uses a whole set of them; while one launch
// hangs, another starts a new set.
type workers struct {
	threads  int
	together bool // no worker starts before all are ready
	mutex    sync.Mutex
	free     []*C.struct_workers
}

// run processes the items [0, count). Name is the kernel's name, or nil.
func (c *workers) run(name, body unsafe.Pointer, table, batch uintptr, count, piece uint64) error {
	w, err := c.take()
	if err != nil {
		return err
	}
	C.run(w, name, body, C.uintptr_t(table), C.uintptr_t(batch), C.uint64_t(count), C.uint64_t(piece), C._Bool(c.together))
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.free = append(c.free, w)
	return nil
}

func (c *workers) take() (*C.struct_workers, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if last := len(c.free) - 1; last >= 0 {
		w := c.free[last]
		c.free = c.free[:last]
		return w, nil
	}
	w, err := C.workers_new(C.int(c.threads))
	if w == nil {
		return nil, fmt.Errorf("device cpu: start %d threads: %w; hint: --threads sets the number", c.threads, err)
	}
	return w, nil
}

func (c *workers) end() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, w := range c.free {
		C.workers_end(w)
	}
	c.free = nil
}

// fillBody fills the memory at the batch address with a byte, passed as the table address.
var fillBody = C.fill_body()
