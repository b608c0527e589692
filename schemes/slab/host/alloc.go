package host

import (
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/schemes"
)

// The host side of slab hash: memory for SlabAlloc, inserts that find none, flush.

// setup tells the kernels where the super blocks are, and marks units that do not exist as taken.
func setup(t schemes.Table) (err error) {
	b, l := t.Block(), t.Layout()
	units := l.Capacity/placesOf(t.Pair()) - l.Buckets
	b.Arg[argReuse] = uint64(t.Config().Get("erased"))
	b.Arg[argNextBucket] = 0
	if isLight(t.Config()) {
		b.Arg[argFirstUnits], b.Arg[argSupers] = units, 1
		err = trim(t, device.Addr(b.Region[regionBitmaps]), units, false)
	} else {
		supers := superBlocks(units)
		b.Arg[argFirstUnits], b.Arg[argFurtherUnits], b.Arg[argSupers] = supers[0], further(supers), 0
		b.Arg[argChanges] = uint64(t.Config().Get("changes"))
		for i := 0; i < len(supers) && err == nil; i++ {
			err = addSuper(t, &b, device.Addr(b.Region[regionFirstSuper:][i]), supers[i])
		}
	}
	t.SetBlock(b)
	return err
}

// further returns the number of units of the super blocks after the first: as many as
// that one has, rounded to whole memory blocks.
func further(supers []uint64) uint64 {
	if len(supers) > 1 {
		return superUnits
	}
	return max(1, blocksOf(supers[0])) * blockUnits
}

// addSuper enters a super block into the directory. Its bitmaps come first, that of the
// first memory block last, then the units, whose address is what kernels need.
func addSuper(t schemes.Table, b *kernels.Table, at device.Addr, units uint64) error {
	if err := trim(t, at, units, true); err != nil {
		return err
	}
	start := uint64(at) + blocksOf(units)*slabBytes
	entry := firstEntry(*b) + b.Arg[argSupers]
	b.Arg[argSupers]++
	return host.Write(t, b.Region[regionState]+8*entry, start)
}

// firstEntry returns the directory's entry of the first super block.
func firstEntry(b kernels.Table) uint64 { return (b.Buckets-1)/superUnits + 1 }

// trim marks the units after the last one of a memory block as taken.
func trim(t schemes.Table, bitmaps device.Addr, units uint64, backwards bool) error {
	there := units % blockUnits
	if there == 0 {
		return nil
	}
	bits := make([]byte, slabBytes)
	for unit := range there {
		bits[unit/8] |= 1 << (unit % 8)
	}
	last := blocksOf(units) - 1
	if backwards {
		last = 0
	}
	return host.Write(t, uint64(bitmaps)+last*slabBytes, bits...)
}

// insert carries out a batch that may insert. Operations that failed for lack of a slab
// are repeated after a flush, and after each super block that the table may grow by; with
// the parameter changes, super blocks come first.
func insert(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	flushed := false
	return host.Repeat(t, b, func(failed uint64) (bool, error) {
		more, err := makeRoom(t, &flushed)
		if err == nil && !more {
			t.Note(fmt.Sprintf("no memory for slabs: %d inserts failed", failed))
		}
		return more, err
	})
}

// makeRoom makes room for slabs, once by a flush, then by growing, and returns whether it succeeded.
func makeRoom(t schemes.Table, flushed *bool) (bool, error) {
	if t.Block().Arg[argChanges] > 0 {
		return growAsAsked(t)
	}
	if !*flushed {
		*flushed = true
		returned, markers, err := compactAll(t)
		if err != nil {
			return false, err
		}
		if markers+returned > 0 {
			t.Note(fmt.Sprintf("no memory for slabs: a flush took out %d erased pairs and gave %d slabs back", markers, returned))
			return true, nil
		}
	}
	return grow(t)
}

// growAsAsked adds a super block for tiles that gave up before memory was full. If there can be no more, they are
// to search from now on.
func growAsAsked(t schemes.Table) (bool, error) {
	added, err := grow(t)
	if err != nil || added {
		return added, err
	}
	b := t.Block()
	b.Arg[argChanges] = 0
	t.SetBlock(b)
	return true, notExhausted(t)
}

// grow adds a super block, if the table may have one more.
func grow(t schemes.Table) (bool, error) {
	b := t.Block()
	if isLight(t.Config()) || b.Arg[argSupers] >= uint64(t.Config().Get("super_blocks")) {
		return false, nil
	}
	units := b.Arg[argFurtherUnits]
	at, err := t.Alloc(int64((blocksOf(units)+units)*slabBytes), 0xff)
	if err != nil {
		t.Note(fmt.Sprintf("no memory for another super block: %v", err))
		return false, nil
	}
	if err := addSuper(t, &b, at, units); err != nil {
		return false, err
	}
	l := t.Layout()
	l.Capacity += units * placesOf(t.Pair())
	b.Capacity = l.Capacity
	t.SetLayout(l)
	t.Note(fmt.Sprintf("no memory for slabs: super block %d added", b.Arg[argSupers]))
	if err := notExhausted(t); err != nil {
		return false, err
	}
	t.SetBlock(b)
	return true, nil
}

// notExhausted makes kernels look for free units again. The flag may be set although a
// unit was released at the moment when it was set.
func notExhausted(t schemes.Table) error {
	return host.Write(t, t.Block().Region[regionState]+8*directoryEntries, uint32(0))
}

// flush compacts all buckets, or the next few of them.
func flush(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	each := uint64(t.Config().Get("flush"))
	if each == 0 {
		returned, markers, err := compactAll(t)
		t.Note(fmt.Sprintf("took out %d erased pairs and gave %d slabs back", markers, returned))
		return host.Nothing(b), err
	}
	from, buckets := t.Block().Arg[argNextBucket], t.Layout().Buckets
	n := min(each, buckets-from)
	returned, markers, err := compact(t, from, n)
	if err != nil {
		return host.Nothing(b), err
	}
	t.Note(fmt.Sprintf("buckets %d to %d of %d: took out %d erased pairs and gave %d slabs back",
		from, from+n-1, buckets, markers, returned))
	block := t.Block()
	block.Arg[argNextBucket] = (from + n) % buckets
	t.SetBlock(block)
	return host.Nothing(b), nil
}

func compactAll(t schemes.Table) (returned, markers uint64, err error) {
	return compact(t, 0, t.Layout().Buckets)
}

// compact compacts n buckets, and returns the numbers of released slabs and of removed markers.
func compact(t schemes.Table, from, n uint64) (returned, markers uint64, err error) {
	block := t.Block()
	block.Arg[argNextBucket] = from
	out, err := t.Scratch(16, 0)
	if err == nil {
		_, err = t.Launch(schemes.Batch{Op: "flush", N: n, Block: kernels.Batch{Out: uint64(out)}, As: &block})
	}
	if err == nil {
		err = notExhausted(t)
	}
	if err != nil {
		return 0, 0, err
	}
	both, err := host.Read[uint64](t, uint64(out), 2)
	return both[0], both[1], err
}
