package cpu

/*
#include <stdlib.h>
#include "guard.h"
#include "terminal.h"
*/
import "C"

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// catchFaults installs the signal handler that names a crashing kernel on standard error and
// ends the process. Faults outside kernels go to Go's handler.
var catchFaults = sync.OnceFunc(func() {
	if !guarded {
		setPrefix("hashzoo: ")
	}
	C.guard_catch_faults()
})

// Remember saves the state of a terminal. If a kernel crashes before forget is called, the
// handler restores that state and writes text.
func Remember(terminal *os.File, text string) (forget func()) {
	sequence := C.CString(text)
	defer C.free(unsafe.Pointer(sequence))
	C.terminal_remember(C.int(terminal.Fd()), sequence)
	return func() { C.terminal_forget() }
}

func setPrefix(prefix string) {
	text := C.CString(prefix)
	defer C.free(unsafe.Pointer(text))
	C.guard_prefix(text)
}

// Guarded memory catches kernels of untrusted code that leave their blocks: the pages around a block are inaccessible,
// and the bytes between, which exist because blocks are aligned, are marked and checked on release.

// guarded is set by Guard and never unset.
var guarded bool

// Guard guards all memory that is allocated later. The message about a fault starts with prefix.
func Guard(prefix string) {
	setPrefix(prefix)
	guarded = true
}

// mappings holds the whole mapping of each guarded block.
var mappings sync.Map // from *byte, the start of the block, to []byte

const (
	aligned = 256
	mark    = 0xa5
)

// obtainGuarded maps a block between two inaccessible pages.
func obtainGuarded(bytes int64) ([]byte, error) {
	page := int64(os.Getpagesize())
	room := (bytes + aligned - 1) / aligned * aligned
	inner := (room + page - 1) / page * page
	mapping, err := unix.Mmap(-1, 0, int(inner+2*page), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, err
	}
	end := page + inner
	start := end - room
	for _, margin := range [][]byte{mapping[page:start], mapping[start+bytes : end]} {
		for i := range margin {
			margin[i] = mark
		}
	}
	if err := cmp.Or(unix.Mprotect(mapping[:page], unix.PROT_NONE), unix.Mprotect(mapping[end:], unix.PROT_NONE)); err != nil {
		return nil, err
	}
	block := mapping[start:][:bytes:bytes]
	mappings.Store(unsafe.SliceData(block), mapping)
	C.guard_add(number(mapping), number(mapping)+C.uintptr_t(len(mapping)), number(block), number(block)+C.uintptr_t(bytes))
	return block, nil
}

func number(b []byte) C.uintptr_t { return C.uintptr_t(addressOf(b)) }

// giveBackGuarded unmaps a block and reports writes to the marked bytes around it.
func giveBackGuarded(block []byte) (wrong error) {
	found, _ := mappings.LoadAndDelete(unsafe.SliceData(block))
	mapping := found.([]byte)
	C.guard_remove(number(mapping))
	page := os.Getpagesize()
	start := int(number(block) - number(mapping))
	for where, margin := range map[string][]byte{
		"before the start": mapping[page:start], "past the end": mapping[start+len(block) : len(mapping)-page],
	} {
		if n := len(margin) - bytes.Count(margin, []byte{mark}); n > 0 {
			wrong = fmt.Errorf("a kernel wrote %d bytes %s of a block of %d bytes", n, where, len(block))
		}
	}
	if err := unix.Munmap(mapping); err != nil {
		return err
	}
	return wrong
}
