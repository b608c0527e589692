package schemes

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// How an FKS-cuckoo table as a whole gets other buckets: all pairs are inserted into
// new memory. The old table stays as it is until they are.

// fksTries bounds how many sizes are tried, each half as large again.
const fksTries = 4

// fksMost is how many times the regular number of buckets a table may have. If pairs
// still find no layout, more memory does not help: there are keys of equal hashes, or
// the parameters ask for the impossible.
const fksMost = 8

// grow gives the table regular buckets for so many pairs, and more than it has. It
// returns false if there is no memory for them.
func (f *fks) grow(pairs uint64) (bool, error) {
	have, regular := f.roots(), f.regular(pairs)
	if f.poor {
		return false, nil
	}
	if have >= fksMost*regular {
		f.Note(fmt.Sprintf("no layout found for %d pairs in %d buckets: try more rehashes or a longer max_chain", pairs, have))
		return false, nil
	}
	return f.rebuild(max(regular, have+have/4+1))
}

// rebuild moves the table to so many buckets, or to more if they do not do.
func (f *fks) rebuild(roots uint64) (bool, error) {
	for try := 0; try < fksTries && !f.poor; try++ {
		if moved, err := f.move(roots); moved || err != nil {
			return moved, err
		}
		roots += roots / 2
	}
	return false, nil
}

// move inserts all pairs into a table with so many buckets and as many spares as
// they need, which takes this one's place if all are in.
func (f *fks) move(roots uint64) (bool, error) {
	old := f.Block()
	reserve := fksReserveOf(f.Config(), roots)
	l, err := fksLayout(roots+reserve, f.per, reserve, f.Pair())
	if err != nil {
		f.poor = true
		f.Note(err.Error())
		return false, nil
	}
	b := old
	b.Capacity, b.Buckets = l.Capacity, l.Buckets
	b.Arg[fksArgReserve], b.Arg[fksArgDepth] = reserve, 0
	if ok, err := f.take(l, &b); !ok {
		return false, err
	}
	f.SetBlock(b)
	in, err := f.transfer(old)
	gone := old
	if err != nil || !in {
		gone = f.Block() // not b: its directory may have been replaced
		f.SetBlock(old)
	} else {
		f.SetLayout(l)
		f.replaced(0, 1, 2, 3)
		f.Note(fmt.Sprintf("moved to %d buckets of %d slots", l.Buckets, f.per))
	}
	for i := range l.Regions {
		if e := f.Release(device.Addr(gone.Region[i])); err == nil {
			err = e
		}
	}
	return in && err == nil, err
}

// take takes the memory of a layout, all of it or none.
func (f *fks) take(l Layout, b *kernels.Table) (bool, error) {
	for i, r := range l.Regions {
		at, err := f.AllocRegion(r)
		if err == nil {
			b.Region[i] = uint64(at)
			continue
		}
		f.lacks("for %d buckets of %d slots: %v", l.Buckets, f.per, err)
		for j := range i {
			if err := f.Release(device.Addr(b.Region[j])); err != nil {
				return false, err
			}
		}
		return false, nil
	}
	return true, nil
}

// transfer inserts the pairs of another table. It returns false if some found no
// place in the end; those that it cannot even keep count as such.
func (f *fks) transfer(from kernels.Table) (bool, error) {
	if f.size == 0 {
		return true, nil
	}
	b := Batch{Op: "transfer", N: from.Capacity}
	room := f.size/16 + 1024
	if !f.roomFor(&b.Block, room) {
		return false, nil
	}
	b.Block.Keys = from.Region[0]
	size := f.size
	done, err := f.launch(b)
	if err == nil && done.Counts.Get("pairs") <= room {
		done, err = f.settle(done, false)
	}
	f.size = size
	return err == nil && done.Counts.Get("pairs") == 0, err
}

// fksSparse is the part of regular load, one in so many, below which a table shrinks.
const fksSparse = 4

// fksErase carries out erases, alone or among others, and merges or shrinks what is
// sparse then.
func fksErase(t Table, b Batch) (Result, error) {
	f := newFks(t)
	done, err := f.launch(b)
	if err != nil || done.Counts.Get("removed") == 0 {
		return done, err
	}
	f.size -= done.Counts.Get("removed")
	kept := append(Counts(nil), f.work...)
	if err = f.tidy(); err == nil {
		done.Counts = f.counted(kept)
	}
	return done, err
}

// counted are the outcomes of the batch, and all that the kernels did.
func (f *fks) counted(outcomes Counts) Counts {
	first := slices.Index(kernels.Counters, "probes")
	copy(outcomes[first:], f.work[first:])
	return outcomes
}

// tidy shrinks a table that is sparse as a whole, and otherwise merges the buckets of
// which two make one.
func (f *fks) tidy() error {
	roots, have := f.regular(f.size), f.roots()
	if roots < have && f.size*fksSparse < f.holds(have, f.load) {
		_, err := f.rebuild(roots)
		return err
	}
	for range f.Block().Arg[fksArgDepth] {
		// Nothing else may be listed that a merge takes part in, and all merges are done
		// here: each gives back more spares than it takes.
		if s, err := f.state(); err != nil || s.Listed > 0 || f.spares(s) == 0 {
			return err
		}
		if _, err := f.launch(Batch{Op: "survey", N: f.Block().Buckets}); err != nil {
			return err
		}
		if merged, err := f.repair(); err != nil || !merged {
			return err
		}
	}
	return nil
}

// fksFlush brings the table to regular load, without the markers of erased pairs.
func fksFlush(t Table, b Batch) (Result, error) {
	f := newFks(t)
	_, err := f.rebuild(f.regular(f.size))
	return f.nothingElse(b), err
}

// fksResize gives the table so many slots, or those that its pairs need, and lets it
// not shrink below that.
func fksResize(t Table, b Batch) (Result, error) {
	f := newFks(t)
	buckets := fksBuckets(t.Config(), b.N)
	roots := buckets - fksReserveOf(t.Config(), buckets)
	block := t.Block()
	block.Arg[fksArgLeast] = roots
	t.SetBlock(block)
	if f.size > f.holds(roots, f.full) {
		roots = f.regular(f.size)
		t.Note(fmt.Sprintf("%d slots are too few for %d pairs", b.N, f.size))
	}
	_, err := f.rebuild(roots)
	return f.nothingElse(b), err
}

func (f *fks) nothingElse(b Batch) Result {
	return Result{Counts: f.counted(make(Counts, len(kernels.Counters))), Batch: b}
}
