//go:build !asan

package cpu

import (
	"testing"
	"unsafe"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// A large block consists of whole huge pages; a small one is not rounded up.
func TestBlocksAreWholeHugePages(t *testing.T) {
	for _, bytes := range []int64{1, 4096, hugePage/2 - 1, hugePage / 2, hugePage - 1, hugePage, hugePage + 1, 5*hugePage + 7} {
		block := must.Get(obtain(bytes))(t)
		at := uintptr(unsafe.Pointer(unsafe.SliceData(block)))
		must.Hold(t, int64(len(block)) == bytes && (bytes < hugePage/2 || at%hugePage == 0), "%d bytes: %d at %#x", bytes, len(block), at)
		block[0], block[bytes-1] = 1, 2
		err := giveBack(block)
		must.Hold(t, err == nil, "%d bytes: %v", bytes, err)
	}
	must.Hold(t, must.Err(obtain(1<<60)) != nil, "an allocation larger than the address space succeeded")
}
