package engine

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Columns are the numbers of a batch, laid out as on the device, low byte first. Absent columns are nil.
type Columns struct {
	N          uint64
	KeyWidth   int
	ValueWidth int // of a wide value the first word, from which the others follow
	Keys       []byte
	Values     []byte
	Ops        []byte // indices into kernels.Ops, of a mixed batch
}

// Pair is the widths of the batch's keys and values.
func (in *Input) Pair() schemes.Pair { return in.pair }

// Columns copies the batch from the device.
func (in *Input) Columns() (Columns, error) {
	key, value := in.pair.Key, in.pair.Value
	c := Columns{N: in.N, KeyWidth: key, ValueWidth: min(value, 8)}
	r := in.each(in.N, func(r *reader, s *share) {
		c.Keys = r.bytes(c.Keys, s.keys, s.n*uint64(key))
		c.Values = r.bytes(c.Values, s.values, s.n*uint64(value))
		c.Ops = r.bytes(c.Ops, s.ops, s.n)
	})
	if value > 8 && c.Values != nil {
		for i := range int(in.N) {
			copy(c.Values[8*i:8*i+8], c.Values[i*value:])
		}
		c.Values = c.Values[:8*in.N]
	}
	return c, r.err
}

// Ops returns the first operations of a mixed batch, at most `most`, as indices into kernels.Ops.
func (in *Input) Ops(most uint64) (ops []byte, _ error) {
	r := in.each(most, func(r *reader, s *share) {
		ops = r.bytes(ops, s.ops, min(s.n, most-min(most, s.from)))
	})
	return ops, r.err
}

// each reads shares up to that operation, in order, by one reader.
func (in *Input) each(end uint64, read func(*reader, *share)) *reader {
	r := &reader{}
	for part, err := range in.parts(end) {
		if r.err = cmp.Or(r.err, err); r.err != nil {
			break
		}
		for _, s := range part.shares {
			r.dev = s.mem.dev
			read(r, s)
		}
	}
	return r
}

// reader reads arrays of numbers from a device, and remembers the first error.
type reader struct {
	dev device.Device
	err error
}

var raws = sync.Pool{New: func() any { return &[]byte{} }} // the memory of numbers

// grown returns a list with n more items, which have any values.
func grown[E any](list []E, n int) []E {
	if n += len(list); n > cap(list) {
		list = append(make([]E, 0, n+n/8), list...) // slices.Grow would clear it
	}
	return list[:n]
}

// bytes appends what is in memory to a list. An absent column, which has no address, adds nothing.
func (r *reader) bytes(list []byte, at device.Addr, n uint64) []byte {
	if at == 0 || r.err != nil {
		return list
	}
	list = grown(list, int(n))
	r.err = r.dev.Read(list[len(list)-int(n):], at)
	return list
}

// numbers appends numbers of a width.
func (r *reader) numbers(list []uint64, at device.Addr, n uint64, width int) []uint64 {
	if at == 0 || r.err != nil {
		return list
	}
	raw := raws.Get().(*[]byte)
	defer keep(&raws, raw, int(n))
	*raw = r.bytes((*raw)[:0], at, n*uint64(width))
	list = grown(list, int(n))
	more := list[len(list)-int(n):]
	_ = inPieces(len(more), func(_ int, of span) error {
		for i := of.from; i < of.to; i++ {
			more[i] = Number(*raw, width, i)
		}
		return nil
	})
	return list
}

// pairs reads keys and values; a table of keys only has zeroes as values.
func (r *reader) pairs(at [2]device.Addr, n uint64, pair schemes.Pair) (keys, values []uint64) {
	keys = r.numbers(nil, at[0], n, pair.Key)
	if pair.Value == 0 {
		return keys, make([]uint64, n)
	}
	return keys, r.numbers(nil, at[1], n, pair.Value)
}

// torn stands for a wide value with words of different values.
const torn = 0x7ead_7ead_7ead_7ead

// Number is number i of a column of that width; a wide value whose words do not belong together gives torn.
func Number(column []byte, width, i int) uint64 {
	raw := column[i*width:][:width]
	switch {
	case width == 4:
		return uint64(binary.LittleEndian.Uint32(raw))
	case width > 8:
		return wideNumber(raw)
	}
	var word [8]byte
	copy(word[:], raw)
	return binary.LittleEndian.Uint64(word[:])
}

func wideNumber(raw []byte) uint64 {
	first := binary.LittleEndian.Uint64(raw)
	none := first == ^uint64(0)
	for i := 1; 8*i < len(raw); i++ {
		if word := binary.LittleEndian.Uint64(raw[8*i:]); word != nth(first, i) && !(none && word == first) {
			return torn
		}
	}
	return first
}

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
	return List(lists.Make(int(p.Len()), func(i int) uint64 { return Number(p.Bytes, p.Width, i) })).bytes(width)
}
