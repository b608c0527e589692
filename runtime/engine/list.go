package engine

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
)

// List is a stream whose numbers the host has already. They are copied to the
// device, so it is for tests, small inputs and what was recorded; everything
// else is made where it is needed.
type List []uint64

// Len is how many numbers there are.
func (l List) Len() uint64 { return uint64(len(l)) }

// Program has nothing to return: no program makes arbitrary numbers.
func (l List) Program() (kernels.Program, error) {
	return kernels.Program{}, errors.New("a list of numbers is no program: it is copied")
}

// String says what it is, in reports.
func (l List) String() string { return fmt.Sprintf("list of %d", len(l)) }

// bytes are the numbers as the device has them, cut to their width, or followed by
// the further words of wide ones.
func (l List) bytes(width int) []byte {
	out := make([]byte, 0, len(l)*max(width, 8)+8)
	for _, number := range l {
		for i := range max(width/8, 1) {
			out = binary.LittleEndian.AppendUint64(out, nth(number, i))
		}
		out = out[:len(out)-max(8-width, 0)]
	}
	return out
}

// nth is word i of a wide value with that number (kernels/pair.h).
func nth(number uint64, i int) uint64 { return number + uint64(i)*0x9e3779b97f4a7c15 }
