// Package columnar guards Arrow's library against untrusted files.
package columnar

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Damaged blames the file for an error, in one line.
func Damaged(err error) error {
	return fmt.Errorf("the file is damaged: %.200s", strings.Join(strings.Fields(err.Error()), " "))
}

// Guard turns a panic into an error: the library panics on some damaged files.
func Guard(read func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = Damaged(fmt.Errorf("%v", r))
		}
	}()
	return read()
}

// Allowance is an allocator with a bound, because the sizes in a file may be wrong. It panics
// above the bound, and the library or Guard turns the panic into an error.
type Allowance struct {
	memory.Allocator
	left int
}

// bound is the memory that reading a file may take, besides the numbers.
const bound = 1 << 30

// NewAllowance makes an allocator.
func NewAllowance() *Allowance { return &Allowance{memory.NewGoAllocator(), bound} }

func (a *Allowance) take(bytes int) {
	if a.left -= bytes; a.left < 0 {
		panic(fmt.Sprintf("it needs more than %d bytes of memory at once", bound))
	}
}

// Allocate takes memory.
func (a *Allowance) Allocate(bytes int) []byte {
	a.take(bytes)
	return a.Allocator.Allocate(bytes)
}

// Reallocate resizes memory.
func (a *Allowance) Reallocate(bytes int, b []byte) []byte {
	a.take(bytes - len(b))
	return a.Allocator.Reallocate(bytes, b)
}

// Free returns memory.
func (a *Allowance) Free(b []byte) {
	a.left += len(b)
	a.Allocator.Free(b)
}
