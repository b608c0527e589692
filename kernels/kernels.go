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
#include "abi.h"
#include "host.h"
extern uint64_t hz_wide_step;
*/
import "C"

import (
	"encoding/binary"
	"strings"
	"unsafe"
)

// Limits and constants of abi.h.
const (
	ABIVersion = C.HZ_ABI_VERSION
	MaxHashes  = C.HZ_MAX_HASHES
	MaxRegions = C.HZ_MAX_REGIONS
	MaxArgs    = C.HZ_MAX_ARGS
	MaxSteps   = C.HZ_MAX_STEPS
	MaxStack   = C.HZ_MAX_STACK

	Fast      = C.HZ_FAST
	Universal = C.HZ_UNIVERSAL
)

// Compiler returns the name of the compiler of the host build.
func Compiler() string { return C.GoString(C.hz_compiler) }

// WideStep is the difference between the words of a wide value (pair.h).
var WideStep = uint64(C.hz_wide_step)

// Bytes returns the memory of a block, for copying to a device.
func Bytes[T any](block *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(block)), unsafe.Sizeof(*block))
}

// Lists of abi.h: the names of outcomes and counters are at the index that is their number.
// Lengths are the counters of operations by number of probes, fewest first, and CounterHelp
// says what each counter counts.
var (
	Outcomes    = strings.Fields(C.GoString(C.hz_outcomes))
	Counters    = strings.Fields(C.GoString(C.hz_counters))
	Lengths     = strings.Fields(C.GoString(C.hz_lengths))
	CounterHelp = strings.Split(strings.TrimSuffix(C.GoString(C.hz_counter_help), "\n"), "\n")
)

// CounterBytes is the size of a launch's counters, in all their sets.
const CounterBytes = 8 * counterSets * counterStride

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
	Name string
	name *C.char
	body C.hz_body
}

// CName returns the name as a C string, which is never freed.
func (h Host) CName() unsafe.Pointer { return unsafe.Pointer(h.name) }

// Body returns the kernel itself: a C function of type hz_body (host.h).
func (h Host) Body() unsafe.Pointer { return unsafe.Pointer(h.body) }

// Run calls the kernel for `count` items starting at `first`. Several goroutines may call
// it concurrently for different items of one batch.
func (h Host) Run(table, batch uintptr, first, count uint64) {
	C.hz_call(h.body, C.uint64_t(table), C.uint64_t(batch), C.uint64_t(first), C.uint64_t(count))
}
