package host

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// The table of a library (kernels/reference.h) lies outside of the program's allocations: one region has its address, and
// another the bytes that it has allocated, in several words.
const (
	booksBytes    = 4096
	makeReference = "make"
	dropReference = "drop"
)

// ReferenceKernels make such a table, and destroy it.
var ReferenceKernels = []string{makeReference, dropReference}

// Reference makes and destroys a scheme's tables by these kernels.
func Reference(s *schemes.Scheme) {
	launch := func(kernel string) func(schemes.Table) error {
		return func(t schemes.Table) error {
			_, err := t.Launch(schemes.Batch{Op: kernel, N: 1})
			return err
		}
	}
	s.Reference, s.Setup, s.Drop, s.Outside = true, launch(makeReference), launch(dropReference), booked
	s.Size = sizeOfReference
}

// sizeOfReference gives a library's table its address and its books. Everything else is up to the library.
func sizeOfReference(c schemes.Config, s schemes.Shape) (schemes.Layout, error) {
	if s.Bytes > 0 {
		return schemes.Layout{}, &schemes.Lack{What: "no size in bytes, which its library decides",
			Text: fmt.Sprintf("scheme %s: its library decides how many bytes a table takes; hint: give n or capacity", c.Name)}
	}
	slots, err := s.Slots()
	return schemes.Layout{Capacity: slots, Buckets: cmp.Or(s.N, slots), Regions: []schemes.Region{
		{Name: "table", Bytes: 8}, {Name: "books", Bytes: booksBytes},
	}}, err
}

// booked adds up the bytes that a library's table has taken.
func booked(t schemes.Table) (sum int64, err error) {
	books := make([]byte, booksBytes)
	err = t.Read(books, device.Addr(t.Block().Region[1]))
	for ; len(books) > 0; books = books[8:] {
		sum += int64(binary.NativeEndian.Uint64(books))
	}
	return sum, err
}
