//go:build cuda

package cuda

import (
	"errors"
	"fmt"
	"slices"

	"gorgonia.org/cu"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// block is memory that was allocated.
type block struct {
	at    device.Addr
	bytes int64
	free  func() error
	host  bool
}

// idle is released memory that waits for the next allocation of its size, because mapping and unmapping takes a driver
// longer than most batches. The oldest comes first.
type idle struct {
	blocks []block
	bytes  int64
}

// keepIdle is the largest part of its memory that a GPU keeps idle.
const keepIdle = 1.0 / 4

// take returns the latest idle memory of a size, which may still be in a cache.
func (i *idle) take(bytes int64) (block, bool) {
	for k := len(i.blocks) - 1; k >= 0; k-- {
		if b := i.blocks[k]; b.bytes == bytes {
			i.blocks, i.bytes = slices.Delete(i.blocks, k, k+1), i.bytes-bytes
			return b, true
		}
	}
	return block{}, false
}

// drain gives idle memory back to the driver, the oldest first, until at most that many bytes are left.
func (d *Device) drain(most int64) error {
	for len(d.idle.blocks) > 0 && d.idle.bytes > most {
		b := d.idle.blocks[0]
		d.idle.blocks, d.idle.bytes = d.idle.blocks[1:], d.idle.bytes-b.bytes
		if err := b.free(); err != nil {
			return err
		}
	}
	return nil
}

// retried calls f again without idle memory if memory ran out.
func (d *Device) retried(f func() error) error {
	err := f()
	if !errors.Is(err, cu.OutOfMemory) || len(d.idle.blocks) == 0 {
		return err
	}
	if err := d.drain(0); err != nil {
		return err
	}
	return f()
}

// Free counts idle memory, too.
func (d *Device) Free() (int64, error) {
	var free int64
	err := d.do("free memory", func() (err error) {
		free, _, err = cu.MemInfo()
		return called("cuMemGetInfo", err)
	})
	return free + d.idle.bytes, err
}

// Alloc allocates device memory. The driver aligns it to at least 256 bytes.
func (d *Device) Alloc(bytes int64) (device.Addr, error) {
	if d.broken != nil {
		return 0, d.broken
	}
	bytes = max(bytes, 1)
	b, found := d.idle.take(bytes)
	if !found {
		var err error
		if b, err = d.allocated(bytes); err != nil {
			return 0, err
		}
	}
	d.owned[b.at] = b
	return b.at, nil
}

func (d *Device) allocated(bytes int64) (b block, err error) {
	err = d.do(fmt.Sprintf("allocate %d bytes", bytes), func() error {
		return d.retried(func() error {
			at, err := cu.MemAlloc(bytes)
			b = block{at: device.Addr(at), bytes: bytes, free: func() error { return called("cuMemFree", cu.MemFree(at)) }}
			if !errors.Is(err, cu.OutOfMemory) {
				return called("cuMemAlloc", err)
			}
			free, total, failed := cu.MemInfo()
			if failed != nil {
				return called("cuMemGetInfo", failed)
			}
			return fmt.Errorf("%d of %d bytes free: %w", free, total, called("cuMemAlloc", err))
		})
	})
	return b, err
}

// AllocHost allocates pinned host memory, mapped at the same address on the GPU.
func (d *Device) AllocHost(bytes int64) (at device.Addr, _ error) {
	err := d.do(fmt.Sprintf("allocate %d bytes of host memory", bytes), func() (err error) {
		at, err = allocHost(max(bytes, 1))
		return called("cuMemHostAlloc", err)
	})
	if err == nil {
		d.owned[at] = block{at: at, host: true, free: func() error { return called("cuMemFreeHost", cu.MemFreeHost(pointer(at))) }}
	}
	return at, err
}

// Release keeps device memory for the next allocation of its size.
func (d *Device) Release(at device.Addr) error {
	b, owned := d.owned[at]
	if !owned {
		return fmt.Errorf("device %s: address %#x was not allocated here", d.info.Name, at)
	}
	delete(d.owned, at)
	if b.host || d.broken != nil {
		return d.do("release", b.free)
	}
	d.idle.blocks, d.idle.bytes = append(d.idle.blocks, b), d.idle.bytes+b.bytes
	if most := int64(keepIdle * float64(d.info.Memory)); d.idle.bytes > most {
		return d.do("release", func() error { return d.drain(most) })
	}
	return nil
}

// SetHeap sets the size of the heap from which the driver serves malloc in kernels. It can be set once.
func (d *Device) SetHeap(bytes int64) error {
	return d.do("set the heap", func() error {
		return d.retried(func() error { return called("cuCtxSetLimit", cu.SetLimit(cu.MallocHeapSize, bytes)) })
	})
}
