//go:build cuda

package cuda

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// Device is a GPU. All calls to the driver are made by one OS thread, because a
// context belongs to the thread that made it current.
type Device struct {
	gpu
	calls   chan func() // what the thread is to do; closed with the device
	loaded  map[string]kernel
	modules []cu.Module
	owned   map[device.Addr]place
	clock   clock
	last    string // the kernel that was launched last
	broken  error  // what every call answers from now on
}

// Open opens a GPU. It has no options.
func (backend) Open(index int, _ device.Options) (device.Device, error) {
	n, err := count()
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= n {
		return nil, fmt.Errorf("device %s:%d: there are %d GPUs, numbered from 0", kind, index, n)
	}
	g, err := describe(index)
	if err != nil {
		return nil, err
	}
	d := &Device{gpu: g, calls: make(chan func()), loaded: map[string]kernel{}, owned: map[device.Addr]place{}}
	go d.thread()
	if err := d.do("open", d.start); err != nil {
		close(d.calls)
		return nil, err
	}
	return d, nil
}

// thread makes the calls. It never unlocks its OS thread, which thus ends with
// it: no other goroutine inherits the context.
func (d *Device) thread() {
	runtime.LockOSThread()
	for call := range d.calls {
		call()
	}
}

// do has the thread run f and waits for it. Its error says which device, and
// what for.
func (d *Device) do(what string, f func() error) error {
	if d.broken != nil {
		return d.broken
	}
	done := make(chan error, 1)
	d.calls <- func() { done <- device.Caught(f) }
	err := <-done
	if err == nil {
		return nil
	}
	err = fmt.Errorf("device %s: %s: %w", d.info.Name, what, err)
	if fatal(err) {
		err = fmt.Errorf("%w; the kernel launched last is %s; the program must start anew to use this GPU", err, d.lastKernel())
		d.broken = err
	}
	return err
}

func (d *Device) lastKernel() string {
	if d.last == "" {
		return "none"
	}
	return d.last
}

// start makes the device's primary context current.
func (d *Device) start() error {
	context, err := d.number.RetainPrimaryCtx()
	if err != nil {
		return called("cuDevicePrimaryCtxRetain", err)
	}
	if err := cu.SetCurrentContext(context); err != nil {
		return called("cuCtxSetCurrent", err)
	}
	return d.clock.start()
}

// SurvivesHang is not so: kernels wait for those before them.
func (d *Device) SurvivesHang() bool { return false }

// Info describes the GPU.
func (d *Device) Info() device.Info { return d.info }

// Free says how much memory is left.
func (d *Device) Free() (int64, error) {
	var free int64
	err := d.do("free memory", func() (err error) {
		free, _, err = cu.MemInfo()
		return called("cuMemGetInfo", err)
	})
	return free, err
}

// Alloc takes memory. The driver aligns it to 256 bytes or more.
func (d *Device) Alloc(bytes int64) (device.Addr, error) {
	var at cu.DevicePtr
	err := d.do(fmt.Sprintf("%d bytes asked for", bytes), func() (err error) {
		at, err = cu.MemAlloc(max(bytes, 1))
		if !errors.Is(err, cu.OutOfMemory) {
			return called("cuMemAlloc", err)
		}
		free, total, failed := cu.MemInfo()
		if failed != nil {
			return called("cuMemGetInfo", failed)
		}
		return fmt.Errorf("%d of %d free: %w", free, total, called("cuMemAlloc", err))
	})
	if err != nil {
		return 0, err
	}
	d.owned[device.Addr(at)] = onDevice
	return device.Addr(at), nil
}

// place says where memory was taken.
type place int

const (
	onDevice place = iota + 1
	onHost
)

// AllocHost takes memory of the host, pinned and mapped: its address is the same for
// the GPU.
func (d *Device) AllocHost(bytes int64) (device.Addr, error) {
	var at device.Addr
	err := d.do(fmt.Sprintf("%d bytes of the host asked for", bytes), func() (err error) {
		at, err = allocHost(max(bytes, 1))
		return called("cuMemHostAlloc", err)
	})
	if err == nil {
		d.owned[at] = onHost
	}
	return at, err
}

// Release gives it back.
func (d *Device) Release(at device.Addr) error {
	where := d.owned[at]
	if where == 0 {
		return fmt.Errorf("device %s: address %#x was not allocated here", d.info.Name, at)
	}
	delete(d.owned, at)
	return d.do("release", func() error { return where.free(at) })
}

func (p place) free(at device.Addr) error {
	if p == onHost {
		return called("cuMemFreeHost", freeHost(at))
	}
	return called("cuMemFree", cu.MemFree(cu.DevicePtr(at)))
}

// Set fills memory. It may return before that is done, as Launch may.
func (d *Device) Set(at device.Addr, value byte, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	return d.do("set", func() error {
		return d.clock.around(func() error {
			return called("cuMemsetD8", cu.MemsetD8(cu.DevicePtr(at), value, bytes))
		})
	})
}

// small is up to where a copy goes through memory of its own. cgo panics if what
// it is given lies in an object with Go pointers, as a block in the middle of a
// struct does; large copies are of arrays that stand alone.
const small = 1 << 16

// Write copies to the GPU and waits for that.
func (d *Device) Write(at device.Addr, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	if len(src) <= small {
		src = bytes.Clone(src)
	}
	return d.do("write", func() error {
		return d.clock.around(func() error {
			return called("cuMemcpyHtoD", cu.MemcpyHtoD(cu.DevicePtr(at), unsafe.Pointer(unsafe.SliceData(src)), int64(len(src))))
		})
	})
}

// Read copies from the GPU and waits for that.
func (d *Device) Read(dst []byte, at device.Addr) error {
	if len(dst) == 0 {
		return nil
	}
	to := dst
	if len(dst) <= small {
		to = make([]byte, len(dst))
	}
	err := d.do("read", func() error {
		return d.clock.around(func() error {
			return called("cuMemcpyDtoH", cu.MemcpyDtoH(unsafe.Pointer(unsafe.SliceData(to)), cu.DevicePtr(at), int64(len(to))))
		})
	})
	if err == nil && len(dst) <= small {
		copy(dst, to)
	}
	return err
}

// Close gives back memory, kernels and context. That of a broken device fails,
// which says nothing new.
func (d *Device) Close() error {
	if d.calls == nil {
		return nil
	}
	wasBroken := d.broken != nil
	d.broken = nil
	err := d.do("close", d.stop)
	close(d.calls)
	d.calls, d.broken = nil, fmt.Errorf("device %s: closed", d.info.Name)
	if wasBroken {
		return nil
	}
	return err
}

// stop goes on after an error, to give back what it can, and returns the first.
func (d *Device) stop() error {
	var first error
	try := func(call string, err error) {
		if first == nil {
			first = called(call, err)
		}
	}
	for at, where := range d.owned {
		if err := where.free(at); first == nil {
			first = err
		}
	}
	for _, m := range d.modules {
		try("cuModuleUnload", m.Unload())
	}
	try("cuEventDestroy", d.clock.stop())
	try("cuDevicePrimaryCtxRelease", d.number.ReleasePrimaryCtx())
	return first
}
