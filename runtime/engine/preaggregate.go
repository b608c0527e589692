package engine

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// On a GPU, a pre-aggregation kernel (kernels/ahead.h) may run before one that combines values. It is for few groups: as
// many as a block has places for partial aggregates. With more, rows can first be sorted by parts of the table
// (kernels/sort.h), so that each part has few. Tables that are larger than the cache gain by the order alone, if most
// rows have groups of their own, which a sample tells.

const (
	// From aggregateFrom rows on, pre-aggregation saves more than its launches cost; from sampleFrom on, more than the 35
	// microseconds that waiting for a sample takes.
	aggregateFrom, sampleFrom = 1 << 22, 1 << 25
	// A table of more than cachedTable bytes is larger than the cache of a GPU, and a part of cachedPart is not.
	cachedTable, cachedPart = 64 << 20, 32 << 20
)

// preaggregation is an optional launch before one that combines values.
type preaggregation struct {
	t              *shard
	kernel         string
	b              schemes.Batch
	samples, sorts bool // whether it does, or may
	sort           kernels.Sort
	at             device.Addr // of sort, in device memory
}

// preaggregate returns the pre-aggregation of a launch, or nil if it would not pay.
func (t *shard) preaggregate(kernel string, b schemes.Batch) *preaggregation {
	if !t.dev.Loaded(kernels.Ahead(kernel)) || b.N < aggregateFrom || b.N > 1<<31 || b.Block.Ops != 0 {
		return nil
	}
	a := &preaggregation{t: t, kernel: kernels.Ahead(kernel), b: b}
	a.samples = !a.fewGroups() && !(a.movable() && a.inBlocks())
	a.sorts = a.movable() && (a.inBlocks() || a.samples && a.bytes() > cachedTable)
	if a.samples && b.N < sampleFrom {
		return nil
	}
	return a
}

// prepared takes memory; without it, there is no pre-aggregation.
func (a *preaggregation) prepared() (*preaggregation, error) {
	if a == nil {
		return nil, nil
	}
	err := a.prepare()
	if errors.Is(err, schemes.ErrNoMemory) {
		return nil, nil
	}
	return a, err
}

// fewGroups reports whether there is a place for every group.
func (a *preaggregation) fewGroups() bool { return a.t.block.Capacity <= a.places() }

func (a *preaggregation) places() uint64 {
	p := a.t.Pair()
	return kernels.AheadBytes / uint64(p.Key+min(p.Value, 8))
}

// movable reports whether the rows may be sorted: no per-row result is requested.
func (a *preaggregation) movable() bool {
	p := a.t.Pair()
	return a.b.Block.Status == 0 && p.Key == p.Value && a.t.block.Buckets > 1 && !a.fewGroups()
}

// inBlocks reports whether each part has few groups, and enough rows of each.
func (a *preaggregation) inBlocks() bool {
	return a.t.block.Capacity <= kernels.SortParts*a.fits() && a.b.N >= 8*a.t.block.Capacity
}

// fits is the number of slots of a part whose groups nearly all find a place.
func (a *preaggregation) fits() uint64  { return a.places() * 3 / 4 }
func (a *preaggregation) bytes() uint64 { return a.t.block.Capacity * uint64(a.t.Pair().Bytes()) }

// prepare takes memory, and writes the block of the kernels.
func (a *preaggregation) prepare() error {
	if !a.samples && !a.sorts {
		return nil
	}
	a.sort = kernels.Sort{Keys: a.b.Block.Keys, Values: a.b.Block.Values, Items: a.b.N, Shift: uint64(a.shift())}
	at, err := a.t.Scratch(blockBytes + marksBytes + 4*(2*kernels.SortParts+1))
	if err != nil {
		return err
	}
	a.at = at
	a.sort.Marks = uint64(at) + blockBytes
	a.sort.Next = a.sort.Marks + marksBytes
	a.sort.Starts = a.sort.Next + 4*kernels.SortParts
	if a.sorts {
		rows, err := a.t.batch.arrays(a.t.Pair(), a.b.N)
		if err != nil {
			return err
		}
		a.sort.KeysTo, a.sort.ValuesTo = uint64(rows[0]), uint64(rows[1])
	}
	return cmp.Or(a.t.dev.Write(at, kernels.Bytes(&a.sort)), a.t.dev.Prepare(a.kernels()...))
}

