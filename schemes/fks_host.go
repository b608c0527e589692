package schemes

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// The host side of FKS-cuckoo: what happens when buckets are full, find no layout
// or are sparse. kernels/fks.h says what each kernel does.

// fksSetup settles what depends on several parameters.
func fksSetup(t Table) error {
	b := t.Block()
	b.Arg[fksArgRegular], b.Arg[fksArgFull] = fksLoads(t.Config())
	b.Arg[fksArgDepth] = 0
	b.Arg[fksArgReserve] = fksReserveOf(t.Config(), b.Buckets)
	b.Arg[fksArgLeast] = b.Buckets - b.Arg[fksArgReserve]
	t.SetBlock(b)
	return nil
}

// lacks notes what there was no memory for, and returns false.
func (f *fks) lacks(format string, args ...any) bool {
	f.poor = true
	f.Note(fmt.Sprintf("no memory "+format, args...))
	return false
}

// fksRing is the size of the ring of spares: a power of two above the buckets.
func fksRing(buckets uint64) uint64 { return 1 << bits.Len64(buckets) }

// fks is a table while a batch is being carried out.
type fks struct {
	Table
	per  uint64 // slots of a bucket
	load uint64 // percent of them for which it is made
	full uint64 // and at which it is full
	size uint64 // pairs in the table
	work Counts // of all launches
	poor bool   // there was no memory to grow
}

func newFks(t Table) *fks {
	load, full := fksLoads(t.Config())
	return &fks{
		Table: t, per: uint64(t.Config().Get("bucket")), load: load, full: full,
		size: t.Size(), work: make(Counts, len(kernels.Counters)),
	}
}

// launch adds up what the kernels count.
func (f *fks) launch(b Batch) (Result, error) {
	done, err := f.Launch(b)
	if err == nil {
		f.work.Add(done.Counts)
	}
	return done, err
}

func (f *fks) roots() uint64 {
	b := f.Block()
	return b.Buckets - b.Arg[fksArgReserve]
}

// holds is how many pairs fill so many buckets to a percentage.
func (f *fks) holds(buckets, percent uint64) uint64 { return buckets * f.per * percent / 100 }

// regular is how many buckets so many pairs make at regular load, and no fewer than
// the table was made with.
func (f *fks) regular(pairs uint64) uint64 {
	each := f.per * f.load
	return max((100*pairs+each-1)/each, f.Block().Arg[fksArgLeast])
}

// fksInsert inserts a batch; makes room if there is too little for all of it to be in;
// and repairs what goes wrong, until all pairs are in or there is no more memory.
func fksInsert(t Table, b Batch) (Result, error) {
	f := newFks(t)
	if b.Block.Ops == 0 { // of a mixed batch, nobody knows how many are inserts
		if err := f.makeRoom(f.size + b.N); err != nil {
			return Result{}, err
		}
	}
	done, err := f.launch(b)
	if err != nil {
		return done, err
	}
	f.size += done.Counts.Get("ok")
	asked := done.Counts.Get("ok") + done.Counts.Get("failed")
	if done, err = f.settle(done, true); err != nil {
		return done, err
	}
	left := done.Counts.Get("pairs")
	f.work.Set("ok", asked-left)
	f.work.Set("added", asked-left)
	f.work.Set("failed", left)
	f.work.Set("pairs", left)
	return Result{Counts: f.work, Batch: done.Batch}, nil
}

// makeRoom grows the table if so many pairs would fill all of its buckets.
func (f *fks) makeRoom(pairs uint64) error {
	if pairs <= f.holds(f.roots(), f.full) {
		return nil
	}
	s, err := f.state()
	if err == nil && pairs > f.holds(f.Block().Buckets-f.spares(s), f.full) {
		_, err = f.grow(pairs)
	}
	return err
}

// fksRounds bounds how often a batch is taken up again: usually it is once or twice.
const fksRounds = 100

// settle inserts the pairs that a launch left over, after repairs, until none is
// left or nothing helps. Only a table that may grow is moved to new memory.
func (f *fks) settle(done Result, mayGrow bool) (Result, error) {
	arrays := [2]kernels.Batch{}
	before, idle := done.Counts.Get("pairs"), 0
	for round := 0; before > 0 && round < fksRounds; round++ {
		better, err := f.repair()
		if err == nil && (!better || idle > 2) {
			idle = 0
			if !mayGrow {
				return done, nil
			}
			better, err = f.grow(f.size + before)
		}
		spare := &arrays[round%2]
		if err != nil || !better || !f.roomFor(spare, before) {
			return done, err
		}
		if done, err = f.again(done, *spare); err != nil {
			return done, err
		}
		left := done.Counts.Get("pairs")
		if left >= before {
			idle++
		}
		before = left
	}
	return done, nil
}

