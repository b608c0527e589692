package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// On a GPU, a kernel may go ahead of one that combines values (kernels/ahead.h). It is for few groups: as many as a block
// has places for partial aggregates. With more, rows can first be put into the order of parts of the table
// (kernels/sort.h), so that each part has few. Tables that are larger than the cache gain by the order alone, if most
// rows have groups of their own, which a sample tells.

const (
	// From aheadFrom rows on, what they save is worth the launches; from sampledFrom on, it is worth to wait for a sample,
	// which takes 35 microseconds.
	aheadFrom, sampledFrom = 1 << 22, 1 << 25

	// A table of more than cachedTable bytes is larger than the cache of a GPU, and a part of cachedPart is not.
	cachedTable, cachedPart = 64 << 20, 32 << 20
)

// lead is what goes ahead of a launch.
type lead struct {
	t              *Table
	kernel         string
	b              schemes.Batch
	samples, sorts bool // whether it does, or may
	sort           kernels.Sort
	at             device.Addr // where that is in device memory
}

// leads returns what goes ahead of a launch, or nil. A launch that is one of several is too small for it.
func (t *Table) leads(kernel string, b schemes.Batch, whole bool) (*lead, error) {
	if !t.dev.Loaded(kernels.Ahead(kernel)) || b.N < aheadFrom || b.N > 1<<31 || b.Block.Ops != 0 || !whole {
		return nil, nil
	}
	l := &lead{t: t, kernel: kernels.Ahead(kernel), b: b}
	l.samples = !l.fewGroups() && !(l.movable() && l.inBlocks())
	l.sorts = l.movable() && (l.inBlocks() || l.samples && l.uncached())
	if l.samples && b.N < sampledFrom {
		return nil, nil
	}
	err := l.prepare()
	if errors.Is(err, schemes.ErrNoMemory) {
		return nil, nil
	}
	return l, err
}

// fewGroups reports whether there is a place for every group.
func (l *lead) fewGroups() bool { return l.t.block.Capacity <= l.places() }

func (l *lead) places() uint64 {
	p := l.t.Pair()
	return kernels.AheadBytes / uint64(p.Key+min(p.Value, 8))
}

// movable reports whether the rows may be put into order: nobody asks what became of each.
func (l *lead) movable() bool {
	p := l.t.Pair()
	return l.b.Block.Status == 0 && p.Key == p.Value && l.t.block.Buckets > 1 && !l.fewGroups()
}

// inBlocks reports whether parts have few groups, and enough rows of each.
func (l *lead) inBlocks() bool {
	return l.t.block.Capacity <= kernels.SortParts*l.fits() && l.b.N >= 8*l.t.block.Capacity
}

// fits is how many slots a part has whose groups nearly all find a place.
func (l *lead) fits() uint64 { return l.places() * 3 / 4 }

func (l *lead) uncached() bool { return l.bytes() > cachedTable }

func (l *lead) bytes() uint64 { return l.t.block.Capacity * uint64(l.t.Pair().Bytes()) }

// prepare takes memory, and writes the block of the kernels.
func (l *lead) prepare() error {
	if !l.samples && !l.sorts {
		return nil
	}
	l.sort = kernels.Sort{Keys: l.b.Block.Keys, Values: l.b.Block.Values, Items: l.b.N, Shift: uint64(l.shift())}
	at, err := l.t.Scratch(blockBytes + marksBytes + 4*(2*kernels.SortParts+1))
	if err != nil {
		return err
	}
	l.at = at
	l.sort.Marks = uint64(at) + blockBytes
	l.sort.Next = l.sort.Marks + marksBytes
	l.sort.Starts = l.sort.Next + 4*kernels.SortParts
	if l.sorts {
		rows, err := l.t.batch.arrays(l.t.Pair(), l.b.N)
		if err != nil {
			return err
		}
		l.sort.KeysTo, l.sort.ValuesTo = uint64(rows[0]), uint64(rows[1])
	}
	if err := l.t.dev.Write(at, kernels.Bytes(&l.sort)); err != nil {
		return err
	}
	return l.t.dev.Prepare(l.kernels()...)
}

