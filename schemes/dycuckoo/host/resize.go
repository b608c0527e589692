package host

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/schemes"
)

// setup describes a new table to the kernels: all subtables are equal.
func setup(t schemes.Table) error {
	b, l := t.Block(), t.Layout()
	buckets := l.Buckets / uint64(b.Hashes) // the exact number, so nothing is rounded
	level := bits.TrailingZeros64(buckets)
	b.Arg[argBase] = buckets >> level
	for i := range uint64(b.Hashes) {
		b.Arg[argLevel+i], b.Arg[argWeight+i] = uint64(level), evenWeight
	}
	t.SetBlock(b)
	return nil
}

// subtables is a table whose host side is at work.
type subtables struct {
	t       schemes.Table
	block   kernels.Table
	pair    schemes.Pair
	kept    storage
	bucket  uint64 // slots per bucket
	size    uint64 // pairs in the table
	auto    bool   // resize when alpha and beta require it
	fresh   bool   // since the table was empty, no pair was moved, and none erased
	low, up float64
}

func openSubtables(t schemes.Table) *subtables {
	c := t.Config()
	kept := storageOf(c, t.Pair())
	return &subtables{
		t: t, block: t.Block(), pair: t.Pair(), kept: kept, bucket: kept.bucket(), size: t.Size(),
		auto: c.Settings()["resize"] == "auto",
		low:  float64(c.Get("alpha")) / 100, up: float64(c.Get("beta")) / 100,
	}
}

func (s *subtables) count() uint64           { return uint64(s.block.Hashes) }
func (s *subtables) levels() []uint64        { return s.block.Arg[argLevel:][:s.count()] }
func (s *subtables) weights() []uint64       { return s.block.Arg[argWeight:][:s.count()] }
func (s *subtables) level(i uint64) uint64   { return s.levels()[i] }
func (s *subtables) buckets(i uint64) uint64 { return s.block.Arg[argBase] << s.level(i) }
func (s *subtables) slots(i uint64) uint64   { return s.buckets(i) * s.bucket }
func (s *subtables) capacity() uint64        { return s.allBuckets() * s.bucket }
func (s *subtables) filled(n uint64) float64 { return float64(n) / float64(s.capacity()) }

func (s *subtables) allBuckets() (sum uint64) {
	for i := range s.count() {
		sum += s.buckets(i)
	}
	return sum
}

// smallest returns the subtable to double: the first of the smallest.
func (s *subtables) smallest() uint64 {
	return uint64(slices.Index(s.levels(), slices.Min(s.levels())))
}

// largest returns the subtable to halve: the last of the largest.
func (s *subtables) largest() (i uint64) {
	for j, level := range s.levels() {
		if level >= s.level(i) {
			i = uint64(j)
		}
	}
	return i
}

// memory returns the pairs and the locks of a subtable.
func (s *subtables) memory(i uint64) []device.Addr {
	return []device.Addr{device.Addr(s.block.Region[2*i]), device.Addr(s.block.Region[2*i+1])}
}

// replace gives a subtable new memory for base * 2^level buckets, and returns its old memory.
func (s *subtables) replace(i, level uint64) (old []device.Addr, err error) {
	buckets := s.block.Arg[argBase] << level
	if buckets >= mostBuckets {
		return nil, schemes.NoMemory{Err: fmt.Errorf("a subtable of %d buckets: it has fewer than 2^29", buckets)}
	}
	regions := s.kept.regions(i, buckets)
	regions[0].Raw = true // split and merge write each slot
	at, err := host.Regions(s.t, regions)
	if err != nil {
		return nil, err
	}
	old = s.memory(i)
	s.block.Region[2*i], s.block.Region[2*i+1] = uint64(at[0]), uint64(at[1])
	s.levels()[i], s.block.Arg[argWeighed] = level, 0
	l := s.t.Layout().Moved(2*i, 2*i+1)
	l.Buckets = s.allBuckets()
	l.Capacity = l.Buckets * s.bucket
	s.block.Capacity, s.block.Buckets = l.Capacity, l.Buckets
	s.t.SetLayout(l)
	s.t.SetBlock(s.block)
	return old, nil
}

// grow doubles the smallest subtable by splitting its buckets.
func (s *subtables) grow() error {
	i := s.smallest()
	before := s.slots(i)
	s.fresh = false
	old, err := s.replace(i, s.level(i)+1)
	if err != nil {
		return err
	}
	if _, err := s.t.Launch(moving("split", i, old, before)); err != nil {
		return err
	}
	return host.Release(s.t, old...)
}

// moving returns the launch of a kernel that moves the pairs of a subtable (resize.h).
func moving(kernel string, i uint64, old []device.Addr, items uint64) schemes.Batch {
	return schemes.Batch{Op: kernel, N: items, Block: kernels.Batch{Keys: uint64(old[0]), Select: i}}
}

// shrink halves the largest subtable by merging its buckets in pairs. Pairs that do not fit go to
// other subtables. If they do not fit there either, the table grows again, and is as large as before.
// Until another subtable is changed, the halved one can be restored.
func (s *subtables) shrink() error {
	i, layout, block := s.largest(), s.t.Layout(), s.block
	old, err := s.replace(i, s.level(i)-1)
	if err != nil {
		return err
	}
	left, err := s.merge(i, old)
	if err == nil {
		err = s.elsewhere(i, left)
	}
	if errors.Is(err, schemes.ErrNoMemory) {
		fresh := s.memory(i)
		s.block = block
		s.t.SetLayout(layout)
		s.t.SetBlock(block)
		return cmp.Or(host.Release(s.t, fresh...), err)
	}
	return cmp.Or(err, host.Release(s.t, old...))
}

// merge is repeated with more room for residuals if there was too little: it reads the
// old subtable, and writes the same results.
func (s *subtables) merge(i uint64, old []device.Addr) (schemes.Result, error) {
	for room := s.slots(i)/16 + 1024; ; {
		b := moving("merge", i, old, s.slots(i))
		if err := host.MakeRoom(s.t, &b.Block, room); err != nil {
			return schemes.Result{}, err
		}
		done, err := s.t.Launch(b)
		if err != nil || done.Counts.Get("pairs") <= room {
			return done, err
		}
		room = done.Counts.Get("pairs")
	}
}

// residualChain is the minimum length of an eviction chain that a residual may cause.
const residualChain = 1 << 14

// elsewhere inserts residuals of subtable i into the others: meanwhile subtable i has weight 0, and
// chains may be long. If they do not fit, the table grows again, so that no pair is lost.
func (s *subtables) elsewhere(i uint64, left schemes.Result) error {
	if left.Counts.Get("pairs") == 0 {
		return nil
	}
	weight, chain := s.weights()[i], s.block.Arg[argChain]
	s.weights()[i], s.block.Arg[argChain] = 0, max(chain, residualChain)
	s.t.SetBlock(s.block)
	left, err := s.insertLeftOver(left)
	s.weights()[i] = weight
	for err == nil && left.Counts.Get("pairs") > 0 {
		if err = s.grow(); err == nil {
			left, err = s.insertLeftOver(left)
		}
		if err != nil {
			err = fmt.Errorf("%d pairs are lost: they fit nowhere, and the table cannot grow: %v", left.Counts.Get("pairs"), err)
		}
	}
	s.block.Arg[argChain] = chain
	s.t.SetBlock(s.block)
	return err
}

func (s *subtables) insertLeftOver(left schemes.Result) (schemes.Result, error) {
	b := host.LeftOver("insert", left)
	if err := host.MakeRoom(s.t, &b.Block, b.N); err != nil {
		return left, err
	}
	return s.t.Launch(b)
}
