package cpu

/*
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "terminal.h"
#include "workers.h"

enum { MOST = 1 << 12 };

// A block of memory [start, end) inside the mapping [low, high).
static struct { _Atomic uintptr_t low; uintptr_t high, start, end; } blocks[MOST];
static char fault[64];
static struct sigaction before[65];

static void tell(const char *line, int n) {
	terminal_put_back();
	if (write(2, line, n) < 0) _exit(1);
	_exit(1);
}

static void say(uintptr_t bytes, const char *where, uintptr_t size, const char *name) {
	const char *kernel = worker_kernel();
	char line[512];
	int n = snprintf(line, sizeof line, "%skernel %s touched byte %lu %s a block of %lu bytes (%s)\n",
		fault, kernel ? kernel : "?", (unsigned long)bytes, where, (unsigned long)size, name);
	tell(line, n);
}

static void crashed(uintptr_t at, const char *name) {
	char line[512];
	int n = snprintf(line, sizeof line, "%skernel %s crashed at address %#lx (%s)\n", fault, worker_kernel(), (unsigned long)at, name);
	tell(line, n);
}

static const char *name_of(int signal) {
	return signal == SIGSEGV ? "SIGSEGV" : signal == SIGBUS ? "SIGBUS" : signal == SIGFPE ? "SIGFPE" : "SIGILL";
}

static void caught(int signal, siginfo_t *info, void *context) {
	uintptr_t at = (uintptr_t)info->si_addr;
	for (int i = 0; i < MOST; i++) {
		uintptr_t low = atomic_load(&blocks[i].low);
		if (low == 0 || at < low || at >= blocks[i].high) continue;
		uintptr_t size = blocks[i].end - blocks[i].start;
		if (at >= blocks[i].end) say(at - blocks[i].end + 1, "past the end of", size, name_of(signal));
		say(blocks[i].start - at, "before the start of", size, name_of(signal));
	}
	if (worker_kernel()) crashed(at, name_of(signal));
	before[signal].sa_sigaction(signal, info, context);
}

static void catch_faults(void) {
	int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	for (int i = 0; i < 4; i++) {
		struct sigaction s = {0};
		s.sa_sigaction = caught;
		s.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
		sigfillset(&s.sa_mask);
		sigaction(signals[i], &s, &before[signals[i]]);
	}
}

static void set_prefix(const char *prefix) { strncpy(fault, prefix, sizeof fault - 1); }

static void add(uintptr_t low, uintptr_t high, uintptr_t start, uintptr_t end) {
	for (int i = 0; i < MOST; i++) {
		if (atomic_load(&blocks[i].low)) continue;
		blocks[i].high = high, blocks[i].start = start, blocks[i].end = end;
		atomic_store(&blocks[i].low, low);
		return;
	}
}
static void removed(uintptr_t low) {
	for (int i = 0; i < MOST; i++)
		if (atomic_load(&blocks[i].low) == low) atomic_store(&blocks[i].low, 0);
}
*/
import "C"

import (
	"bytes"
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
	C.catch_faults()
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
	C.set_prefix(text)
}

// Guarded memory catches kernels of untrusted code that leave their blocks. An inaccessible
// page precedes and follows each block; the crash handler names the block that a kernel
// left. The bytes between a block and these pages, which exist because blocks are aligned to
// 256 bytes, are marked and checked on release.

// guarded is set by Guard and never unset.
var guarded bool

// Guard guards all memory that is allocated later. The message about a fault starts with
// prefix.
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
	for _, outside := range [][]byte{mapping[:page], mapping[end:]} {
		if err := unix.Mprotect(outside, unix.PROT_NONE); err != nil {
			return nil, err
		}
	}
	block := mapping[start:][:bytes:bytes]
	mappings.Store(unsafe.SliceData(block), mapping)
	C.add(number(mapping), number(mapping)+C.uintptr_t(len(mapping)), number(block), number(block)+C.uintptr_t(bytes))
	return block, nil
}

func number(b []byte) C.uintptr_t { return C.uintptr_t(addressOf(b)) }

// giveBackGuarded unmaps a block and reports writes to the marked bytes around it.
func giveBackGuarded(block []byte) error {
	found, _ := mappings.LoadAndDelete(unsafe.SliceData(block))
	mapping := found.([]byte)
	C.removed(number(mapping))
	page := os.Getpagesize()
	start := int(number(block) - number(mapping))
	var wrong error
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
