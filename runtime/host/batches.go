package host

import (
	"encoding/binary"
	"errors"
	"slices"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// What host sides do with batches and memory.

// Nothing returns the result of a batch without any operation carried out.
func Nothing(b schemes.Batch) schemes.Result {
	return schemes.Result{Counts: schemes.NewCounts(), Batch: b}
}

// LeaveAfter makes room in a batch for the pairs that it leaves over after n others.
func LeaveAfter(b *kernels.Batch, p schemes.Pair, n uint64) {
	schemes.Advance(&b.PairKeys, n*uint64(p.Key))
	schemes.Advance(&b.PairValues, n*uint64(p.Value))
	b.PairLimit -= min(n, b.PairLimit)
}

// LeftOver returns a batch of the pairs that a launch left over.
func LeftOver(op string, done schemes.Result) schemes.Batch {
	from := done.Batch.Block
	return schemes.Batch{Op: op, N: done.Counts.Get("pairs"), Block: kernels.Batch{Keys: from.PairKeys, Values: from.PairValues}}
}

// MakeRoom allocates memory for pairs that a launch may leave over.
func MakeRoom(t schemes.Table, b *kernels.Batch, pairs uint64) error {
	keys, err := t.Scratch(int64(pairs)*int64(t.Pair().Key), 0)
	if err != nil {
		return err
	}
	values, err := t.Scratch(int64(pairs)*int64(t.Pair().Value), 0)
	b.PairKeys, b.PairValues, b.PairLimit = uint64(keys), uint64(values), pairs
	return err
}

// SelectFailed returns a batch of a single operation without those that did not fail: its
// outcomes serve as operations.
func SelectFailed(b schemes.Batch) schemes.Batch {
	b.Block.Ops, b.Block.Select = b.Block.Status, 1<<slices.Index(kernels.Outcomes, "failed")
	return b
}

// Regions allocates memory for all regions, or for none.
func Regions(t schemes.Table, regions []schemes.Region) (list []device.Addr, err error) {
	for _, r := range regions {
		at, err := t.AllocRegion(r)
		if err != nil {
			return nil, errors.Join(err, Release(t, list...))
		}
		list = append(list, at)
	}
	return list, nil
}

// Release releases memory.
func Release(t schemes.Table, list ...device.Addr) (err error) {
	for _, at := range list {
		err = errors.Join(err, t.Release(at))
	}
	return err
}

// Read returns n values from device memory.
func Read[T any](t schemes.Table, at, n uint64) ([]T, error) {
	list := make([]T, n)
	return list, t.Read(bytesOf(list), device.Addr(at))
}

// Write writes values to device memory.
func Write[T any](t schemes.Table, at uint64, list ...T) error {
	return t.Write(device.Addr(at), bytesOf(list))
}

func bytesOf[T any](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), uintptr(len(list))*unsafe.Sizeof(*new(T)))
}

// Number returns the number in up to eight bytes.
func Number(raw []byte) uint64 {
	var word [8]byte
	copy(word[:], raw)
	return binary.LittleEndian.Uint64(word[:])
}
