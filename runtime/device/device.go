// Package device is the interface of hashzoo to a machine: memory, kernels by name, and a clock. The backends
// (runtime/cpu, runtime/cuda) implement it; the packages above do not know which one they use.
package device

import (
	"fmt"
	"runtime/debug"
	"time"
)

// Addr is an address in a device's memory. Zero is not a valid address.
type Addr uint64

// Info describes a device, for people and in results.
type Info struct {
	Name    string `json:"name" doc:"as commands take it: cpu, cuda:0, cpu*2"`
	Model   string `json:"model" doc:"of the processor or GPU"`
	Threads int    `json:"threads,omitempty" doc:"worker threads, or multiprocessors"`
	Memory  int64  `json:"memory_bytes" doc:"its memory"`
	Driver  string `json:"driver,omitempty" doc:"version, of a GPU"`
	Arch    string `json:"arch" doc:"x86-64-v3, sm_90"`
	Parts   int    `json:"parts,omitempty" doc:"devices that share the work"`
}

// Device runs kernels on its own memory. Only one goroutine at a time may use it.
type Device interface {
	Info() Info

	// Free returns how many bytes can still be allocated.
	Free() (int64, error)
	// Alloc returns memory that is aligned to 256 bytes and may be uninitialized.
	Alloc(bytes int64) (Addr, error)
	// AllocHost returns host memory that kernels reach by this address. On a GPU every access to it crosses the bus.
	AllocHost(bytes int64) (Addr, error)
	// Release frees memory from Alloc or AllocHost.
	Release(Addr) error

	// Set fills memory with one byte value.
	Set(at Addr, value byte, bytes int64) error
	// Write copies from the host, Read copies to it. Both wait for earlier launches.
	Write(at Addr, src []byte) error
	Read(dst []byte, at Addr) error

	// Prepare compiles and loads kernels ahead of their first launch. A kernel that this device cannot run is an error.
	Prepare(kernels ...string) error
	// Launch runs a prepared kernel over count items. It may return before the kernel
	// ends; Time, Read and Write wait for it.
	Launch(kernel string, table, batch Addr, count uint64) error
	// Call is Launch for the kernels of schemes, which take their table and batch block
	// by value. The blocks must not change before the kernel ends.
	Call(kernel string, table, batch []byte, count uint64) error
	// Time runs f and returns how long the device took for everything that f launched,
	// filled and copied, by the device's own clock.
	Time(f func() error) (time.Duration, error)
	// Lap is Time for a part of what Time runs.
	Lap(lap int, f func() error) error
	// Laps returns these times since Time began. Work that overlaps counts in each.
	Laps() Laps
	// Loaded reports whether a kernel is ready for launching.
	Loaded(kernel string) bool
	// Compiled returns how long Prepare has taken so far.
	Compiled() time.Duration
	Peer

	// SetHeap sets the size of the heap that malloc in kernels takes from, before any kernel uses it. A CPU has no such limit.
	SetHeap(bytes int64) error
	// AddState adds the device's clocks, temperature and power to a state, in a millisecond or so. A CPU has none of its own.
	AddState(*State)

	// SurvivesHang reports whether other kernels can run while one hangs.
	SurvivesHang() bool

	Close() error
}

// MostLaps is the number of kinds of work that Time can tell apart.
const MostLaps = 4

// Laps has the time of each kind of work.
type Laps [MostLaps]time.Duration

// Step is an event of an instrumented kernel.
type Step struct {
	Event int    // an index of kernels.Events
	At    Addr   // the memory that was touched
	Bytes uint64 // how much of it
	Key   uint64 // of a visit: the key in hand,
	Place uint32 // the number of the place,
	Step  uint32 // and how many places came before; of verbs, see abi.h
}

// Observable is a device that can report the steps of kernels.
type Observable interface {
	// Watch calls onStep at every step of the instrumented kernels that follow, while the kernel waits; nil ends that.
	// With verbs, it also reports the verbs of all tiles of a warp, and the values that an idle tile would change.
	Watch(onStep func(Step), verbs bool) error
}

// Asynchronous is a device that works while the host goes on.
type Asynchronous interface {
	// TimeWithin is Time. If the device is still busy `limit` after f, it is late, and must not be used any more.
	TimeWithin(limit time.Duration, f func() error) (took time.Duration, late bool, err error)
	// Fetch, called inside Time, queues a read of a few bytes, which are there when Time returns.
	Fetch(dst []byte, at Addr) error
}

// Backend finds and opens the devices of one kind.
type Backend interface {
	// Kind is the first part of a device name: cpu, cuda.
	Kind() string
	// List returns the devices, or an error that says why there is none.
	List() ([]Info, error)
	// Open opens a device by its number within the kind.
	Open(index int, opt Options) (Device, error)
}

// Options are the user's choices for a device.
type Options struct {
	Threads int // worker threads of a CPU; 0 means all
	// Piece is how many items a CPU worker takes at a time; 0 selects the fastest size.
	// Checks use small pieces to make workers collide on small batches.
	Piece int
}

// Caught calls f and turns a panic into an error. An unrecovered panic on any goroutine
// would end the program without restoring the terminal or writing results.
func Caught(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v: %s", r, debug.Stack())
		}
	}()
	return f()
}

// State holds readings of a machine and a device at one moment. Unknown readings are absent, never zero.
type State struct {
	Figures   map[string]float64 // by the names below
	Governor  string             // how the system chooses the clock of the CPU
	Throttled []string           // why a GPU holds back its clocks; nil: it does not say
	Free      int64              // bytes of the device's memory
}

// The names of figures.
const (
	CPUClock       = "cpu_mhz"
	CPUTemperature = "cpu_celsius"
	CPUPower       = "cpu_watts"
	CPUWaiting     = "cpu_others" // other threads of the machine that run or wait for a CPU
	GPUClock       = "gpu_mhz"
	GPUMemoryClock = "gpu_memory_mhz"
	GPUTemperature = "gpu_celsius"
	GPUPower       = "gpu_watts"
)

// Set adds a figure.
func (s *State) Set(name string, value float64) {
	if s.Figures == nil {
		s.Figures = map[string]float64{}
	}
	s.Figures[name] = value
}
