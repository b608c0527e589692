package schemes

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// What the kernels are told of the subtables in kernels.Table.Arg, behind the
// parameters (kernels/subtables.h).
const (
	argChain  = 0
	argBase   = 2
	argLevel  = argBase + 1
	argWeight = argLevel + mostSubtables
)

// evenWeight is the weight of each subtable if all are to be given as many pairs.
const evenWeight = 1 << 20

// setupDycuckoo tells the kernels how a table begins: all subtables alike.
func setupDycuckoo(t Table) error {
	b, l := t.Block(), t.Layout()
	buckets := l.Buckets / uint64(b.Hashes) // exactly those that there are, so nothing is rounded
	level := bits.TrailingZeros64(buckets)
	b.Arg[argBase] = buckets >> level
	for i := range b.Hashes {
		b.Arg[argLevel+i], b.Arg[argWeight+i] = uint64(level), evenWeight
	}
	t.SetBlock(b)
	return nil
}

// subtables are a table whose host side is at work.
type subtables struct {
	t       Table
	block   kernels.Table
	pair    Pair
	bucket  uint64 // slots of one
	size    uint64 // pairs in the table
	auto    bool   // resize when alpha and beta demand it
	low, up float64
}

func openSubtables(t Table) *subtables {
	c := t.Config()
	return &subtables{
		t: t, block: t.Block(), pair: t.Pair(), bucket: bucketOf(t.Pair()), size: t.Size(),
		auto: c.Get("resize") != dycuckooManual,
		low:  float64(c.Get("alpha")) / 100, up: float64(c.Get("beta")) / 100,
	}
}

func (s *subtables) count() int              { return int(s.block.Hashes) }
func (s *subtables) level(i int) uint64      { return s.block.Arg[argLevel+i] }
func (s *subtables) buckets(i int) uint64    { return s.block.Arg[argBase] << s.level(i) }
func (s *subtables) slots(i int) uint64      { return s.buckets(i) * s.bucket }
func (s *subtables) at(i int) device.Addr    { return device.Addr(s.block.Region[2*i]) }
func (s *subtables) capacity() (n uint64)    { return s.over(s.slots) }
func (s *subtables) filled(n uint64) float64 { return float64(n) / float64(s.capacity()) }

// over sums something up over the subtables.
func (s *subtables) over(f func(i int) uint64) (sum uint64) {
	for i := range s.count() {
		sum += f(i)
	}
	return sum
}

// smallest is the subtable to be doubled, largest the one to be halved.
func (s *subtables) smallest() (i int) {
	for j := range s.count() {
		if s.level(j) < s.level(i) {
			i = j
		}
	}
	return i
}

func (s *subtables) largest() (i int) {
	for j := range s.count() {
		if s.level(j) >= s.level(i) {
			i = j
		}
	}
	return i
}

// noMemory is the error of a resize for which there is no memory: the table is as it
// was before.
type noMemory struct{ error }

// part is the memory of a subtable, and the bytes of it that the layout counts: those
// of a part that was allocated are counted by themselves.
type part struct {
	slots, locks device.Addr
	level        uint64
	bytes        [2]int64
}

func (s *subtables) part(i int) part {
	regions := s.t.Layout().Regions[2*i:]
	return part{
		device.Addr(s.block.Region[2*i]), device.Addr(s.block.Region[2*i+1]), s.level(i),
		[2]int64{regions[0].Bytes, regions[1].Bytes},
	}
}

// put makes a part a subtable.
func (s *subtables) put(i int, p part) {
	s.block.Region[2*i], s.block.Region[2*i+1] = uint64(p.slots), uint64(p.locks)
	s.block.Arg[argLevel+i] = p.level
	l := s.t.Layout()
	l.Regions = slices.Clone(l.Regions)
	l.Regions[2*i].Bytes, l.Regions[2*i+1].Bytes = p.bytes[0], p.bytes[1]
	l.Buckets = s.over(s.buckets)
	l.Capacity = l.Buckets * s.bucket
	s.block.Capacity, s.block.Buckets = l.Capacity, l.Buckets
	s.t.SetLayout(l)
	s.t.SetBlock(s.block)
}

// replace gives a subtable fresh memory for base * 2^level buckets, and returns what it
// had.
func (s *subtables) replace(i int, level uint64) (old part, err error) {
	buckets := s.block.Arg[argBase] << level
	if buckets >= mostBuckets {
		return part{}, noMemory{fmt.Errorf("a subtable of %d buckets: it has fewer than 2^29", buckets)}
	}
	fresh := part{level: level}
	slots, locks := subtableRegions(i, buckets, s.pair)
	if fresh.slots, err = s.t.AllocRegion(slots); err != nil {
		return part{}, noMemory{err}
	}
	if fresh.locks, err = s.t.AllocRegion(locks); err != nil {
		return part{}, noMemory{errors.Join(err, s.t.Release(fresh.slots))}
	}
	old = s.part(i)
	s.put(i, fresh)
	return old, nil
}

func (s *subtables) release(p part) error {
	return errors.Join(s.t.Release(p.slots), s.t.Release(p.locks))
}

// grow doubles the smallest subtable: its buckets are split.
func (s *subtables) grow() error {
	i := s.smallest()
	before := s.slots(i)
	old, err := s.replace(i, s.level(i)+1)
	if err != nil {
		return err
	}
	if _, err := s.t.Launch(s.moving("split", i, old, before)); err != nil {
		return err
	}
	return s.release(old)
}

