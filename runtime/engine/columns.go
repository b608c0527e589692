package engine

import (
	"encoding/binary"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// Columns are the numbers of a batch, side by side as the device has them, low byte
// first. What a batch does not have is nil.
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
	c := Columns{N: in.N, KeyWidth: in.pair.Key, ValueWidth: min(in.pair.Value, 8)}
	var err error
	if c.Keys, err = in.read(in.keys, in.pair.Key); err != nil {
		return c, err
	}
	if c.Ops, err = in.read(in.ops, 1); err != nil {
		return c, err
	}
	if c.Values, err = in.read(in.values, in.pair.Value); err != nil {
		return c, err
	}
	c.Values = firstWords(c.Values, in.pair.Value)
	return c, nil
}

func (in *Input) read(from device.Addr, width int) ([]byte, error) {
	if from == 0 {
		return nil, nil
	}
	raw := make([]byte, in.N*uint64(width))
	return raw, in.mem.dev.Read(raw, from)
}

// firstWords leaves of wide values the first 8 bytes.
func firstWords(raw []byte, width int) []byte {
	if width <= 8 {
		return raw
	}
	for i := 0; i*width < len(raw); i++ {
		copy(raw[8*i:8*i+8], raw[i*width:])
	}
	return raw[:len(raw)/width*8]
}

// Number is number i of a column of that width.
func Number(column []byte, width, i int) uint64 {
	switch width {
	case 4:
		return uint64(binary.LittleEndian.Uint32(column[4*i:]))
	case 8:
		return binary.LittleEndian.Uint64(column[8*i:])
	}
	return number(column[i*width:][:width])
}

// Ops are the first operations of a mixed batch, at most so many, as indices into
// kernels.Ops.
func (in *Input) Ops(most uint64) ([]byte, error) {
	if in.ops == 0 {
		return nil, nil
	}
	first := make([]byte, min(in.N, most))
	return first, in.mem.dev.Read(first, in.ops)
}
