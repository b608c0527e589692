package cpu

/*
#include <stdint.h>
#include "workers.h"

typedef void (*hz_observer)(uint64_t who, uint32_t event, uint64_t at, uint64_t bytes, uint64_t key, uint32_t place,
                            uint32_t step);
typedef void (*hz_observe)(hz_observer call, uint64_t who);

extern void hzObserve(uint64_t who, uint32_t event, uint64_t at, uint64_t bytes, uint64_t key, uint32_t place,
                      uint32_t step);

static void observed(void *observe, uint64_t who, uint64_t mode) {
	((hz_observe)observe)(who ? hzObserve : 0, who | mode);
}
*/
import "C"

import (
	"fmt"
	"runtime"
	"runtime/cgo"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Watch has a function called at every step of the instrumented kernels that follow, while
// the kernel waits; nil ends that. The caller of a launch has to be its only worker.
func (d *Device) Watch(see func(device.Step), verbs bool) error {
	if d.workers.threads > 1 && see != nil {
		return fmt.Errorf("device cpu: single steps are those of 1 thread, and it has %d", d.workers.threads)
	}
	d.see, d.verbs = see, verbs
	return nil
}

// watched calls f while this thread has an observer for the kernels of a library.
func (d *Device) watched(observe unsafe.Pointer, f func() error) error {
	if d.see == nil {
		return f()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	handle := cgo.NewHandle(d.see)
	defer handle.Delete()
	mode := lists.Either[C.uint64_t](d.verbs, kernels.Compares, 0)
	C.observed(observe, C.uint64_t(handle), mode)
	defer C.observed(observe, 0, 0)
	return f()
}
