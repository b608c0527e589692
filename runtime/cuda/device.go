//go:build cuda

package cuda

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/cuda/nvml"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Device is a GPU. Its calls make its context current in the OS thread that they happen to run on, which takes a tenth of
// a microsecond. A thread that made all calls would have to be woken for each of them, which takes 10 to 20.
type Device struct {
	gpu
	context  cu.CUContext
	peers    map[*Device]bool // whose memory copies were made from
	closed   bool
	loaded   map[string]kernel
	modules  []cu.Module
	compiled time.Duration
	owned    map[device.Addr]block
	idle     idle
	clock    clock
	beside   cu.Stream // for copies that overlap with the default stream; made when it is first needed
	copies   cu.Stream // where copies go: the default stream or beside
	last     string    // the kernel launched last
	broken   error     // the result of every further call, once the context is unusable
	sensor   func() *nvml.GPU
	landing  *[small]byte // pinned memory for what Fetch reads: to fetched, from source
	fetched  []byte
	source   device.Addr
}

// Open opens a GPU. It takes no options.
func (backend) Open(index int, _ device.Options) (device.Device, error) {
	n, err := count()
	if err != nil {
		return nil, err
	}
	go kernels.PTXNames() // makes the index of kernels while the driver starts
	if index < 0 || index >= n {
		return nil, fmt.Errorf("device %s:%d: this machine has %d GPUs, numbered from 0", kind, index, n)
	}
	g, err := describe(index)
	if err != nil {
		return nil, err
	}
	d := &Device{
		gpu: g, peers: map[*Device]bool{}, loaded: map[string]kernel{},
		owned: map[device.Addr]block{}, sensor: sync.OnceValue(g.sensor),
	}
	if d.context, err = g.number.RetainPrimaryCtx(); err != nil {
		return nil, fmt.Errorf("device %s: open: %w", g.info.Name, called("cuDevicePrimaryCtxRetain", err))
	}
	if err := d.do("open", d.start); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Device) start() error {
	at, err := allocHost(small)
	if err != nil {
		return called("cuMemHostAlloc", err)
	}
	d.landing = (*[small]byte)(pointer(at))
	return d.clock.start()
}

// do is call for an f that may wait for the GPU, so the gate is open.
func (d *Device) do(what string, f func() error) error {
	return d.call(what, func() error {
		d.clock.gate.open()
		return f()
	})
}

// call runs f with the context of the device. Its error names the device and the purpose.
func (d *Device) call(what string, f func() error) error {
	if d.broken != nil {
		return d.broken
	}
	err := d.inContext(f)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("device %s: %s: %w", d.info.Name, what, err)
	if fatal(err) {
		err = fmt.Errorf("%w; the last kernel launched is %s; restart the program to use this GPU again", err, cmp.Or(d.last, "none"))
		d.broken = err
	}
	return err
}

// inContext calls f on an OS thread whose current context is the device's.
func (d *Device) inContext(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cu.SetCurrentContext(d.context); err != nil {
		return called("cuCtxSetCurrent", err)
	}
	return device.Caught(f)
}

// Sequence records the clock's last event after the last of f's calls only.
func (d *Device) Sequence(f func() error) error {
	if d.broken != nil {
		return d.broken
	}
	d.clock.held = true
	err := f()
	d.clock.held = false
	return cmp.Or(err, d.inContext(d.clock.end))
}

// SurvivesHang returns false: a kernel waits for the ones before it.
func (d *Device) SurvivesHang() bool { return false }
func (d *Device) Info() device.Info  { return d.info }

// AddState adds the clocks, the temperature, the power, and why clocks are throttled.
func (d *Device) AddState(s *device.State) { d.sensor().AddState(s) }

// Set fills memory. Like Launch, it may return before the work is done.
func (d *Device) Set(at device.Addr, value byte, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	return d.queue("set", "cuMemsetD8", func() error { return cu.MemsetD8(cu.DevicePtr(at), value, bytes) })
}

// small is the largest copy that goes through a buffer. cgo panics on memory inside an
// object with Go pointers, such as a block in a struct; large copies are separate arrays.
const small = 1 << 16

// Write copies to the GPU and waits for the copy.
func (d *Device) Write(at device.Addr, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	if len(src) <= small {
		src = bytes.Clone(src)
	}
	return d.queue("write", "cuMemcpyHtoD", func() error {
		d.clock.gate.open()
		return cu.MemcpyHtoD(cu.DevicePtr(at), unsafe.Pointer(unsafe.SliceData(src)), int64(len(src)))
	})
}

func (d *Device) Read(dst []byte, at device.Addr) error {
	if len(dst) == 0 {
		return nil
	}
	to := dst
	if len(dst) <= small {
		to = make([]byte, len(dst))
	}
	err := d.queue("read", "cuMemcpyDtoH", func() error {
		d.clock.gate.open()
		return cu.MemcpyDtoH(unsafe.Pointer(unsafe.SliceData(to)), cu.DevicePtr(at), int64(len(to)))
	})
	if err == nil && len(dst) <= small {
		copy(dst, to)
	}
	return err
}

