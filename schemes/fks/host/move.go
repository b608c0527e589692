package host

import (
	"cmp"
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/schemes"
)

// How an FKS-cuckoo table as a whole gets other buckets: all pairs are inserted into new
// memory. The old table stays intact until they are.

// tries bounds how many sizes are tried, each half as large again.
const tries = 4

// mostRoots is the maximum number of buckets, as a multiple of the regular number. If
// pairs still find no layout, more memory does not help: there are keys with equal
// hashes, or the parameters ask for the impossible.
const mostRoots = 8

// grow gives the table regular buckets for `pairs` pairs, and more than it has. It
// returns false if memory runs out.
func (f *table) grow(pairs uint64) (bool, error) {
	have, regular := f.roots(), f.regular(pairs)
	if f.poor {
		return false, nil
	}
	if have >= mostRoots*regular {
		f.Note(fmt.Sprintf("no layout found for %d pairs in %d buckets: try more rehashes or a longer max_chain", pairs, have))
		return false, nil
	}
	return f.rebuild(max(regular, have+have/4+1))
}

// rebuild moves the table to `roots` buckets, or to more if they are not enough.
func (f *table) rebuild(roots uint64) (bool, error) {
	for try := 0; try < tries && !f.poor; try++ {
		if moved, err := f.move(roots); moved || err != nil {
			return moved, err
		}
		roots += roots / 2
	}
	return false, nil
}

// move inserts all pairs into a table with `roots` buckets and the spares they need,
// which replaces this one if all pairs fit.
func (f *table) move(roots uint64) (bool, error) {
	old := f.Block()
	reserve := reserveOf(f.Config(), roots)
	l, err := layout(roots+reserve, f.per, reserve, f.Pair())
	if err != nil {
		f.poor = true
		f.Note(err.Error())
		return false, nil
	}
	b := old
	b.Capacity, b.Buckets = l.Capacity, l.Buckets
	b.Arg[argReserve], b.Arg[argDepth] = reserve, 0
	regions, err := host.Regions(f, l.Regions)
	if err != nil {
		return f.lacks("for %d buckets of %d slots: %v", l.Buckets, f.per, err), nil
	}
	for i, at := range regions {
		b.Region[i] = uint64(at)
	}
	f.SetBlock(b)
	in, err := f.transfer(old)
	gone := old
	if err != nil || !in {
		gone = f.Block() // not b: its directory may have been replaced
		f.SetBlock(old)
	} else {
		f.SetLayout(l.Moved(slotsRegion, directoryRegion, headsRegion, stateRegion))
		f.Note(fmt.Sprintf("moved to %d buckets of %d slots", l.Buckets, f.per))
	}
	for i := range l.Regions {
		err = cmp.Or(err, f.Release(device.Addr(gone.Region[i])))
	}
	return in && err == nil, err
}

// transfer inserts the pairs of another table. It returns false if some found no place in
// the end; pairs that it cannot even keep count as such.
func (f *table) transfer(from kernels.Table) (bool, error) {
	if f.size == 0 {
		return true, nil
	}
	b := schemes.Batch{Op: "transfer", N: from.Capacity}
	room := f.size/16 + 1024
	if !f.roomFor(&b.Block, room) {
		return false, nil
	}
	b.Block.Keys = from.Region[slotsRegion]
	size := f.size
	done, err := f.launch(b)
	if err == nil && done.Counts.Get("pairs") <= room {
		done, err = f.settle(done, false)
	}
	f.size = size
	return err == nil && done.Counts.Get("pairs") == 0, err
}

// sparse is the fraction of regular load, 1/sparse, below which a table shrinks.
const sparse = 4

// erase carries out erases, alone or in a mixed batch, and then merges or shrinks what is sparse.
func erase(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	f := open(t)
	done, err := f.launch(b)
	if err != nil || done.Counts.Get("removed") == 0 {
		return done, err
	}
	f.size -= done.Counts.Get("removed")
	if err = f.tidy(); err == nil {
		done.Counts.SetWork(f.work)
	}
	return done, err
}

// tidy shrinks a table that is sparse as a whole, and otherwise merges buckets of which two make one.
func (f *table) tidy() error {
	roots, have := f.regular(f.size), f.roots()
	if roots < have && f.size*sparse < f.holds(have, f.load) {
		_, err := f.rebuild(roots)
		return err
	}
	for range f.Block().Arg[argDepth] {
		// No bucket that a merge involves may be listed for anything else, and all merges
		// are done here: each gives back more spares than it takes.
		if s, err := f.state(); err != nil || s[listed] > 0 || f.spares(s) == 0 {
			return err
		}
		if _, err := f.launch(schemes.Batch{Op: "survey", N: f.Block().Buckets}); err != nil {
			return err
		}
		if merged, err := f.repair(); err != nil || !merged {
			return err
		}
	}
	return nil
}

// flush brings the table to regular load, without the markers of erased pairs.
func flush(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	f := open(t)
	_, err := f.rebuild(f.regular(f.size))
	return f.nothingElse(b), err
}

// resize gives the table the requested number of slots, or those that its pairs need, and
// prevents it from shrinking below that.
func resize(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	f := open(t)
	buckets := bucketsFor(t.Config(), b.N)
	roots := buckets - reserveOf(t.Config(), buckets)
	block := t.Block()
	block.Arg[argLeast] = roots
	t.SetBlock(block)
	if f.size > f.holds(roots, f.full) {
		roots = f.regular(f.size)
		t.Note(fmt.Sprintf("%d slots are too few for %d pairs", b.N, f.size))
	}
	_, err := f.rebuild(roots)
	return f.nothingElse(b), err
}

func (f *table) nothingElse(b schemes.Batch) schemes.Result {
	done := host.Nothing(b)
	done.Counts.SetWork(f.work)
	return done
}
