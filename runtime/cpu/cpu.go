// Package cpu is the CPU backend: worker threads (workers.h) run the host build of the kernels. A launch is split into
// pieces, which the workers take in turn; the result does not depend on which worker takes which piece.
package cpu

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// piece is how many items a worker takes at a time: large enough to cost little, small enough for workers to finish
// together, and a multiple of a warp, so that instrumented kernels group operations as a GPU does.
const piece = 1 << 13

// longest is a piece of a large batch that combines values: rows of one key meet within a piece.
const longest = 1 << 17

// Backend returns the CPU backend. A machine has one CPU device.
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
		return nil, fmt.Errorf("device cpu:%d: this machine has one CPU device, cpu", index)
	}
	if err := supported(); err != nil {
		return nil, err
	}
	threads := cmp.Or(opt.Threads, runtime.GOMAXPROCS(0))
	if threads < 1 || threads > 1024 {
		return nil, fmt.Errorf("device cpu: threads is %d: it takes 1 to 1024, or 0 for all", opt.Threads)
	}
	if opt.Piece < 0 {
		return nil, fmt.Errorf("device cpu: piece is %d: it takes 1 or more, or 0 for the default, %d", opt.Piece, piece)
	}
	catchFaults()
	return &Device{
		workers: workers{threads: threads, together: opt.Piece > 0},
		piece:   uint64(opt.Piece),
		blocks:  map[device.Addr][]byte{},
	}, nil
}

// supported checks that this processor has the instructions that the kernels use.
func supported() error {
	if runtime.GOARCH == "amd64" && !(cpu.X86.HasAVX2 && cpu.X86.HasBMI2 && cpu.X86.HasFMA && cpu.X86.HasCX16) {
		return fmt.Errorf("device cpu: the kernels are compiled for x86-64-v3 (AVX2, BMI2, FMA), which this processor lacks; " +
			"hint: set -march in kernels/library.go and rebuild")
	}
	return nil
}

// Device is a CPU with its worker threads.
type Device struct {
	workers  workers
	piece    uint64 // 0: pieceOf decides
	blocks   map[device.Addr][]byte
	running  atomic.Int64 // launches in progress
	see      func(device.Step)
	verbs    bool // are seen, too
	compiled time.Duration
	laps     device.Laps
}

func (d *Device) Info() device.Info    { return info(d.workers.threads) }
func (d *Device) Free() (int64, error) { return memory("MemAvailable"), nil }

func info(threads int) device.Info {
	i := installed()
	i.Threads = threads
	return i
}

// installed is the machine's processor and memory, read once: every table asks for them.
var installed = sync.OnceValue(func() device.Info {
	i := device.Info{Name: "cpu", Model: cmp.Or(field("/proc/cpuinfo", "model name"), runtime.GOARCH), Memory: memory("MemTotal"), Arch: runtime.GOARCH}
	if i.Arch == "amd64" {
		i.Arch = "x86-64-v3"
	}
	return i
})

