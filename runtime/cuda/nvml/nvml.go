// Package nvml asks NVIDIA's management library for the clocks, the temperature, the
// power and the throttling of a GPU. The library is opened at run time; without it there are no figures.
package nvml

/*
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "management.h"
*/
import "C"

import (
	"cmp"
	"fmt"
	"unsafe"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// Library is the name of the library, which is part of the driver.
const Library = "libnvidia-ml.so.1"

// GPU is a GPU that the library knows; nil is one that it does not know.
type GPU struct{ gpu C.struct_hz_nvml }

// Open finds the GPU at a PCI address such as 00000000:3b:00.0. It returns nil if the library
// is not there or does not know it.
func Open(library, address string) *GPU {
	name, at := C.CString(library), C.CString(address)
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(at))
	g := &GPU{}
	if C.hz_nvml_open(name, at, &g.gpu) == 0 {
		return nil
	}
	return g
}

// reasons are those for which clocks are held back, by their bits. The first bit is not among them: the GPU is idle.
var reasons = map[int]string{1: "application clocks", 2: "power cap", 3: "hardware slowdown", 4: "sync boost",
	5: "software thermal slowdown", 6: "hardware thermal slowdown", 7: "power brake", 8: "display clocks"}

// AddState adds the readings of the GPU.
func (g *GPU) AddState(s *device.State) {
	if g == nil {
		return
	}
	now := C.hz_nvml_read(&g.gpu)
	for name, value := range map[string]C.longlong{device.GPUClock: now.sm_mhz, device.GPUMemoryClock: now.memory_mhz, device.GPUTemperature: now.celsius} {
		if value >= 0 {
			s.Set(name, float64(value))
		}
	}
	if now.milliwatts >= 0 {
		s.Set(device.GPUPower, float64(now.milliwatts)/1000)
	}
	if now.reasons < 0 {
		return
	}
	s.Throttled = []string{}
	for bit := 1; bit < 63; bit++ {
		if now.reasons>>bit&1 != 0 {
			s.Throttled = append(s.Throttled, cmp.Or(reasons[bit], fmt.Sprintf("reason %#x", 1<<bit)))
		}
	}
}
