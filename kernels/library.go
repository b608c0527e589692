// Package kernels holds the device code and carries both builds of it: the host build,
// which cgo compiles into this package, and the PTX for GPUs, embedded.
//
// The headers in this folder are the only implementation of what schemes share. abi.h is
// the interface between device code and Go; abi_generated.go is that header in Go.
//
// The host build has debug information only under the sanitizers, which print source lines. With
// everything inlined, writing it takes as long as the rest of the compilation.
package kernels

//go:generate ./generate.sh

/*
#cgo CXXFLAGS: -std=c++20 -O3 -fno-exceptions -fno-rtti -Wall -Wextra -Werror
#cgo !asan CXXFLAGS: -g0
#cgo amd64 CXXFLAGS: -march=x86-64-v3
#cgo arm64 CXXFLAGS: -march=armv8.1-a
#cgo LDFLAGS: -lstdc++ -ldl
#include <stdlib.h>
#include "abi.h"
#include "library.h"
#include "selftest_abi.h"
#include "sort_abi.h"
#include "partition_abi.h"
extern uint64_t hz_wide_step;
extern const char *hz_events;
extern const char *hz_verbs;
*/
import "C"

import (
	"bytes"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Limits and constants of abi.h.
const (
	ABIVersion  = C.HZ_ABI_VERSION
	MaxHashes   = C.HZ_MAX_HASHES
	MaxRegions  = C.HZ_MAX_REGIONS
	Warp        = C.HZ_WARP
	ScanPiece   = C.HZ_SCAN_PIECE
	SplitPiece  = C.HZ_SPLIT_PIECE
	SplitGroups = C.HZ_SPLIT_GROUPS
	SplitBits   = C.HZ_SPLIT_BITS
	MaxParts    = C.HZ_MAX_PARTS
	SortParts   = C.HZ_SORT_PARTS
	AheadBytes  = C.HZ_AHEAD_BYTES
	MaxArgs     = C.HZ_MAX_ARGS
	SharedOr    = C.HZ_OR // words of the self-tests
	SharedAnd   = C.HZ_AND
	SharedWords = C.HZ_WORDS
	Locks       = C.HZ_LOCKS
	MaxSteps    = C.HZ_MAX_STEPS
	MaxStack    = C.HZ_MAX_STACK

	Fast, Universal                   = C.HZ_FAST, C.HZ_UNIVERSAL
	SortSample, SortMarks             = C.HZ_SORT_SAMPLE, C.HZ_SORT_MARKS
	BulkNowhere, BulkOnCPU, BulkOnGPU = C.HZ_BULK_NOWHERE, C.HZ_BULK_ON_CPU, C.HZ_BULK_ON_GPU
)

// Compiler returns the name of the compiler of the host build.
func Compiler() string { return C.GoString(C.hz_compiler) }

// WideStep is the difference between the words of a wide value (pair.h).
var WideStep = uint64(C.hz_wide_step)

// Bytes returns the memory of a block, for copying to a device.
func Bytes[T any](block *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(block)), unsafe.Sizeof(*block))
}

// BytesOf returns the memory of numbers; hosts and devices are little-endian.
func BytesOf[T uint32 | uint64](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(T(0))))
}

// Lists of abi.h: the names of outcomes and counters are at the index that is their number. Lengths are the counters of
// operations by number of probes, fewest first. Events are the steps that instrumented kernels report, and Verbs what
// tiles of a warp do together.
var (
	Outcomes = strings.Fields(C.GoString(C.hz_outcomes))
	Counters = strings.Fields(C.GoString(C.hz_counters))
	Lengths  = strings.Fields(C.GoString(C.hz_lengths))
	Events   = strings.Fields(C.GoString(C.hz_events))
	Verbs    = strings.Fields(C.GoString(C.hz_verbs))
)

// CounterBytes is the size of a launch's counters, in all their sets.
const CounterBytes = 8 * counterSets * counterStride

// Compares is the bit of an observer that compares verbs.
const Compares = C.HZ_COMPARES

const (
	counterSets   = C.HZ_COUNTER_SETS
	counterStride = C.HZ_COUNTER_STRIDE
)

// Counted adds up the sets of counters in that memory.
func Counted(memory []byte) []uint64 {
	counts := make([]uint64, len(Counters))
	for set := range counterSets {
		for i := range counts {
			counts[i] += binary.LittleEndian.Uint64(memory[8*(set*counterStride+i):])
		}
	}
	return counts
}