// Mark records the current point of the default stream.
func (d *Device) Mark() (device.Mark, error) {
	var at cu.Event
	err := d.call("mark", func() (err error) {
		if err := d.clock.begin(); err != nil {
			return err
		}
		at, err = d.clock.record(cu.NoStream)
		return err
	})
	return at, err
}

// Wait makes the default stream wait for a point in the work of any GPU.
func (d *Device) Wait(m device.Mark) error {
	return d.queue("wait", "cuStreamWaitEvent", func() error { return cu.NoStream.Wait(m.(cu.Event), 0) })
}

// Overlap sends f's copies to a stream of their own, once it has waited for these points.
func (d *Device) Overlap(lap int, after []device.Mark, f func() error) (device.Mark, error) {
	var begin, end cu.Event
	err := d.call("copy beside kernels", func() (err error) {
		if err := d.waitBeside(after); err != nil {
			return err
		}
		begin, err = d.clock.record(d.beside)
		return err
	})
	if err != nil {
		return nil, err
	}
	d.copies = d.beside
	err = f()
	d.copies = cu.NoStream
	if err != nil {
		return nil, err
	}
	err = d.call("copy beside kernels", func() (err error) {
		end, err = d.clock.record(d.beside)
		d.clock.lapped(lap, begin, end)
		return err
	})
	return end, err
}

// waitBeside makes the stream for copies wait for these points, and for the clock's first event.
func (d *Device) waitBeside(after []device.Mark) (err error) {
	if d.beside == cu.NoStream {
		if d.beside, err = cu.MakeStream(cu.NonBlocking); err != nil {
			return called("cuStreamCreate", err)
		}
	}
	if err := d.clock.begin(); err != nil {
		return err
	}
	if d.clock.running {
		after = append(after, d.clock.first)
	}
	for _, m := range after {
		if err := d.beside.Wait(m.(cu.Event), 0); err != nil {
			return called("cuStreamWaitEvent", err)
		}
	}
	return nil
}

// CopyFrom copies from the memory of another GPU, over their link if they have one. Like Launch, it may return before
// the work is done.
func (d *Device) CopyFrom(other device.Device, to, from device.Addr, bytes int64) error {
	source, ok := device.Unwrapped(other).(*Device)
	if !ok {
		return fmt.Errorf("device %s: copies only from other GPUs, not from %s", d.info.Name, other.Info().Name)
	}
	if err := d.reach(source); err != nil {
		return err
	}
	send := func() error {
		return called("cuMemcpyPeerAsync",
			cu.MemcpyPeerAsync(cu.DevicePtr(to), d.context, cu.DevicePtr(from), source.context, bytes, d.copies))
	}
	return d.call("copy from "+source.info.Name, func() error {
		if d.copies != cu.NoStream { // Overlap counts the time
			return send()
		}
		return d.clock.around(send)
	})
}

// reach lets copies from another GPU take the direct way, if there is one. Otherwise the driver takes them through the
// host.
func (d *Device) reach(source *Device) error {
	if d.peers[source] || source == d {
		return nil
	}
	d.peers[source] = true
	return d.do("reach "+source.info.Name, func() error {
		direct, err := d.number.CanAccessPeer(source.number)
		if err != nil || direct == 0 {
			return called("cuDeviceCanAccessPeer", err)
		}
		if err = source.context.EnablePeerAccess(0); errors.Is(err, cu.PeerAccessAlreadyEnabled) {
			err = nil
		}
		return called("cuCtxEnablePeerAccess", err)
	})
}

// Close frees memory, kernels and context. On a broken device this fails, which adds nothing.
func (d *Device) Close() error {
	if d.closed {
		return nil
	}
	wasBroken := d.broken != nil
	d.broken = nil
	err := d.do("close", d.stop)
	d.closed, d.broken = true, fmt.Errorf("device %s: closed", d.info.Name)
	if wasBroken {
		return nil
	}
	return err
}

// stop frees as much as it can and returns the first error.
func (d *Device) stop() error {
	list := []error{d.drain(0)}
	for _, b := range d.owned {
		list = append(list, b.free())
	}
	list = append(list, lists.Map(d.modules, func(m cu.Module) error { return called("cuModuleUnload", m.Unload()) })...)
	if d.beside != cu.NoStream {
		list = append(list, called("cuStreamDestroy", d.beside.Destroy()))
	}
	list = append(list, called("cuMemFreeHost", cu.MemFreeHost(unsafe.Pointer(d.landing))), called("cuEventDestroy", d.clock.stop()),
		called("cuDevicePrimaryCtxRelease", d.number.ReleasePrimaryCtx()))
	return cmp.Or(list...)
}
