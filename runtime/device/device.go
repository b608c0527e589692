// Package device is what the rest of hashzoo knows of a machine: memory,
// kernels by name, and a clock. The backends (runtime/cpu, runtime/cuda)
// implement it; nothing above this package knows which one it talks to.
package device

import "time"

// Addr is an address in a device's memory. Zero is no address.
type Addr uint64

// Info describes a device for people and for results, whose documentation is made
// from it.
type Info struct {
	Name    string `json:"name" doc:"how the user names it: cpu, cuda:0"`
	Model   string `json:"model" doc:"the processor's or the GPU's own name"`
	Threads int    `json:"threads,omitempty" doc:"worker threads, or multiprocessors"`
	Memory  int64  `json:"memory_bytes" doc:"bytes in all"`
	Driver  string `json:"driver,omitempty" doc:"driver version; none for a CPU"`
	Arch    string `json:"arch" doc:"x86-64-v3, sm_90"`
}

// Device runs kernels on its own memory. A Device is used by one goroutine at
// a time.
type Device interface {
	Info() Info

	// Free says how many bytes can still be allocated.
	Free() (int64, error)
	// Alloc returns zeroed or unzeroed memory, aligned to 256 bytes.
	Alloc(bytes int64) (Addr, error)
	// AllocHost returns memory of the host that kernels reach by this address. On a
	// GPU every access to it goes over the bus.
	AllocHost(bytes int64) (Addr, error)
	// Release gives back what Alloc or AllocHost returned.
	Release(Addr) error

	// Set fills memory with one byte value.
	Set(at Addr, value byte, bytes int64) error
	// Write copies from the host, Read to it. Both wait for earlier launches.
	Write(at Addr, src []byte) error
	Read(dst []byte, at Addr) error

	// Prepare compiles and loads kernels, so that a later Launch costs nothing
	// but the launch. A name that this device cannot run is an error.
	Prepare(kernels ...string) error
	// Launch runs a prepared kernel over count items. It may return before the
	// kernel has ended; Time, Read and Write wait for it.
	Launch(kernel string, table, batch Addr, count uint64) error
	// Call is Launch for the kernels of schemes, which get their table and batch block
	// by value. The blocks must not change before the kernel has ended.
	Call(kernel string, table, batch []byte, count uint64) error
	// Time runs f and returns how long the device took for what f launched, filled and
	// copied, by the device's own clock.
	Time(f func() error) (time.Duration, error)

	// SurvivesHang says whether other kernels can run while one hangs.
	SurvivesHang() bool

	Close() error
}

// Backend finds and opens the devices of one kind.
type Backend interface {
	// Kind is the first part of a device name: cpu, cuda.
	Kind() string
	// List returns the devices that are there, or the reason why none is.
	List() ([]Info, error)
	// Open opens a device by its number within the kind.
	Open(index int, opt Options) (Device, error)
}

// Options are what a user may choose about a device.
type Options struct {
	Threads int // worker threads of a CPU; 0 means all
	// Piece is how many items a worker of a CPU takes at once; 0 chooses what is fast.
	// With few, the workers meet on small batches too, which checks make use of.
	Piece int
}
