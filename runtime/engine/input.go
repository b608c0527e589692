package engine

import (
	"cmp"
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/schemes"
)

// Mix is the operation of a batch whose operations differ.
const Mix = schemes.MixOp

// Batch is an operation on keys, with values where it takes them. With the operation Mix,
// Ops are indices into kernels.Ops.
type Batch struct {
	Op     string
	Keys   Stream
	Values Stream
	Ops    Stream
	Mixed  []string // which operations Ops has, in any order; none: any

	// An operation on the whole table has no streams; a resize has a capacity.
	Capacity uint64
}

// MaxBatch bounds a batch, so that sizes in bytes do not overflow.
const MaxBatch = 1 << 56

// Len is the number of operations.
func (b Batch) Len() uint64 {
	if b.Keys == nil {
		return 0
	}
	return b.Keys.Len()
}

// Input is a batch in device memory, which may run on any number of that device's tables in turn.
type Input struct {
	Op     string
	N      uint64
	Digest string

	pair    schemes.Pair
	mixed   []string
	size    uint64 // a resize: the capacity asked for
	mem     memory
	repeats repeats // of inserts
	keys    device.Addr
	values  device.Addr
	ops     device.Addr
	out     device.Addr // results go here
	status  device.Addr
	left    [2]device.Addr // and pairs that are handed back
	busy    bool           // a kernel that hangs still uses it
}

// Keyed lists the operations on keys, which mixed batches consist of.
var Keyed = kernels.OpsOf(kernels.OnKeys)

func (b Batch) check() error {
	op := kernels.Op(b.Op)
	switch op.Kind {
	case kernels.OnTable:
		return nil
	case kernels.OnKeys, kernels.Mixed:
	default:
		return nearest.Unknown("operation of a batch", b.Op, kernels.OpsOf(kernels.OnKeys, kernels.Mixed, kernels.OnTable))
	}
	if b.Keys == nil {
		return fmt.Errorf("a batch of %s without keys", b.Op)
	}
	if b.Keys.Len() > MaxBatch {
		return fmt.Errorf("a batch of %d %s: at most %d operations", b.Keys.Len(), b.Op, uint64(MaxBatch))
	}
	for what, s := range map[string]Stream{"values": b.Values, "ops": b.Ops} {
		if s != nil && s.Len() != b.Keys.Len() {
			return fmt.Errorf("a batch of %s has %d keys and %d %s: they must be as many", b.Op, b.Keys.Len(), s.Len(), what)
		}
	}
	if op.Value && b.Values == nil {
		return fmt.Errorf("a batch of %s without values", b.Op)
	}
	if (b.Op == Mix) != (b.Ops != nil) {
		return fmt.Errorf("a batch of %s: a stream of operations goes with mix, and with nothing else", b.Op)
	}
	return nil
}

func (in *Input) load(b Batch, cache *Cache) (err error) {
	if in.keys, err = in.fill(b.Keys, in.pair.Key, cache); err != nil {
		return err
	}
	if in.values, err = in.fill(b.Values, in.pair.Value, cache); err != nil {
		return err
	}
	if in.ops, err = in.fill(b.Ops, 1, cache); err != nil {
		return err
	}
	if kernels.Op(b.Op).Blind() {
		if in.repeats, err = repeatsOf(in.mem.dev, in.keys, in.pair.Key, in.N); err != nil {
			return err
		}
	}
	what := "input/" + b.Op
	if b.Capacity > 0 {
		what += fmt.Sprintf(" to %d", b.Capacity)
	}
	in.Digest, err = digestOf(in.mem.dev, what, in.N, kernels.Digest{Positional: 1},
		part{in.keys, in.pair.Key}, part{in.values, in.pair.Value}, part{in.ops, 1})
	return err
}

// fill allocates room for a stream's numbers and has the device make them.
func (in *Input) fill(s Stream, width int, cache *Cache) (device.Addr, error) {
	if s == nil || width == 0 {
		return 0, nil
	}
	at, err := in.mem.alloc(s.Len() * uint64(width))
	if err != nil {
		return 0, fmt.Errorf("batch of %d %s: %w", in.N, in.Op, err)
	}
	generated, ok := s.(Generated)
	if !ok {
		return at, in.mem.dev.Write(at, s.(hosted).bytes(width))
	}
	program, err := generated.ProgramWith(cache.place)
	if err != nil {
		return 0, err
	}
	fill := kernels.Fill{Out: uint64(at), Width: uint64(width)}
	return at, runOwn(in.mem.dev, "hz_generate", kernels.Bytes(&program), kernels.Bytes(&fill), s.Len())
}

// results makes room for outcomes and answers the first time it is needed.
func (in *Input) results(status bool) error {
	room := func(at *device.Addr, needed bool, width int) error {
		if *at != 0 || !needed {
			return nil
		}
		var err error
		*at, err = in.mem.touched(in.N * uint64(width))
		return err
	}
	failing := kernels.Op(in.Op).May("failed")
	return cmp.Or(room(&in.out, true, in.pair.AnswerBytes()), room(&in.status, status, 1),
		room(&in.left[0], failing, in.pair.Key), room(&in.left[1], failing, in.pair.Value))
}

// blank clears what an earlier run left, because some operations give nothing.
func (in *Input) blank() error {
	if err := in.mem.dev.Set(in.status, 0, int64(in.N)); err != nil {
		return err
	}
	return in.mem.dev.Set(in.out, 0, int64(in.N)*int64(in.pair.AnswerBytes()))
}

func (in *Input) block(kernel string, ops []string, status bool) schemes.Batch {
	b := kernels.Batch{
		Keys: uint64(in.keys), Values: uint64(in.values), Ops: uint64(in.ops), Out: uint64(in.out),
		PairKeys: uint64(in.left[0]), PairValues: uint64(in.left[1]), PairLimit: in.N,
	}
	b.Select = selected(ops)
	if status {
		b.Status = uint64(in.status)
	}
	return schemes.Batch{Op: kernel, N: cmp.Or(in.N, in.size), Block: b}
}

func selected(ops []string) (bits uint64) {
	for _, op := range ops {
		bits |= 1 << kernels.OpNumber(op)
	}
	return bits
}

// Release frees the memory, unless a kernel that hangs still uses it.
func (in *Input) Release() error {
	if in.busy {
		return nil
	}
	return in.mem.release()
}
