//go:build asan

package cpu

// #include <stdlib.h>
import "C"

import (
	"fmt"
	"unsafe"
)

// obtain allocates from the C heap, where AddressSanitizer detects accesses next to a block
// and after its release. It detects neither in mapped memory.
func obtain(bytes int64) ([]byte, error) {
	var at unsafe.Pointer
	if code := C.posix_memalign(&at, 256, C.size_t(bytes)); code != 0 {
		return nil, fmt.Errorf("posix_memalign: error %d", code)
	}
	return unsafe.Slice((*byte)(at), bytes), nil
}

func giveBack(block []byte) error {
	C.free(unsafe.Pointer(unsafe.SliceData(block)))
	return nil
}