// The block of the kernels, and a bitmap with the number of its bits behind it.
const (
	blockBytes = 256
	marksBytes = kernels.SortMarks/8 + 8
)

// shift is the number of low bits of a bucket's number that its part does not depend on.
func (a *preaggregation) shift() int {
	buckets := a.t.block.Buckets
	parts := lists.Either(a.inBlocks(), divideUp(a.t.block.Capacity, a.fits()), divideUp(a.bytes(), cachedPart))
	shift := max(0, bits.Len64(buckets/min(parts, kernels.SortParts))-1)
	for (buckets-1)>>shift >= kernels.SortParts {
		shift++
	}
	return shift
}

// kernels lists the kernels that sample and sort.
func (a *preaggregation) kernels() []string {
	steps := []step{a.sampling()}
	if a.sorts {
		steps = append(steps, a.sorting()...)
	}
	return lists.Map(steps, func(s step) string { return s.kernel })
}

// step is a launch of a kernel of sort.h.
type step struct {
	kernel string
	items  uint64
}

func (a *preaggregation) sampling() step {
	return step{fmt.Sprintf("hz_sample_k%d", a.t.Pair().Key), kernels.SortSample}
}

// sorting lists the steps that sort the rows.
func (a *preaggregation) sorting() []step {
	p := a.t.Pair()
	threads := uint64(a.t.dev.Info().Threads) * 2 * kernels.SortParts // as many as run at once
	return []step{
		{fmt.Sprintf("hz_sort_count_k%d", p.Key), threads},
		{"hz_sort_starts", kernels.SortParts},
		{fmt.Sprintf("hz_sort_move_%v", p), threads},
	}
}

// launch pre-aggregates, and launches the kernel on the rest.
func (a *preaggregation) launch(l *kernelLaunch) error {
	b, few, many := a.b, a.fewGroups(), a.inBlocks()
	if a.samples {
		groups, err := a.groups()
		if err != nil {
			return err
		}
		few, many = groups <= a.places()/2, groups >= kernels.SortSample/8*7
	}
	switch {
	case few:
		b.Block.FoundLimit = 1
	case a.sorts && many:
		if err := a.sortRows(&b.Block); err != nil {
			return err
		}
	}
	behind := b
	behind.Block.FoundAt, behind.Block.FoundLimit = 0, 0
	if b.Block.FoundLimit > 0 {
		before := *l
		before.kernel = a.kernel
		if err := before.call(b); err != nil {
			return err
		}
	}
	return l.call(behind)
}

// groups returns the number of groups in a sample of the rows.
func (a *preaggregation) groups() (uint64, error) {
	sum := make([]uint64, 1)
	err := cmp.Or(a.t.dev.Set(device.Addr(a.sort.Marks), 0, marksBytes), a.run(a.sampling()),
		a.t.dev.Read(kernels.BytesOf(sum), device.Addr(a.sort.Marks+marksBytes)-8))
	return sum[0], err
}

// sortRows sorts the rows by parts.
func (a *preaggregation) sortRows(b *kernels.Batch) error {
	if err := cmp.Or(a.t.dev.Set(device.Addr(a.sort.Next), 0, 4*kernels.SortParts), lists.Each(a.sorting(), a.run)); err != nil {
		return err
	}
	b.Keys = a.sort.KeysTo
	if b.Values != 0 {
		b.Values = a.sort.ValuesTo
	}
	if a.inBlocks() {
		b.FoundAt, b.FoundLimit = a.sort.Starts, kernels.SortParts
	}
	return nil
}

func (a *preaggregation) run(s step) error { return a.t.dev.Launch(s.kernel, a.t.here, a.at, s.items) }
