package schemes

import (
	"encoding/binary"
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// The host side of slab hash: memory for SlabAlloc, inserts that find none, flush.

// slabSetup tells the kernels where the super blocks are, and takes units that are
// not there out of the bitmaps.
func slabSetup(t Table) error {
	b, l := t.Block(), t.Layout()
	units := l.Capacity/slabPlaces(t.Pair()) - l.Buckets
	if slabIsLight(t.Config()) {
		b.Arg[slabFirstUnits], b.Arg[slabSupers] = units, 1
		if err := slabTrim(t, device.Addr(b.Region[slabBitmaps]), units, false); err != nil {
			return err
		}
		t.SetBlock(b)
		return nil
	}
	supers := slabSuperBlocks(units)
	b.Arg[slabFirstUnits], b.Arg[slabFurtherUnits], b.Arg[slabSupers] = supers[0], slabFurther(supers), 0
	for i, u := range supers {
		if err := slabAddSuper(t, &b, device.Addr(b.Region[slabFirstSuper+i]), u); err != nil {
			return err
		}
	}
	t.SetBlock(b)
	return nil
}

// slabFurther is how many units the super blocks after the first have: as many as
// that one, but whole memory blocks.
func slabFurther(supers []uint64) uint64 {
	if len(supers) > 1 {
		return slabSuperUnits
	}
	return max(1, slabBlocks(supers[0])) * slabAllocUnits
}

// slabAddSuper enters a super block into the directory. Its bitmaps come first, that
// of the first memory block last, then the units, whose address is what kernels need.
func slabAddSuper(t Table, b *kernels.Table, at device.Addr, units uint64) error {
	if err := slabTrim(t, at, units, true); err != nil {
		return err
	}
	start := uint64(at) + slabBlocks(units)*slabBytes
	entry := (b.Buckets-1)/slabSuperUnits + 1 + b.Arg[slabSupers]
	b.Arg[slabSupers]++
	return t.Write(device.Addr(b.Region[slabState]+8*entry), binary.LittleEndian.AppendUint64(nil, start))
}

// slabTrim marks the units behind the last one of a memory block as taken.
func slabTrim(t Table, bitmaps device.Addr, units uint64, backwards bool) error {
	there := units % slabAllocUnits
	if there == 0 {
		return nil
	}
	bits := make([]byte, slabBytes)
	for unit := range there {
		bits[unit/8] |= 1 << (unit % 8)
	}
	last := slabBlocks(units) - 1
	if backwards {
		last = 0
	}
	return t.Write(bitmaps+device.Addr(last*slabBytes), bits)
}

// slabInsert carries out a batch that may insert. Operations that failed for want of
// a slab are tried again after a flush, and after each super block that the table
// may grow by.
func slabInsert(t Table, b Batch) (Result, error) {
	again, err := remembered(t, b)
	if err != nil {
		return Result{}, err
	}
	done, err := t.Launch(again)
	if err != nil || done.Counts.Get("failed") == 0 {
		return Result{done.Counts, b}, err
	}
	flushed := false
	for done.Counts.Get("failed") > 0 {
		more, err := slabMakeRoom(t, &flushed)
		if err != nil {
			return done, err
		}
		if !more {
			t.Note(fmt.Sprintf("no memory for slabs: %d inserts failed", done.Counts.Get("failed")))
			break
		}
		if err := retryFailed(t, again, &done); err != nil {
			return done, err
		}
	}
	return Result{done.Counts, b}, nil
}

// slabMakeRoom makes room for slabs, once by a flush, then by growing, and says
// whether there is any.
func slabMakeRoom(t Table, flushed *bool) (bool, error) {
	if !*flushed {
		*flushed = true
		returned, markers, err := slabFlushNow(t)
		if err != nil {
			return false, err
		}
		if markers > 0 {
			t.Note(fmt.Sprintf("no memory for slabs: a flush took out %d erased pairs and gave %d slabs back", markers, returned))
			return true, nil
		}
	}
	return slabGrow(t)
}

// slabGrow adds a super block, if the table may have one more.
func slabGrow(t Table) (bool, error) {
	b := t.Block()
	if slabIsLight(t.Config()) || b.Arg[slabSupers] >= uint64(t.Config().Get(slabMost.Name)) {
		return false, nil
	}
	units := b.Arg[slabFurtherUnits]
	at, err := t.Alloc(int64((slabBlocks(units)+units)*slabBytes), 0xff)
	if err != nil {
		t.Note(fmt.Sprintf("no memory for another super block: %v", err))
		return false, nil
	}
	if err := slabAddSuper(t, &b, at, units); err != nil {
		return false, err
	}
	l := t.Layout()
	l.Capacity += units * slabPlaces(t.Pair())
	b.Capacity = l.Capacity
	t.SetLayout(l)
	t.Note(fmt.Sprintf("no memory for slabs: super block %d added", b.Arg[slabSupers]))
	if err := slabNotExhausted(t); err != nil {
		return false, err
	}
	t.SetBlock(b)
	return true, nil
}

// slabNotExhausted has kernels look for free units again. The flag may be there though
// a unit was given back at the moment when it was set.
func slabNotExhausted(t Table) error {
	return t.Write(device.Addr(t.Block().Region[slabState]+8*slabDirectory), make([]byte, 4))
}

// slabFlush is the operation of that name.
func slabFlush(t Table, b Batch) (Result, error) {
	returned, markers, err := slabFlushNow(t)
	t.Note(fmt.Sprintf("took out %d erased pairs and gave %d slabs back", markers, returned))
	return Result{make(Counts, len(kernels.Counters)), b}, err
}

// slabFlushNow compacts all buckets, and says how many slabs that gave back and how
// many erased pairs it took out.
func slabFlushNow(t Table) (returned, markers uint64, err error) {
	out, err := t.Scratch(16, 0)
	if err != nil {
		return 0, 0, err
	}
	if _, err := t.Launch(Batch{Op: "flush", N: t.Layout().Buckets, Block: kernels.Batch{Out: uint64(out)}}); err != nil {
		return 0, 0, err
	}
	if err := slabNotExhausted(t); err != nil {
		return 0, 0, err
	}
	both := make([]byte, 16)
	err = t.Read(both, out)
	return binary.LittleEndian.Uint64(both), binary.LittleEndian.Uint64(both[8:]), err
}