// Host is a kernel of the host build.
type Host struct {
	Name    string
	CName   unsafe.Pointer // the name as a C string, which is never freed
	Body    unsafe.Pointer // a C function of type hz_body (library.h)
	Observe unsafe.Pointer // the C function of its library that sets the observer of the calling thread
	launch  C.hz_launch    // of a library for GPUs

	Go Body // instead of Body: a kernel in Go
}

// Body is a kernel in Go: it carries out `count` items of a batch, starting at `first`. Several goroutines call it at
// the same time.
type Body func(table *Table, batch *Batch, first, count uint64)

// InGo makes the kernels of schemes that have them in Go, for a kind of pair and an operation, by the scheme's name.
var InGo = map[string]func(pair, op string) Body{}

// Schemes returns the names of the schemes whose kernels are linked into the program or loaded.
func Schemes() []string {
	all.RLock()
	defer all.RUnlock()
	return slices.AppendSeq(slices.Collect(maps.Keys(InGo)), maps.Keys(all.host.args))
}

// Run calls the kernel for `count` items starting at `first`. Several goroutines may call
// it concurrently for different items of one batch.
func (h Host) Run(table, batch uintptr, first, count uint64) {
	C.hz_call(C.hz_body(h.Body), C.uint64_t(table), C.uint64_t(batch), C.uint64_t(first), C.uint64_t(count))
}

// Launch calls a kernel of a library for GPUs, on the thread whose current context is the GPU's.
func (h Host) Launch(table, batch []byte, count uint64) error {
	table, batch = bytes.Clone(table), bytes.Clone(batch) // which may lie beside Go pointers
	wrong := C.hz_call_gpu(h.launch, C.hz_body(h.Body), unsafe.Pointer(unsafe.SliceData(table)), unsafe.Pointer(unsafe.SliceData(batch)), C.uint64_t(count))
	if wrong == nil {
		return nil
	}
	return errors.New(C.GoString(wrong))
}

// Library is a set of host kernels that were compiled together: those of this program, or those of a plugin.
type Library struct {
	ABI     int  // the version of abi.h they were compiled with
	OnGPU   bool // they are functions on the host that use a GPU (reference_gpu.h)
	kernels map[string]Host
	args    map[string][]string       // by scheme
	hosts   map[string]unsafe.Pointer // by scheme: its host side, a C struct of type hz_host (library.h)
}

// read lists the contents of a library.
func read(l *C.hz_library) Library {
	list := Library{ABI: int(l.abi), OnGPU: l.launch != nil, kernels: map[string]Host{}, args: map[string][]string{}, hosts: map[string]unsafe.Pointer{}}
	if list.ABI != ABIVersion {
		return list // another version's lists have an unknown layout
	}
	for k := l.kernels; k != nil; k = k.next {
		name := C.GoString(k.name)
		list.kernels[name] = Host{Name: name, CName: unsafe.Pointer(k.name), Body: unsafe.Pointer(k.body), Observe: unsafe.Pointer(l.observe), launch: l.launch}
	}
	for a := l.args; a != nil; a = a.next {
		list.args[C.GoString(a.scheme)] = strings.Fields(C.GoString(a.names))
	}
	for h := l.hosts; h != nil; h = h.next {
		list.hosts[C.GoString(h.scheme)] = unsafe.Pointer(h)
	}
	return list
}

// Open loads a plugin's shared object. That runs code of the plugin and cannot be undone.
// Its kernels are found by name only after Add.
func Open(path string) (Library, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var wrong *C.char
	l := C.hz_open(name, &wrong)
	if l == nil {
		defer C.free(unsafe.Pointer(wrong))
		return Library{}, fmt.Errorf("%s", C.GoString(wrong))
	}
	return read(l), nil
}

// Names returns the names of the library's kernels, sorted.
func (l Library) Names() []string { return slices.Sorted(maps.Keys(l.kernels)) }

// Args returns the run-time parameters of a scheme of this library.
func (l Library) Args(scheme string) ([]string, bool) {
	args, ok := l.args[scheme]
	return args, ok
}

// Renamed returns the library with the kernels of one scheme under another scheme's name.
func (l Library) Renamed(scheme, name string) Library {
	renamed := Library{ABI: l.ABI, OnGPU: l.OnGPU, kernels: map[string]Host{}, args: named(l.args, scheme, name), hosts: named(l.hosts, scheme, name)}
	for _, k := range l.kernels {
		k.Name = KernelsOf(scheme, name).Replace(k.Name)
		renamed.kernels[k.Name] = k
	}
	return renamed
}

// named has what a map has under one name under another.
func named[T any](list map[string]T, from, to string) map[string]T {
	if at, ok := list[from]; ok {
		return map[string]T{to: at}
	}
	return nil
}