// roomFor takes arrays for so many pairs that an insert may leave over, unless they
// are there: later rounds have fewer. It returns false if there is no memory.
func (f *fks) roomFor(b *kernels.Batch, pairs uint64) bool {
	if b.PairKeys != 0 {
		return true
	}
	keys, err := f.Scratch(int64(pairs)*int64(f.Pair().Key), 0)
	var values device.Addr
	if err == nil {
		values, err = f.Scratch(int64(pairs)*int64(f.Pair().Value), 0)
	}
	if err != nil {
		return f.lacks("to set %d pairs aside: %v", pairs, err)
	}
	b.PairKeys, b.PairValues, b.PairLimit = uint64(keys), uint64(values), pairs
	return true
}

// again inserts what a launch left over. What is left over now goes to other arrays.
func (f *fks) again(done Result, b kernels.Batch) (Result, error) {
	b.Keys, b.Values = done.Batch.Block.PairKeys, done.Batch.Block.PairValues
	done, err := f.launch(Batch{Op: "insert", N: done.Counts.Get("pairs"), Block: b})
	if err == nil {
		f.size += done.Counts.Get("ok")
	}
	return done, err
}

// fksState is State in fks.h.
type fksState struct {
	Listed, Splits, Narrow, Stuck, Popped, Pushed uint32
	Rehashed, Halved, Merged                      uint32
	_                                             uint32
}

// each is how many spares it takes to renew a bucket.
func (s fksState) each() uint64 {
	if s.Splits > 0 {
		return 2
	}
	return 1
}

func (f *fks) state() (s fksState, err error) {
	raw := make([]byte, fksStateBytes)
	if err = f.Read(raw, device.Addr(f.Block().Region[3])); err == nil {
		_, err = binary.Decode(raw, binary.LittleEndian, &s)
	}
	return s, err
}

func (f *fks) setState(s fksState) error {
	raw, err := binary.Append(nil, binary.LittleEndian, s)
	if err != nil {
		return err
	}
	return f.Write(device.Addr(f.Block().Region[3]), raw)
}

// spares is how many buckets are. The counts wrap around.
func (f *fks) spares(s fksState) uint64 {
	return uint64(uint32(f.Block().Arg[fksArgReserve]) + s.Pushed - s.Popped)
}

// repair renews the listed buckets, as many at a time as there are spares for. It
// returns false if that was not enough: the table is too full as a whole, or a bucket
// found no layout whatever was tried.
func (f *fks) repair() (bool, error) {
	s, err := f.state()
	if err != nil || s.Listed == 0 || uint64(s.Splits) > f.spares(s) {
		return false, err
	}
	for at := uint64(0); at < uint64(s.Listed); {
		jobs := min(uint64(s.Listed)-at, f.spares(s)/s.each())
		if jobs > 0 && s.Narrow != 0 {
			if widened, err := f.widen(s); err != nil || !widened {
				jobs = 0
			}
		}
		if jobs == 0 {
			return false, f.postpone(s, at)
		}
		if _, err = f.launch(Batch{Op: "renew", N: 32 * jobs, Block: kernels.Batch{Keys: at}}); err != nil {
			return false, err
		}
		at += jobs
		if s, err = f.state(); err != nil {
			return false, err
		}
	}
	stuck := s.Stuck
	s.Listed, s.Splits, s.Narrow, s.Stuck = 0, 0, 0, 0
	return stuck == 0, f.setState(s)
}

// postpone leaves on the list what is not done yet.
func (f *fks) postpone(s fksState, done uint64) error {
	list := device.Addr(f.Block().Region[3]) + fksStateBytes + device.Addr(4*fksRing(f.Block().Buckets))
	rest := make([]byte, 4*(uint64(s.Listed)-done))
	if err := f.Read(rest, list+device.Addr(4*done)); err != nil {
		return err
	}
	s.Listed -= uint32(done)
	if err := f.Write(list, rest); err != nil {
		return err
	}
	return f.setState(s)
}

// fksDepth bounds the directory: no chance makes a bucket be split more often than
// this while the table as a whole has room.
const fksDepth = 8

// widen doubles the directory. It returns false if there is no memory for that.
func (f *fks) widen(s fksState) (bool, error) {
	b := f.Block()
	entries := f.roots() << (b.Arg[fksArgDepth] + 1)
	if b.Arg[fksArgDepth] == fksDepth || entries >= 1<<31 {
		return false, nil
	}
	at, err := f.Alloc(int64(8*entries), 0)
	if err != nil {
		return f.lacks("for a directory of %d entries: %v", entries, err), nil
	}
	old := b.Region[1]
	b.Region[1], b.Arg[fksArgDepth] = uint64(at), b.Arg[fksArgDepth]+1
	f.SetBlock(b)
	if _, err := f.launch(Batch{Op: "widen", N: entries, Block: kernels.Batch{Keys: old}}); err != nil {
		return false, err
	}
	f.replaced(1)
	s.Narrow = 0
	if err := f.setState(s); err != nil {
		return false, err
	}
	return true, f.Release(device.Addr(old))
}

// replaced says that regions are no longer those that the table was made with: their
// bytes are counted with what was taken since.
func (f *fks) replaced(regions ...int) {
	l := f.Layout()
	l.Regions = append([]Region(nil), l.Regions...)
	for _, i := range regions {
		l.Regions[i].Bytes = 0
	}
	f.SetLayout(l)
}
