package host

import (
	"encoding/binary"
	"unsafe"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// Read returns n values from device memory.
func Read[T any](t schemes.Table, at, n uint64) ([]T, error) {
	list := make([]T, n)
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), uintptr(n)*unsafe.Sizeof(*new(T)))
	return list, t.Read(raw, device.Addr(at))
}

// Number returns the number in up to eight bytes.
func Number(raw []byte) uint64 {
	var word [8]byte
	copy(word[:], raw)
	return binary.LittleEndian.Uint64(word[:])
}
