// Package columnar reads the messages of Arrow files that are not trusted.
package columnar

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Damaged is an error of a file that is not what it should be.
type Damaged struct{ error }

// NewDamaged says of an error that the file is to blame.
func NewDamaged(err error) Damaged { return Damaged{err} }

// Guard makes an error of a panic: the library panics on some damaged files.
func Guard(read func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = Damaged{fmt.Errorf("%v", r)}
		}
	}()
	return read()
}

// Allowance is an allocator that gives so much and no more: what a file says of
// its sizes may be wrong. The library turns its panic into an error, or Guard does.
type Allowance struct {
	memory.Allocator
	left int
}

// mostHeld is what reading a file may hold, besides the numbers.
const mostHeld = 1 << 30

// NewAllowance makes an allocator.
func NewAllowance() *Allowance { return &Allowance{memory.NewGoAllocator(), mostHeld} }

func (a *Allowance) take(bytes int) {
	if a.left -= bytes; a.left < 0 {
		panic(fmt.Sprintf("it needs more than %d bytes of memory at once", mostHeld))
	}
}

// Allocate takes memory.
func (a *Allowance) Allocate(bytes int) []byte {
	a.take(bytes)
	return a.Allocator.Allocate(bytes)
}

// Reallocate changes how much.
func (a *Allowance) Reallocate(bytes int, b []byte) []byte {
	a.take(bytes - len(b))
	return a.Allocator.Reallocate(bytes, b)
}

// Free gives it back.
func (a *Allowance) Free(b []byte) {
	a.left += len(b)
	a.Allocator.Free(b)
}
