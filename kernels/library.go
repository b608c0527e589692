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

// Library is host kernels that were compiled together: those of this program, or
// those of a plugin.
type Library struct {
	ABI     int // the version of abi.h that they were compiled with
	kernels map[string]Host
	args    map[string][]string // by scheme
}

// read lists what a library has.
func read(l *C.hz_library) Library {
	list := Library{ABI: int(l.abi), kernels: map[string]Host{}, args: map[string][]string{}}
	if list.ABI != ABIVersion {
		return list // its lists may be anything
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

// Open loads the shared object of a plugin, which runs code of it, and which cannot be
// undone. Its kernels are found once they are added.
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

// Names returns the names of the library's kernels in order.
func (l Library) Names() []string { return slices.Sorted(maps.Keys(l.kernels)) }

// Args returns what Args returns of a scheme in all libraries.
func (l Library) Args(scheme string) ([]string, bool) {
	args, ok := l.args[scheme]
	return args, ok
}

// all is every kernel that is found by its name: those of the program, and those that
// were added since. Kernels are launched while others are added.
var all = struct {
	sync.RWMutex
	host Library
	ptx  map[string]PTX // what was added; those of the program are in ptxKernels
}{host: read(C.hz_built_in()), ptx: map[string]PTX{}}

// Add makes kernels known by their names, which must be new, for CPUs and for GPUs.
func Add(host Library, gpu []PTX) {
	all.Lock()
	defer all.Unlock()
	maps.Copy(all.host.kernels, host.kernels)
	maps.Copy(all.host.args, host.args)
	for _, p := range gpu {
		keepOldest(all.ptx, p)
	}
}

// FindHost returns the host kernel of that name.
func FindHost(name string) (Host, bool) {
	all.RLock()
	defer all.RUnlock()
	k, ok := all.host.kernels[name]
	return k, ok
}

// HostNames returns the names of all host kernels, in no order.
func HostNames() []string {
	all.RLock()
	defer all.RUnlock()
	return slices.Collect(maps.Keys(all.host.kernels))
}

// Args returns the run-time parameters that a scheme's kernels read from
// Table.Arg, in order.
func Args(scheme string) ([]string, bool) {
	all.RLock()
	defer all.RUnlock()
	return all.host.Args(scheme)
}

// FindPTX returns the kernel of that name, for the oldest GPUs that it is
// compiled for.
func FindPTX(name string) (PTX, bool) {
	all.RLock()
	p, ok := all.ptx[name]
	all.RUnlock()
	if !ok {
		p, ok = ptxKernels()[name]
	}
	return p, ok
}

// PTXNames returns the names of all kernels for GPUs, in no order.
func PTXNames() []string {
	all.RLock()
	defer all.RUnlock()
	return append(slices.Collect(maps.Keys(ptxKernels())), slices.Collect(maps.Keys(all.ptx))...)
}
