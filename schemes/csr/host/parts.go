package host

import (
	"errors"
	"math/bits"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/schemes"
)

// A table that is larger than caches is built part by part: rows are first put in the order of its parts (parts.h).

// Values of the parameter partition.
const (
	auto = iota
	never
	always
)

// From smallest on, rows of many keys take longer in any order than in that of the parts; beyond largest, parts do not
// fit in caches either.
const smallest, largest = 64 << 20, 512 << 20

// order is the way of the rows of a batch to their parts.
type order struct {
	batch  schemes.Batch // launches of part_sizes and part
	counts kernels.Scan
	moved  schemes.Batch // the rows in order
}

// ordered takes memory to put a batch in order, and returns nil if that is not worth it, or if there is too little.
func ordered(t schemes.Table, b schemes.Batch) (*order, error) {
	table := t.Block().Buckets*perBucket*uint64(t.Pair().Bytes()) + t.Block().Capacity*uint64(t.Pair().Value)
	how := t.Config().Get("partition")
	if how == never || how == auto && (table < smallest || table > largest) || b.Block.Ops != 0 {
		return nil, nil
	}
	if how == auto {
		if many, err := manyKeys(t, b); err != nil || !many {
			return nil, err
		}
	}
	o, err := newOrder(t, b)
	if errors.Is(err, schemes.ErrNoMemory) {
		return nil, nil
	}
	return o, err
}

// manyKeys reports whether most rows of a sample have keys of their own.
func manyKeys(t schemes.Table, b schemes.Batch) (bool, error) {
	marks, err := t.Scratch(marked/8, 0)
	if err != nil {
		return false, err
	}
	rows := min(b.N, sampled)
	done, err := t.Launch(schemes.Batch{Op: "sample", N: rows,
		Block: kernels.Batch{Keys: b.Block.Keys, FoundAt: uint64(marks), Select: b.N / rows}})
	return err == nil && 10*done.Counts.Get("added") >= 9*rows, err
}

func newOrder(t schemes.Table, b schemes.Batch) (*order, error) {
	pieces := (b.N + pieceRows - 1) / pieceRows
	shift := uint64(max(0, bits.Len64(t.Block().Buckets-1)-bits.Len64(mostParts-1)))
	items := ((t.Block().Buckets-1)>>shift/kernels.Warp + 1) * kernels.Warp * pieces
	var counts, keys, values, rows, status device.Addr
	take := func(at *device.Addr, bytes uint64) (err error) {
		*at, err = t.ScratchUnset(int64(bytes))
		return err
	}
	err := errors.Join(take(&counts, 4*items), take(&keys, b.N*uint64(t.Pair().Key)), take(&values, b.N*uint64(t.Pair().Value)))
	if b.Block.Status != 0 {
		err = errors.Join(err, take(&rows, 4*b.N), take(&status, b.N))
	}
	if err != nil {
		return nil, err
	}
	o := &order{moved: b}
	o.moved.Moved = true
	to := &o.moved.Block
	to.Keys, to.Values, to.Status = uint64(keys), uint64(values), uint64(status)
	to.FoundOf, to.FoundValues, to.Out = uint64(rows), uint64(status), b.Block.Status // for scatter
	o.batch = schemes.Batch{N: pieces * kernels.Warp, Block: kernels.Batch{Keys: b.Block.Keys, Values: b.Block.Values,
		PairKeys: uint64(keys), PairValues: uint64(values), FoundOf: uint64(rows), FoundAt: uint64(counts), FoundLimit: b.N,
		Select: shift}}
	o.counts = kernels.Scan{Items: items, Number: uint64(counts), Width: 4, Stride: 4,
		Place: uint64(counts), PlaceWidth: 4, PlaceStride: 4}
	o.counts.Sum, err = host.Sums(t, o.counts.Items)
	return o, err
}

// move puts the rows in order.
func (o *order) move(t schemes.Table) error {
	for _, kernel := range []string{"part_sizes", "part"} {
		b := o.batch
		b.Op = kernel
		if _, err := t.Launch(b); err != nil {
			return err
		}
		if kernel == "part_sizes" {
			if _, err := host.Places(t, o.counts); err != nil {
				return err
			}
		}
	}
	return nil
}
