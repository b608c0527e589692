//go:build cuda

package cuda

/*
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "stubs.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/hashzoo/hashzoo/runtime/cuda/nvml"
	"github.com/hashzoo/hashzoo/runtime/device"
)

const kind = "cuda"

// Backend returns the GPU backend.
func Backend() device.Backend { return backend{} }

type backend struct{}

func (backend) Kind() string { return kind }

// loadDriver starts the driver when the program first needs a GPU.
var loadDriver = sync.OnceValue(func() error {
	library := C.CString("libcuda.so.1")
	defer C.free(unsafe.Pointer(library))
	if reason := C.hz_cuda_load(library); reason != nil {
		return fmt.Errorf("device %s: %s", kind, C.GoString(reason))
	}
	return nil
})

func count() (int, error) {
	if err := loadDriver(); err != nil {
		return 0, err
	}
	n, err := cu.NumDevices()
	if err != nil {
		return 0, fmt.Errorf("device %s: %w", kind, called("cuDeviceGetCount", err))
	}
	if n == 0 {
		return 0, fmt.Errorf("device %s: the driver shows no GPU; hint: check CUDA_VISIBLE_DEVICES (%q)",
			kind, os.Getenv("CUDA_VISIBLE_DEVICES"))
	}
	return n, nil
}

func (backend) List() ([]device.Info, error) {
	n, err := count()
	if err != nil {
		return nil, err
	}
	list := make([]device.Info, n)
	for i := range list {
		g, err := describe(i)
		if err != nil {
			return nil, err
		}
		list[i] = g.info
	}
	return list, nil
}

type gpu struct {
	info   device.Info
	number cu.Device
	arch   int // 90 is sm_90
}

func describe(index int) (g gpu, err error) {
	g.info.Name = fmt.Sprintf("%s:%d", kind, index)
	ask := func(call string, f func() error) {
		if err == nil {
			if failed := called(call, f()); failed != nil {
				err = fmt.Errorf("device %s: %w", g.info.Name, failed)
			}
		}
	}
	var major, minor int
	ask("cuDeviceGet", func() (err error) { g.number, err = cu.GetDevice(index); return })
	ask("cuDeviceGetName", func() (err error) { g.info.Model, err = g.number.Name(); return })
	ask("cuDeviceTotalMem", func() (err error) { g.info.Memory, err = g.number.TotalMem(); return })
	for attribute, value := range map[cu.DeviceAttribute]*int{
		cu.ComputeCapabilityMajor: &major,
		cu.ComputeCapabilityMinor: &minor,
		cu.MultiprocessorCount:    &g.info.Threads,
	} {
		ask("cuDeviceGetAttribute", func() (err error) { *value, err = g.number.Attribute(attribute); return })
	}
	g.arch = 10*major + minor
	g.info.Arch = fmt.Sprintf("sm_%d", g.arch)
	g.info.Driver = driverVersion()
	return g, err
}

// sensor finds the GPU in the management library, which numbers GPUs in another way.
func (g gpu) sensor() *nvml.GPU {
	var at [3]int
	for i, attribute := range []cu.DeviceAttribute{cu.PciDomainID, cu.PciBusID, cu.PciDeviceID} {
		var err error
		if at[i], err = g.number.Attribute(attribute); err != nil {
			return nil
		}
	}
	return nvml.Open(nvml.Library, fmt.Sprintf("%08x:%02x:%02x.0", at[0], at[1], at[2]))
}

func driverVersion() string {
	supports := fmt.Sprintf("CUDA %d.%d", cu.Version()/1000, cu.Version()%1000/10)
	if version, err := os.ReadFile("/sys/module/nvidia/version"); err == nil {
		return fmt.Sprintf("%s (%s)", strings.TrimSpace(string(version)), supports)
	}
	return supports
}

type callError struct {
	call string
	err  error // a CUresult: of gorgonia.org/cu, which does not export the type, or a result
}

// called adds the name of the driver call to its error; nil stays nil.
func called(call string, err error) error {
	if err == nil {
		return nil
	}
	return &callError{call, err}
}

func (e *callError) Unwrap() error { return e.err }

func (e *callError) Error() string {
	code := C.int(reflect.ValueOf(e.err).Int())
	if name := C.hz_cuda_error_name(code); name != nil {
		return fmt.Sprintf("%s: %s (%s)", e.call, C.GoString(name), C.GoString(C.hz_cuda_error_text(code)))
	}
	return fmt.Sprintf("%s: %v (%d)", e.call, e.err, code)
}

// fatal reports whether err makes the context unusable: every further call fails too.
func fatal(err error) bool {
	return slices.ContainsFunc([]error{
		cu.EccUncorrectable, cu.NvlinkUncorrectable, cu.IllegalAddress, cu.LaunchTimeout, cu.Assert,
		cu.HardwareStackError, cu.IllegalInstruction, cu.MisalignedAddress, cu.InvalidAddressSpace,
		cu.InvalidPc, cu.LaunchFailed, cu.ContextIsDestroyed,
	}, func(code error) bool { return errors.Is(err, code) })
}

// allocHost allocates pinned host memory, for which gorgonia.org/cu has no call.
func allocHost(bytes int64) (device.Addr, error) {
	var at unsafe.Pointer
	if code := C.hz_cuda_host_alloc(&at, C.size_t(bytes)); code != 0 {
		return 0, result(code)
	}
	return device.Addr(uintptr(at)), nil
}

// result is the CUresult of a call that this package makes itself.
type result int

func (r result) Error() string { return fmt.Sprintf("result %d", int(r)) }

func pointer(at device.Addr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }
