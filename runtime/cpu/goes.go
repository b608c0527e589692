package cpu

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// goes runs a kernel in Go: as many goroutines as the device has threads take pieces in turn.
func (d *Device) goes(body kernels.Body, table, batch device.Addr, count uint64) {
	var next atomic.Uint64
	var workers sync.WaitGroup
	each := d.pieceOf("", count)
	for range d.crew.threads {
		workers.Go(func() {
			for first := next.Add(each) - each; first < count; first = next.Add(each) - each {
				body(at[kernels.Table](table), at[kernels.Batch](batch), first, min(each, count-first))
			}
		})
	}
	workers.Wait()
}

// at returns what lies at an address.
func at[T any](address device.Addr) *T {
	return (*T)(unsafe.Pointer(unsafe.SliceData(slice(address, 1))))
}
