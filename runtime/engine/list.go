package engine

import (
	"encoding/binary"
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
)

// hosted is a stream whose numbers the host has: they are copied, not generated.
type hosted interface {
	Stream
	bytes(width int) []byte // as the device has them
}

// List is a stream of numbers for tests and small inputs.
type List []uint64

func (l List) Len() uint64    { return uint64(len(l)) }
func (l List) String() string { return fmt.Sprintf("list of %d", len(l)) }

// bytes cuts the numbers to their width, or adds the other words of wide ones.
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

func nth(number uint64, i int) uint64 { return number + uint64(i)*kernels.WideStep }

// Packed is a stream of recorded numbers, laid out as on a device. Streams of the same name are equal.
type Packed struct {
	Name  string
	Width int // bytes of a number: 1, 4 or 8
	Bytes []byte
}

func (p Packed) Len() uint64    { return uint64(len(p.Bytes) / p.Width) }
func (p Packed) String() string { return p.Name }

func (p Packed) bytes(width int) []byte {
	if width == p.Width {
		return p.Bytes
	}
	list := make(List, p.Len())
	for i := range list {
		list[i] = Number(p.Bytes, p.Width, i)
	}
	return list.bytes(width)
}