// moving is the launch of a kernel that moves the pairs of a subtable (resize.h).
func (s *subtables) moving(kernel string, i int, old part, items uint64) Batch {
	return Batch{Op: kernel, N: items, Block: kernels.Batch{Keys: uint64(old.slots), Select: uint64(i)}}
}

// shrink halves the largest subtable: its buckets are merged two by two. The pairs
// for which there is no room in them go to other subtables. Until one of those is
// touched, the subtable can be put back as it was.
func (s *subtables) shrink() error {
	i := s.largest()
	old, err := s.replace(i, s.level(i)-1)
	if err != nil {
		return err
	}
	left, err := s.merge(i, old)
	if err == nil {
		err = s.elsewhere(i, left)
	}
	if errors.As(err, &noMemory{}) {
		fresh := s.part(i)
		s.put(i, old)
		return cmp.Or(s.release(fresh), err)
	}
	return cmp.Or(err, s.release(old))
}

// merge is repeated with more room for residuals if it turns out that there was not
// enough: it reads the old subtable, and writes the same.
func (s *subtables) merge(i int, old part) (Result, error) {
	for room := s.slots(i)/16 + 1024; ; {
		b := s.moving("merge", i, old, s.slots(i))
		if err := s.makeRoom(&b, room); err != nil {
			return Result{}, err
		}
		done, err := s.t.Launch(b)
		if err != nil || done.Counts.Get("pairs") <= room {
			return done, err
		}
		room = done.Counts.Get("pairs")
	}
}

// residualChain is how many evictions a residual may cause at least.
const residualChain = 1 << 14

// elsewhere inserts residuals of subtable i into the others: for so long it has no
// weight, and chains may be long. Should they not fit, the table grows again, so that
// none is lost.
func (s *subtables) elsewhere(i int, left Result) error {
	if left.Counts.Get("pairs") == 0 {
		return nil
	}
	weight, chain := s.block.Arg[argWeight+i], s.block.Arg[argChain]
	s.block.Arg[argWeight+i], s.block.Arg[argChain] = 0, max(chain, residualChain)
	s.t.SetBlock(s.block)
	left, err := s.reinsert(left)
	s.block.Arg[argWeight+i] = weight
	for err == nil && left.Counts.Get("pairs") > 0 {
		if err = s.grow(); err == nil {
			left, err = s.reinsert(left)
		}
		if err != nil {
			err = fmt.Errorf("%d pairs are lost: they fit nowhere, and the table cannot grow: %v", left.Counts.Get("pairs"), err)
		}
	}
	s.block.Arg[argChain] = chain
	s.t.SetBlock(s.block)
	return err
}

// reinsert inserts the pairs that a launch left over.
func (s *subtables) reinsert(left Result) (Result, error) {
	from := left.Batch.Block
	b := Batch{Op: "insert", N: left.Counts.Get("pairs"), Block: kernels.Batch{Keys: from.PairKeys, Values: from.PairValues}}
	if err := s.makeRoom(&b, b.N); err != nil {
		return left, err
	}
	return s.t.Launch(b)
}

// makeRoom takes memory for pairs that a launch may leave over.
func (s *subtables) makeRoom(b *Batch, pairs uint64) error {
	keys, err := s.t.Scratch(int64(pairs)*int64(s.pair.Key), 0)
	if err != nil {
		return noMemory{err}
	}
	values, err := s.t.Scratch(int64(pairs)*int64(s.pair.Value), 0)
	if err != nil {
		return noMemory{err}
	}
	b.Block.PairKeys, b.Block.PairValues, b.Block.PairLimit = uint64(keys), uint64(values), pairs
	return nil
}

// sampled is in how many buckets of each subtable pairs are counted to weigh it.
const sampled = 1024

// weigh gives subtable i the weight n / C(m, 2), where n are its slots and m its
// pairs: in such proportions, new pairs get in each other's way least. As long as all
// subtables are alike, all weights are the same, and there is nothing to count.
func (s *subtables) weigh() error {
	if s.even() {
		return nil
	}
	sample := min(sampled, s.buckets(s.smallest()))
	sums, err := s.t.Scratch(8*mostSubtables, 0)
	if err != nil {
		return err
	}
	_, err = s.t.Launch(Batch{Op: "weigh", N: sample * s.bucket * uint64(s.count()),
		Block: kernels.Batch{Out: uint64(sums), Select: sample}})
	if err != nil {
		return err
	}
	raw := make([]byte, 8*mostSubtables)
	if err := s.t.Read(raw, sums); err != nil {
		return err
	}
	weights := make([]float64, s.count())
	for i := range weights {
		m := max(2, float64(binary.LittleEndian.Uint64(raw[8*i:]))*float64(s.buckets(i))/float64(sample))
		weights[i] = float64(s.slots(i)) / (m * (m - 1) / 2)
	}
	s.setWeights(weights)
	s.t.SetBlock(s.block)
	return nil
}

// even says whether subtables have the same size and weight.
func (s *subtables) even() bool {
	for i := range s.count() {
		if s.level(i) != s.level(0) || s.block.Arg[argWeight+i] != evenWeight {
			return false
		}
	}
	return true
}

// setWeights scales weights to whole numbers. Those of subtables of one size that
// differ by little are taken to be the same.
func (s *subtables) setWeights(weights []float64) {
	most := slices.Max(weights)
	alike := slices.Min(weights) > 0.9*most
	for i, w := range weights {
		s.block.Arg[argWeight+i] = max(1, uint64(evenWeight*w/most))
		if alike {
			s.block.Arg[argWeight+i] = evenWeight
		}
	}
}