// KernelsOf replaces the names of a scheme's kernels by those of another scheme's.
func KernelsOf(scheme, name string) *strings.Replacer {
	return strings.NewReplacer("hz_"+scheme+"_", "hz_"+name+"_")
}

// all holds every kernel that can be found by name: the program's and those added since.
// The lock is needed because kernels are launched while others are added.
var all = struct {
	sync.RWMutex
	host Library
	ptx  map[string]PTX // added kernels; the program's own are in ptxKernels
	gpu  map[string]Host
}{host: read(C.hz_built_in()), ptx: map[string]PTX{}, gpu: map[string]Host{}}

// AddGo registers a kernel in Go.
func AddGo(name string, body Body) {
	Add(Library{kernels: map[string]Host{name: {Name: name, Go: body}}}, nil)
}

// Add registers kernels, whose names must be new, for CPUs and GPUs.
func Add(host Library, gpu []PTX) {
	all.Lock()
	defer all.Unlock()
	if host.OnGPU {
		maps.Copy(all.gpu, host.kernels)
	} else {
		maps.Copy(all.host.kernels, host.kernels)
	}
	maps.Copy(all.host.args, host.args)
	maps.Copy(all.host.hosts, host.hosts)
	for _, p := range gpu {
		keepOldest(all.ptx, p)
	}
}

// supply makes kernels that no library has; nil if nothing can.
var supply func(gpu bool, names []string) error

// Supply sets what makes kernels that no library has, and adds them.
func Supply(with func(gpu bool, names []string) error) { supply = with }

// obtaining counts the calls of Obtain that wait for kernels.
var obtaining atomic.Int64

// Obtaining reports whether kernels are being made, which takes seconds.
func Obtaining() bool { return obtaining.Load() > 0 }

// Obtain has kernels made that no library has. Names that nobody knows are left to whoever looks for the kernels.
func Obtain(gpu bool, names ...string) error {
	missing := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		if gpu {
			_, ok := FindPTX(name)
			return ok
		}
		_, ok := FindHost(name)
		return ok
	})
	if len(missing) == 0 || supply == nil || gpu && len(PTXNames()) == 0 {
		return nil
	}
	obtaining.Add(1)
	defer obtaining.Add(-1)
	return supply(gpu, missing)
}

// find looks a name up while nothing is added.
func find[T any](list map[string]T, name string) (T, bool) {
	all.RLock()
	defer all.RUnlock()
	found, ok := list[name]
	return found, ok
}

// FindHost returns the host kernel with a name.
func FindHost(name string) (Host, bool) { return find(all.host.kernels, name) }

// FindGPU returns the kernel of a library for GPUs with a name.
func FindGPU(name string) (Host, bool) { return find(all.gpu, name) }

// HostNames returns the names of all host kernels, unsorted.
func HostNames() []string {
	all.RLock()
	defer all.RUnlock()
	return slices.Collect(maps.Keys(all.host.kernels))
}

// Args returns the run-time parameters that a scheme's kernels read from Table.Arg, in order.
func Args(scheme string) ([]string, bool) { return find(all.host.args, scheme) }

// HostSide returns the host side of a scheme, a C struct of type hz_host (library.h); nil if it has none.
func HostSide(scheme string) unsafe.Pointer {
	side, _ := find(all.host.hosts, scheme)
	return side
}

// FindPTX returns the kernel with a name, in the version for the oldest GPUs.
func FindPTX(name string) (PTX, bool) {
	p, ok := find(all.ptx, name)
	if !ok {
		p, ok = ptxKernels()[name]
	}
	return p, ok
}

// PTXNames returns the names of all GPU kernels that a CPU has too, unsorted.
func PTXNames() []string {
	all.RLock()
	defer all.RUnlock()
	names := append(slices.Collect(maps.Keys(ptxKernels())), slices.Collect(maps.Keys(all.ptx))...)
	return slices.DeleteFunc(names, onlyOnGPU)
}

// Headers are the headers of this folder, for compiling kernels without a checkout. Sources are the files whose kernels,
// hz_FILE_..., few programs need: they are compiled then.
var (
	//go:embed *.h
	Headers embed.FS
	//go:embed selftest.cc split.cc
	Sources embed.FS
)

//go:embed flags.txt
var flagsText string

// Flags returns the words of a line of flags.txt.
func Flags(name string) []string {
	for line := range strings.Lines(flagsText) {
		if words := strings.Fields(line); len(words) > 0 && words[0] == name {
			return words[1:]
		}
	}
	return nil
}
