package cpu

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// runGo runs a kernel in Go: a goroutine for each thread of the device takes pieces in turn.
func (d *Device) runGo(body kernels.Body, table, batch device.Addr, count uint64) {
	var next atomic.Uint64
	var all sync.WaitGroup
	each := d.pieceOf("", count)
	for range d.workers.threads {
		all.Go(func() {
			for first := next.Add(each) - each; first < count; first = next.Add(each) - each {
				body(at[kernels.Table](table), at[kernels.Batch](batch), first, min(each, count-first))
			}
		})
	}
	all.Wait()
}

// at returns the value at an address.
func at[T any](address device.Addr) *T {
	return (*T)(unsafe.Pointer(unsafe.SliceData(slice(address, 1))))
}
