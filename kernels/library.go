package kernels

/*
#include <stdlib.h>
#include "host.h"
*/
import "C"

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// Library is a set of host kernels that were compiled together: those of this program, or
// those of a plugin.
type Library struct {
	ABI     int // the version of abi.h they were compiled with
	kernels map[string]Host
	args    map[string][]string // by scheme
}

// read lists the contents of a library.
func read(l *C.hz_library) Library {
	list := Library{ABI: int(l.abi), kernels: map[string]Host{}, args: map[string][]string{}}
	if list.ABI != ABIVersion {
		return list // another version's lists have an unknown layout
	}
	for k := l.kernels; k != nil; k = k.next {
		name := C.GoString(k.name)
		list.kernels[name] = Host{Name: name, name: k.name, body: k.body}
	}
	for a := l.args; a != nil; a = a.next {
		list.args[C.GoString(a.scheme)] = strings.Fields(C.GoString(a.names))
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
	renamed := Library{ABI: l.ABI, kernels: map[string]Host{}, args: map[string][]string{name: l.args[scheme]}}
	for _, k := range l.kernels {
		k.Name = KernelsOf(scheme, name).Replace(k.Name)
		renamed.kernels[k.Name] = k
	}
	return renamed
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
}{host: read(C.hz_built_in()), ptx: map[string]PTX{}}

// Add registers kernels, whose names must be new, for CPUs and GPUs.
func Add(host Library, gpu []PTX) {
	all.Lock()
	defer all.Unlock()
	maps.Copy(all.host.kernels, host.kernels)
	maps.Copy(all.host.args, host.args)
	for _, p := range gpu {
		keepOldest(all.ptx, p)
	}
}

// FindHost returns the host kernel with a name.
func FindHost(name string) (Host, bool) {
	all.RLock()
	defer all.RUnlock()
	k, ok := all.host.kernels[name]
	return k, ok
}

// HostNames returns the names of all host kernels, unsorted.
func HostNames() []string {
	all.RLock()
	defer all.RUnlock()
	return slices.Collect(maps.Keys(all.host.kernels))
}

// Args returns the run-time parameters that a scheme's kernels read from Table.Arg, in order.
func Args(scheme string) ([]string, bool) {
	all.RLock()
	defer all.RUnlock()
	return all.host.Args(scheme)
}

// FindPTX returns the kernel with a name, in the version for the oldest GPUs.
func FindPTX(name string) (PTX, bool) {
	all.RLock()
	p, ok := all.ptx[name]
	all.RUnlock()
	if !ok {
		p, ok = ptxKernels()[name]
	}
	return p, ok
}

// PTXNames returns the names of all GPU kernels, unsorted.
func PTXNames() []string {
	all.RLock()
	defer all.RUnlock()
	return append(slices.Collect(maps.Keys(ptxKernels())), slices.Collect(maps.Keys(all.ptx))...)
}