// field returns the first value of that name in "name: value" lines.
func field(file, name string) string {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func memory(name string) int64 {
	kib, _ := strconv.ParseInt(strings.TrimSuffix(field("/proc/meminfo", name), " kB"), 10, 64)
	return kib << 10
}

// notable is the smallest allocation that is checked against the free memory; the check takes a while.
const notable = 1 << 24

func (d *Device) Alloc(bytes int64) (device.Addr, error) {
	if bytes >= notable {
		if free := memory("MemAvailable"); bytes > free {
			return 0, fmt.Errorf("device cpu: allocate %d bytes: only %d bytes are free", bytes, free)
		}
	}
	take := lists.Either(guarded, obtainGuarded, obtain)
	block, err := take(max(bytes, 1))
	if err != nil {
		return 0, fmt.Errorf("device cpu: allocate %d bytes: %w", bytes, err)
	}
	at := addressOf(block)
	d.blocks[at] = block
	return at, nil
}

// AllocHost is Alloc: a CPU uses host memory.
func (d *Device) AllocHost(bytes int64) (device.Addr, error) { return d.Alloc(bytes) }

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

// Set fills memory with all workers, because it is often the first touch of every page.
func (d *Device) Set(at device.Addr, value byte, bytes int64) error {
	const share = 1 << 22
	return d.workers.run(nil, fillBody, uintptr(value), uintptr(at), uint64(bytes), share)
}

func (d *Device) Write(at device.Addr, src []byte) error {
	copy(slice(at, int64(len(src))), src)
	return nil
}

func (d *Device) Read(dst []byte, at device.Addr) error {
	copy(dst, slice(at, int64(len(dst))))
	return nil
}

// CopyFrom copies from the memory of any CPU device of this process.
func (d *Device) CopyFrom(_ device.Device, to, from device.Addr, bytes int64) error {
	copy(slice(to, bytes), slice(from, bytes))
	return nil
}

// Compiled returns how long the kernels took to compile that the program was built without.
func (d *Device) Compiled() time.Duration { return d.compiled }

func (d *Device) Prepare(names ...string) error {
	began := time.Now()
	defer func() { d.compiled += time.Since(began) }()
	if err := kernels.Obtain(false, names...); err != nil {
		return fmt.Errorf("device cpu: %w", err)
	}
	for _, name := range names {
		if _, ok := kernels.FindHost(name); !ok {
			return fmt.Errorf("device cpu: unknown kernel %s", name)
		}
	}
	return nil
}

// Call is Launch: kernels read the blocks where they are.
func (d *Device) Call(name string, table, batch []byte, count uint64) error {
	defer runtime.KeepAlive(table)
	defer runtime.KeepAlive(batch)
	return d.Launch(name, addressOf(table), addressOf(batch), count)
}

func (d *Device) Launch(name string, table, batch device.Addr, count uint64) error {
	kernel, ok := kernels.FindHost(name)
	if !ok {
		return d.Prepare(name)
	}
	d.running.Add(1)
	defer d.running.Add(-1)
	if kernel.Go != nil {
		d.runGo(kernel.Go, table, batch, count)
		return nil
	}
	return d.watched(kernel.Observe, func() error {
		return d.workers.run(kernel.CName, kernel.Body, uintptr(table), uintptr(batch), count, d.pieceOf(name, count))
	})
}

// pieceOf returns how many items of a launch a worker takes at a time.
func (d *Device) pieceOf(kernel string, count uint64) uint64 {
	switch {
	case d.piece > 0:
		return d.piece
	case kernels.Combining(kernel):
		each := count / uint64(8*d.workers.threads)
		return min(max(each/piece*piece, piece), longest)
	}
	return piece
}

// Loaded reports whether the program has a kernel.
func (d *Device) Loaded(kernel string) bool {
	_, ok := kernels.FindHost(kernel)
	return ok
}

func (d *Device) SetHeap(int64) error    { return nil }
func (d *Device) AddState(*device.State) {}

// Mark returns nil: launches and copies end before they return.
func (d *Device) Mark() (device.Mark, error)    { return nil, nil }
func (d *Device) Wait(device.Mark) error        { return nil }
func (d *Device) Sequence(f func() error) error { return f() }

// Overlap is Lap: copies do not overlap with kernels.
func (d *Device) Overlap(lap int, _ []device.Mark, f func() error) (device.Mark, error) {
	return nil, d.Lap(lap, f)
}

// Lap adds up how long f took.
func (d *Device) Lap(lap int, f func() error) error {
	start := time.Now()
	err := f()
	d.laps[lap] += time.Since(start)
	return err
}

func (d *Device) Laps() device.Laps { return d.laps }

// Time runs f and measures with the monotonic clock; launches in f end before f returns.
func (d *Device) Time(f func() error) (time.Duration, error) {
	d.laps = device.Laps{}
	start := time.Now()
	err := f()
	drag(start)
	return time.Since(start), err
}

// SurvivesHang returns true: a hanging kernel keeps its threads, and other launches get new ones.
func (d *Device) SurvivesHang() bool { return true }

// Close frees all memory, except while a kernel hangs: unmapping its memory would crash the process.
func (d *Device) Close() error {
	if d.running.Load() > 0 {
		return fmt.Errorf("device cpu: a kernel is still running; its memory is freed when the program ends")
	}
	d.workers.end()
	return cmp.Or(lists.Map(slices.Collect(maps.Keys(d.blocks)), d.Release)...)
}

// Above this package, addresses of device memory are plain numbers. The garbage collector
// neither moves nor frees that memory, so converting them back is safe until Release.

func addressOf(block []byte) device.Addr {
	return device.Addr(uintptr(unsafe.Pointer(unsafe.SliceData(block))))
}

func slice(at device.Addr, bytes int64) []byte {
	// Not a plain conversion: vet assumes that uintptr-to-Pointer conversions refer to Go memory.
	address := uintptr(at)
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), bytes)
}

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
