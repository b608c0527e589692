package host

import (
	"cmp"
	"fmt"
	"math/bits"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/schemes"
)

// The host side of FKS-cuckoo: what happens when buckets are full, have no layout or are
// sparse. table.h describes the kernels.

// setup sets what depends on several parameters.
func setup(t schemes.Table) error {
	b := t.Block()
	b.Arg[argRegular], b.Arg[argFull] = loads(t.Config())
	b.Arg[argDepth] = 0
	b.Arg[argReserve] = reserveOf(t.Config(), b.Buckets)
	b.Arg[argLeast] = b.Buckets - b.Arg[argReserve]
	t.SetBlock(b)
	return nil
}

// lacks notes what there was no memory for, and returns false.
func (f *table) lacks(format string, args ...any) bool {
	f.poor = true
	f.Note(fmt.Sprintf("no memory "+format, args...))
	return false
}

// ring returns the size of the ring of spares: a power of two above the number of buckets.
func ring(buckets uint64) uint64 { return 1 << bits.Len64(buckets) }

// table is a table during a batch.
type table struct {
	schemes.Table
	per  uint64         // slots per bucket
	load uint64         // percentage to which a new bucket is filled
	full uint64         // percentage at which a bucket is full
	size uint64         // pairs in the table
	work schemes.Counts // counters of all launches
	poor bool           // memory to grow was not available
}

func open(t schemes.Table) *table {
	load, full := loads(t.Config())
	return &table{
		Table: t, per: uint64(t.Config().Get("bucket")), load: load, full: full,
		size: t.Size(), work: schemes.NewCounts(),
	}
}

// launch adds up the kernels' counters.
func (f *table) launch(b schemes.Batch) (schemes.Result, error) {
	done, err := f.Launch(b)
	if err == nil {
		f.work.Add(done.Counts)
	}
	return done, err
}

func (f *table) roots() uint64 {
	b := f.Block()
	return b.Buckets - b.Arg[argReserve]
}

// holds returns how many pairs fill `buckets` buckets to a percentage.
func (f *table) holds(buckets, percent uint64) uint64 { return buckets * f.per * percent / 100 }

// regular returns how many buckets hold `pairs` pairs at regular load, and at least as
// many as the table was created with.
func (f *table) regular(pairs uint64) uint64 {
	each := f.per * f.load
	return max((100*pairs+each-1)/each, f.Block().Arg[argLeast])
}

