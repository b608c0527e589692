package engine

import (
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// TakeOut copies all pairs, in the table and left over, into an insert batch.
func (t *Table) TakeOut(r schemes.Result) (schemes.Batch, error) {
	left := r.Counts.Get("pairs")
	inside, err := t.counted()
	if err != nil {
		return schemes.Batch{}, err
	}
	arrays, err := t.exported(inside, left)
	if err != nil {
		return schemes.Batch{}, err
	}
	b := schemes.Batch{Op: "insert", N: inside + left}
	b.Block.Keys, b.Block.Values = uint64(arrays[0]), uint64(arrays[1])
	if err := t.append(b, inside, left, r.Batch.Block); err != nil {
		return schemes.Batch{}, err
	}
	spare, err := t.batch.arrays(t.Pair(), b.N)
	b.Block.PairKeys, b.Block.PairValues, b.Block.PairLimit = uint64(spare[0]), uint64(spare[1]), b.N
	return b, err
}

// counted counts the pairs in the table.
func (t *Table) counted() (uint64, error) {
	done, err := t.Launch(schemes.Batch{Op: "count", N: t.layout.Capacity})
	if err != nil {
		return 0, err
	}
	return done.Counts.Get("pairs"), nil
}

// exported exports the table's pairs into new arrays with room for more.
func (t *Table) exported(pairs, more uint64) ([2]device.Addr, error) {
	arrays, err := t.batch.arrays(t.Pair(), pairs+more)
	if err != nil {
		return arrays, err
	}
	done, err := t.Launch(schemes.Batch{Op: "export", N: t.layout.Capacity, Block: kernels.Batch{
		PairKeys: uint64(arrays[0]), PairValues: uint64(arrays[1]), PairLimit: pairs,
	}})
	if have := done.Counts; err == nil && have.Get("pairs") != pairs {
		err = t.disagree(fmt.Errorf("the table exports %d pairs, and counts %d", have.Get("pairs"), pairs))
	}
	return arrays, err
}

// append copies left-over pairs behind the exported ones.
func (t *Table) append(b schemes.Batch, inside, left uint64, from kernels.Batch) error {
	if left == 0 {
		return nil
	}
	move := func(to, from uint64, width int) error {
		bytes := make([]byte, left*uint64(width))
		if err := t.Read(bytes, device.Addr(from)); err != nil || width == 0 {
			return err
		}
		return t.Write(device.Addr(to+inside*uint64(width)), bytes)
	}
	if err := move(b.Block.Keys, from.PairKeys, t.Pair().Key); err != nil {
		return err
	}
	return move(b.Block.Values, from.PairValues, t.Pair().Value)
}
