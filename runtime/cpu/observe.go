package cpu

// #include <stdint.h>
import "C"

import (
	"runtime/cgo"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// hzObserve is the observer of a thread: who is the handle of a function.
//
//export hzObserve
func hzObserve(who C.uint64_t, event C.uint32_t, at, bytes, key C.uint64_t, place, step C.uint32_t) {
	cgo.Handle(who).Value().(func(device.Step))(device.Step{
		Event: int(event), At: device.Addr(at), Bytes: uint64(bytes), Key: uint64(key), Place: uint32(place), Step: uint32(step),
	})
}
