// Package cpu is the host backend: worker threads (workers.h) over the host build of the
// kernels. A launch is cut into pieces that the workers take one after the other;
// kernels are written so that the result does not depend on who takes which.
package cpu

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// piece is how many items a worker takes at once: enough to make what a piece begins and
// ends with negligible, little enough for the workers to finish together. It is a multiple
// of a warp, so that instrumented kernels group operations as a GPU does.
const piece = 1 << 13

// Backend is the one CPU of this machine.
func Backend() device.Backend { return backend{} }

type backend struct{}

func (backend) Kind() string { return "cpu" }

func (backend) List() ([]device.Info, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	return []device.Info{info(runtime.GOMAXPROCS(0))}, nil
}

func (backend) Open(index int, opt device.Options) (device.Device, error) {
	if index != 0 {
		return nil, fmt.Errorf("device cpu:%d: there is one CPU, cpu", index)
	}
	if err := supported(); err != nil {
		return nil, err
	}
	threads := opt.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	if threads < 1 || threads > 1024 {
		return nil, fmt.Errorf("device cpu: threads is %d: it takes 1 to 1024, or 0 for all", opt.Threads)
	}
	if opt.Piece < 0 {
		return nil, fmt.Errorf("device cpu: piece is %d: it takes 1 or more, or 0 for %d", opt.Piece, piece)
	}
	catchFaults()
	return &Device{
		crew:   crew{threads: threads, together: opt.Piece > 0},
		piece:  uint64(cmp.Or(opt.Piece, piece)),
		blocks: map[device.Addr][]byte{},
	}, nil
}

// supported says whether this processor runs what the kernels were compiled for.
func supported() error {
	if runtime.GOARCH == "amd64" && !(cpu.X86.HasAVX2 && cpu.X86.HasBMI2 && cpu.X86.HasFMA && cpu.X86.HasCX16) {
		return fmt.Errorf("device cpu: the kernels are compiled for x86-64-v3 (AVX2, BMI2, FMA), which this processor lacks; " +
			"set -march in kernels/kernels.go and build again")
	}
	return nil
}

// Device is a CPU with a number of worker threads.
type Device struct {
	crew    crew
	piece   uint64
	blocks  map[device.Addr][]byte
	running atomic.Int64 // launches that have not ended
}

// Info describes the processor.
func (d *Device) Info() device.Info { return info(d.crew.threads) }

func info(threads int) device.Info {
	total, _ := memory()
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x86-64-v3"
	}
	return device.Info{Name: "cpu", Model: model(), Threads: threads, Memory: total, Arch: arch}
}

func model() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// memory returns the bytes in all and those available.
func memory() (total, free int64) {
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "MemTotal":
			total = kib << 10
		case "MemAvailable":
			return total, kib << 10
		}
	}
	return total, free
}

// Free is the memory that the system could still give.
func (d *Device) Free() (int64, error) {
	_, free := memory()
	return free, nil
}

// notable is the size from which on an allocation may be too large for the machine.
// To ask the system takes longer than to make a small one.
const notable = 1 << 24

// Alloc obtains memory from the system.
func (d *Device) Alloc(bytes int64) (device.Addr, error) {
	if bytes >= notable {
		if _, free := memory(); bytes > free {
			return 0, fmt.Errorf("device cpu: %d bytes asked for, %d free", bytes, free)
		}
	}
	take := obtain
	if guarded {
		take = obtainGuarded
	}
	block, err := take(max(bytes, 1))
	if err != nil {
		return 0, fmt.Errorf("device cpu: %d bytes asked for: %w", bytes, err)
	}
	at := addressOf(block)
	d.blocks[at] = block
	return at, nil
}

// AllocHost is Alloc: a CPU's memory is the host's.
func (d *Device) AllocHost(bytes int64) (device.Addr, error) { return d.Alloc(bytes) }

// Release gives it back.
func (d *Device) Release(at device.Addr) error {
	block, ok := d.blocks[at]
	if !ok {
		return fmt.Errorf("device cpu: address %#x was not allocated here", at)
	}
	delete(d.blocks, at)
	if guarded {
		return giveBackGuarded(block)
	}
	return giveBack(block)
}

// Set fills memory, by all workers: pages are touched for the first time here.
func (d *Device) Set(at device.Addr, value byte, bytes int64) error {
	const share = 1 << 22
	return d.crew.run(nil, fillBody, uintptr(value), uintptr(at), uint64(bytes), share)
}

// Write copies to the device's memory, which is the host's.
func (d *Device) Write(at device.Addr, src []byte) error {
	copy(slice(at, int64(len(src))), src)
	return nil
}

// Read copies from it.
func (d *Device) Read(dst []byte, at device.Addr) error {
	copy(dst, slice(at, int64(len(dst))))
	return nil
}

// Prepare has nothing to load, but a kernel may be missing.
func (d *Device) Prepare(names ...string) error {
	for _, name := range names {
		if _, ok := kernels.FindHost(name); !ok {
			return fmt.Errorf("device cpu: there is no kernel %s", name)
		}
	}
	return nil
}

// Launch runs a kernel and waits for it.
func (d *Device) Launch(name string, table, batch device.Addr, count uint64) error {
	return d.launch(name, uintptr(table), uintptr(batch), count)
}

// Call is Launch: memory is memory.
func (d *Device) Call(name string, table, batch []byte, count uint64) error {
	defer runtime.KeepAlive(table)
	defer runtime.KeepAlive(batch)
	return d.launch(name, address(table), address(batch), count)
}

func address(block []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(block))) }

func (d *Device) launch(name string, table, batch uintptr, count uint64) error {
	kernel, ok := kernels.FindHost(name)
	if !ok {
		return d.Prepare(name)
	}
	d.running.Add(1)
	defer d.running.Add(-1)
	return d.crew.run(kernel.CName(), kernel.Body(), table, batch, count, d.piece)
}

// Time runs f by the system's monotonic clock; launches have ended when it returns.
func (d *Device) Time(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}

// SurvivesHang is so: a kernel that hangs keeps its threads and its own memory, and others
// get new threads.
func (d *Device) SurvivesHang() bool { return true }

// Close gives back what was not released. While a kernel that hangs uses it, that
// would end the process, so it stays.
func (d *Device) Close() error {
	if d.running.Load() > 0 {
		return fmt.Errorf("device cpu: a kernel still runs; its memory is kept until the program ends")
	}
	d.crew.end()
	for at := range d.blocks {
		if err := d.Release(at); err != nil {
			return err
		}
	}
	return nil
}