// insert inserts a batch, makes room if there is too little for all of it, and repairs
// buckets until all pairs are in or memory runs out.
func insert(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	f := open(t)
	if b.Block.Ops == 0 { // the number of inserts in a mixed batch is unknown
		if err := f.makeRoom(f.size + b.N); err != nil {
			return schemes.Result{}, err
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
	f.work.SetInserts(asked, done.Counts.Get("pairs"))
	return schemes.Result{Counts: f.work, Batch: done.Batch}, nil
}

// makeRoom grows the table if `pairs` pairs would fill all of its buckets.
func (f *table) makeRoom(pairs uint64) error {
	if pairs <= f.holds(f.roots(), f.full) {
		return nil
	}
	s, err := f.state()
	if err == nil && pairs > f.holds(f.Block().Buckets-f.spares(s), f.full) {
		_, err = f.grow(pairs)
	}
	return err
}

// rounds bounds how often a batch is retried; usually it takes one or two rounds.
const rounds = 100

// settle inserts the pairs that a launch left over, after repairs, until none is left or
// nothing helps. Only a table that may grow is moved to new memory.
func (f *table) settle(done schemes.Result, mayGrow bool) (schemes.Result, error) {
	arrays := [2]kernels.Batch{}
	before, idle := done.Counts.Get("pairs"), 0
	for round := 0; before > 0 && round < rounds; round++ {
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

// roomFor allocates arrays for the pairs that an insert may leave over, unless they
// exist: later rounds leave fewer. It returns false if memory runs out.
func (f *table) roomFor(b *kernels.Batch, pairs uint64) bool {
	if b.PairKeys != 0 {
		return true
	}
	if err := host.MakeRoom(f, b, pairs); err != nil {
		return f.lacks("to set %d pairs aside: %v", pairs, err)
	}
	return true
}

// again inserts what a launch left over. Pairs that are left over now go to other arrays.
func (f *table) again(done schemes.Result, b kernels.Batch) (schemes.Result, error) {
	next := host.LeftOver("insert", done)
	next.Block.PairKeys, next.Block.PairValues, next.Block.PairLimit = b.PairKeys, b.PairValues, b.PairLimit
	done, err := f.launch(next)
	if err == nil {
		f.size += done.Counts.Get("ok")
	}
	return done, err
}

// state is what the kernels report: the words of State in table.h.
type state []uint32

// The words of a state that the host side uses.
var (
	listed, splits           = header.Of("State.listed"), header.Of("State.splits")
	narrow, stuck            = header.Of("State.narrow"), header.Of("State.stuck")
	popped, pushed           = header.Of("State.popped"), header.Of("State.pushed")
	rehashed, halved, merged = header.Of("State.rehashed"), header.Of("State.halved"), header.Of("State.merged")
)

func (s state) get(word uint64) uint64 { return uint64(s[word]) }

func (f *table) state() (state, error) {
	return host.Read[uint32](f, f.Block().Region[stateRegion], stateBytes/4)
}

func (f *table) setState(s state) error { return host.Write(f, f.Block().Region[stateRegion], s...) }

// spares returns the number of spare buckets. The counters wrap around.
func (f *table) spares(s state) uint64 {
	return uint64(uint32(f.Block().Arg[argReserve]) + s[pushed] - s[popped])
}

// repair renews the listed buckets, as many at a time as spares allow. It returns false
// if that was not enough: the table as a whole is too full, or a bucket found no layout.
func (f *table) repair() (bool, error) {
	s, err := f.state()
	if err != nil || s[listed] == 0 || s.get(splits) > f.spares(s) {
		return false, err
	}
	for at := uint64(0); at < s.get(listed); {
		each := 1 + min(1, s.get(splits)) // spares that the renewal of a bucket takes
		jobs := min(s.get(listed)-at, f.spares(s)/each)
		if jobs > 0 && s[narrow] != 0 {
			if widened, err := f.widen(s); err != nil || !widened {
				jobs = 0
			}
		}
		if jobs == 0 {
			return false, f.postpone(s, at)
		}
		if _, err = f.launch(schemes.Batch{Op: "renew", N: 32 * jobs, Block: kernels.Batch{Keys: at}}); err != nil {
			return false, err
		}
		at += jobs
		if s, err = f.state(); err != nil {
			return false, err
		}
	}
	helped := s[stuck] == 0
	s[listed], s[splits], s[narrow], s[stuck] = 0, 0, 0, 0
	return helped, f.setState(s)
}

// postpone keeps what is not done yet on the list.
func (f *table) postpone(s state, done uint64) error {
	list := f.Block().Region[stateRegion] + stateBytes + 4*ring(f.Block().Buckets)
	rest, err := host.Read[uint32](f, list+4*done, s.get(listed)-done)
	if err != nil {
		return err
	}
	s[listed] -= uint32(done)
	return cmp.Or(host.Write(f, list, rest...), f.setState(s))
}

// mostDepth bounds the directory: random skew does not split a bucket more often while
// the table as a whole has room.
const mostDepth = 8

// widen doubles the directory. It returns false if memory runs out.
func (f *table) widen(s state) (bool, error) {
	b := f.Block()
	entries := f.roots() << (b.Arg[argDepth] + 1)
	if b.Arg[argDepth] == mostDepth || entries >= 1<<31 {
		return false, nil
	}
	at, err := f.Alloc(int64(8*entries), 0)
	if err != nil {
		return f.lacks("for a directory of %d entries: %v", entries, err), nil
	}
	old := b.Region[directoryRegion]
	b.Region[directoryRegion], b.Arg[argDepth] = uint64(at), b.Arg[argDepth]+1
	f.SetBlock(b)
	if _, err := f.launch(schemes.Batch{Op: "widen", N: entries, Block: kernels.Batch{Keys: old}}); err != nil {
		return false, err
	}
	f.SetLayout(f.Layout().Moved(directoryRegion))
	s[narrow] = 0
	if err := f.setState(s); err != nil {
		return false, err
	}
	return true, f.Release(device.Addr(old))
}
