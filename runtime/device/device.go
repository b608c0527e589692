// Package device defines what the rest of hashzoo knows about a machine: memory, kernels
// by name, and a clock. The backends (runtime/cpu, runtime/cuda) implement it; the
// packages above do not know which one they use.
package device

import "time"

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

	// Prepare compiles and loads kernels ahead of their first launch. A kernel that this
	// device cannot run is an error.
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
	// Lap runs f, a part of what Time runs, and counts the time for what f launched apart.
	Lap(lap int, f func() error) error
	// Laps are these times, since Time began. What went on at once counts in each.
	Laps() Laps

	// SurvivesHang reports whether other kernels can run while one hangs.
	SurvivesHang() bool

	Close() error
}

// MostLaps bounds the kinds of work that Time tells apart.
const MostLaps = 4

// Laps is how long each kind of work took.
type Laps [MostLaps]time.Duration

// Step is what an instrumented kernel has just done, or where it is.
type Step struct {
	Event int    // an index of kernels.Events
	At    Addr   // the memory that was touched
	Bytes uint64 // how much of it
	Key   uint64 // of a visit: the key in hand,
	Place uint32 // the number of the place,
	Step  uint32 // and how many places came before; of verbs, see abi.h
}

// Watched is a device that can report the steps of kernels.
type Watched interface {
	// Watch has a function called at every step of the instrumented kernels that follow,
	// while the kernel waits; nil ends that. With verbs, it also sees what tiles of a warp do together, and what an idle
	// tile would do.
	Watch(see func(Step), verbs bool) error
}

// Heaped is a device on which kernels that call malloc share a heap of a fixed size.
type Heaped interface {
	// Heap sets the size of the heap, before any kernel uses it.
	Heap(bytes int64) error
}

// Patient is a device that waits for what it times up to a limit.
type Patient interface {
	// TimeWithin is Time. If the device is still busy that long after f, it is late, and not to be used any more.
	TimeWithin(limit time.Duration, f func() error) (took time.Duration, late bool, err error)
}

// Fetching is a device that can read while what it times goes on.
type Fetching interface {
	// Fetch, called in what Time runs, has some bytes read after all that is timed: they are there when Time returns.
	Fetch(dst []byte, at Addr) error
}

// Leading is a device that has kernels which go ahead of others.
type Leading interface {
	// Leads reports whether there is such a kernel, which was prepared with the one behind it.
	Leads(kernel string) bool
}

// Compiling is a device that compiles or loads kernels when they are prepared.
type Compiling interface {
	// Compiled is how long that took so far.
	Compiled() time.Duration
}

// Compiled is how long a device compiled and loaded kernels so far; of a group, its parts one after the other.
func Compiled(d Device) (sum time.Duration) {
	for _, p := range PartsOf(d) {
		if c, compiles := Bare(p).(Compiling); compiles {
			sum += c.Compiled()
		}
	}
	return sum
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
