//go:build !asan

package cpu

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// hugePage is the size of huge pages, if the system has them.
const hugePage = 1 << 21

// mapped returns the size of the mapping for a block. From half a huge page on, it is a multiple of huge pages;
// otherwise it would be chance how much of a table is in huge pages, because the system uses none for a partial page.
func mapped(bytes int64) uintptr {
	return lists.Either(bytes < hugePage/2, uintptr(bytes), uintptr((bytes+hugePage-1)&^(hugePage-1)))
}

// obtain maps memory, in huge pages if possible: tables are read at random, and with small
// pages every read would miss the TLB too.
func obtain(bytes int64) ([]byte, error) {
	size := mapped(bytes)
	spare := lists.Either(size >= hugePage, uintptr(hugePage), 0) // room to align the start to a huge page
	before, err := unix.MmapPtr(-1, 0, nil, size+spare, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, err
	}
	if spare == 0 {
		return unsafe.Slice((*byte)(before), bytes), nil
	}
	skip := -uintptr(before) & (hugePage - 1)
	at := unsafe.Add(before, skip)
	if err := errors.Join(unmap(before, skip), unmap(unsafe.Add(at, size), spare-skip)); err != nil {
		return nil, err
	}
	// A system without huge pages refuses, and the pages stay small.
	_ = unix.Madvise(unsafe.Slice((*byte)(at), size), unix.MADV_HUGEPAGE)
	return unsafe.Slice((*byte)(at), bytes), nil
}

func unmap(at unsafe.Pointer, size uintptr) error {
	if size == 0 {
		return nil
	}
	return unix.MunmapPtr(at, size)
}

func giveBack(block []byte) error {
	return unmap(unsafe.Pointer(unsafe.SliceData(block)), mapped(int64(len(block))))
}