// The block of the kernels, and a bitmap with the number of its bits behind it.
const (
	blockBytes = 256
	marksBytes = kernels.SortMarks/8 + 8
)

// shift is the number of bits of a bucket's number that make no difference to its part.
func (l *lead) shift() int {
	buckets, parts := l.t.block.Buckets, divideUp(l.bytes(), cachedPart)
	if l.inBlocks() {
		parts = divideUp(l.t.block.Capacity, l.fits())
	}
	shift := max(0, bits.Len64(buckets/min(parts, kernels.SortParts))-1)
	for (buckets-1)>>shift >= kernels.SortParts {
		shift++
	}
	return shift
}

// kernels are those of a sample and of the order.
func (l *lead) kernels() []string {
	names := []string{l.sampling().kernel}
	if l.sorts {
		for _, s := range l.ordering() {
			names = append(names, s.kernel)
		}
	}
	return names
}

// step is a launch of a kernel of sort.h.
type step struct {
	kernel string
	items  uint64
}

func (l *lead) sampling() step {
	return step{fmt.Sprintf("hz_sort_sample_k%d", l.t.Pair().Key), kernels.SortSample}
}

// ordering are the steps that put the rows into order, one after the other.
func (l *lead) ordering() []step {
	p := l.t.Pair()
	threads := uint64(l.t.dev.Info().Threads) * 2 * kernels.SortParts // as many as run at once
	return []step{
		{fmt.Sprintf("hz_sort_count_k%d", p.Key), threads},
		{"hz_sort_starts", kernels.SortParts},
		{fmt.Sprintf("hz_sort_move_%v", p), threads},
	}
}

// launch launches what goes ahead, and returns the batch for the kernel behind.
func (l *lead) launch(call func(kernel string, b schemes.Batch) error) (schemes.Batch, error) {
	b, few, many := l.b, l.fewGroups(), l.inBlocks()
	if l.samples {
		groups, err := l.groups()
		if err != nil {
			return b, err
		}
		few, many = groups <= l.places()/2, groups >= kernels.SortSample/8*7
	}
	switch {
	case few:
		b.Block.FoundLimit = 1
	case l.sorts && many:
		if err := l.order(&b.Block); err != nil {
			return b, err
		}
	}
	behind := b
	behind.Block.FoundAt, behind.Block.FoundLimit = 0, 0
	if b.Block.FoundLimit == 0 {
		return behind, nil
	}
	return behind, call(l.kernel, b)
}

// groups returns how many groups a sample of the rows has.
func (l *lead) groups() (uint64, error) {
	if err := l.t.dev.Set(device.Addr(l.sort.Marks), 0, marksBytes); err != nil {
		return 0, err
	}
	if err := l.run(l.sampling()); err != nil {
		return 0, err
	}
	sum := make([]byte, 8)
	err := l.t.dev.Read(sum, device.Addr(l.sort.Marks+marksBytes)-8)
	return binary.NativeEndian.Uint64(sum), err
}

// order puts the rows into order.
func (l *lead) order(b *kernels.Batch) error {
	if err := l.t.dev.Set(device.Addr(l.sort.Next), 0, 4*kernels.SortParts); err != nil {
		return err
	}
	for _, s := range l.ordering() {
		if err := l.run(s); err != nil {
			return err
		}
	}
	b.Keys = l.sort.KeysTo
	if b.Values != 0 {
		b.Values = l.sort.ValuesTo
	}
	if l.inBlocks() {
		b.FoundAt, b.FoundLimit = l.sort.Starts, kernels.SortParts
	}
	return nil
}

func (l *lead) run(s step) error { return l.t.dev.Launch(s.kernel, l.t.here, l.at, s.items) }
