package engine

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
)

// hosted are the numbers of a stream if the host has them: they are copied, not
// generated.
func hosted(s Stream, width int) ([]byte, bool) {
	switch s := s.(type) {
	case List:
		return s.bytes(width), true
	case Packed:
		return s.bytes(width), true
	}
	return nil, false
}

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

// nth is word i of a wide value with that number.
func nth(number uint64, i int) uint64 { return number + uint64(i)*kernels.WideStep }

// Packed is a stream of numbers that are side by side already as a device has them, low
// byte first: what was recorded. Streams of the same name are the same numbers.
type Packed struct {
	Name  string
	Width int // bytes of a number: 1, 4 or 8
	Bytes []byte
}

// Len is how many numbers there are.
func (p Packed) Len() uint64 { return uint64(len(p.Bytes) / p.Width) }

// Program has nothing to return, as that of a List.
func (p Packed) Program() (kernels.Program, error) { return List(nil).Program() }

// String is the name.
func (p Packed) String() string { return p.Name }

// bytes are the numbers at that width, mostly the one that they have.
func (p Packed) bytes(width int) []byte {
	if width == p.Width {
		return p.Bytes
	}
	if width < p.Width {
		return narrowed(p.Bytes, p.Width, width)
	}
	list := make(List, p.Len())
	for i := range list {
		list[i] = number(p.Bytes[i*p.Width:][:p.Width])
	}
	return list.bytes(width)
}

// narrowed cuts numbers to their low bytes.
func narrowed(raw []byte, from, to int) []byte {
	out := make([]byte, len(raw)/from*to)
	for i := range len(raw) / from {
		copy(out[i*to:(i+1)*to], raw[i*from:])
	}
	return out
}
