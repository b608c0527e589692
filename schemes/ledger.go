package schemes

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// ledger is a table while a host side works on it that is not trusted to keep count. It
// sees to what must hold of every host side (ARCHITECTURE.md): each operation of the batch
// is counted once, no pair is lost, memory that the table does not need is given back, and
// without memory the table is put back to the last state in which nothing was missing.
type ledger struct {
	Table
	asked     Batch    // what is to be carried out
	remembers bool     // which of its operations failed is kept
	before    uint64   // pairs in the table then
	work      Counts   // of all launches
	taken     []*block // those that were not given back, the one in place among them
	account
	safe   account // the last one in which no pair was missing
	broken bool    // the device has failed: nothing more is asked of it
}

// account is where things stand.
type account struct {
	now   *block
	done  *Result // what has become of the batch; nil: it was not launched
	total uint64  // pairs that must be in the table or left over
}

// block is memory for a whole table: in place, or not yet, or no longer.
type block struct {
	layout  Layout
	table   kernels.Table
	pairs   uint64 // in it
	unknown bool   // how many, as a kernel of the scheme's own may have moved some
	was     bool   // it was in place, and another took its place
	gone    bool   // its memory was given back
}

func newLedger(t Table, b Batch) *ledger {
	now := &block{layout: t.Layout(), table: t.Block(), pairs: t.Size()}
	l := &ledger{Table: t, asked: b, before: t.Size(), work: make(Counts, len(kernels.Counters)), taken: []*block{now}}
	l.account = account{now: now, total: t.Size()}
	l.safe = l.account
	return l
}

// wrong keeps in mind that the device has failed, if that is what an error says.
func (l *ledger) wrong(err error) error {
	if err != nil && !errors.Is(err, ErrNoMemory) {
		l.broken = true
	}
	return err
}

// left is how many pairs of the batch are not in the table.
func (a account) left() uint64 {
	if a.done == nil {
		return 0
	}
	return a.done.Counts.Get("pairs")
}

// whole says whether all pairs are in the table or left over.
func (l *ledger) whole() bool { return !l.now.unknown && l.now.pairs+l.left() == l.total }

// settle keeps the present state as one to come back to, if nothing is missing.
func (l *ledger) settle() {
	if l.whole() {
		l.safe = l.account
	}
}

// run launches a kernel on the table in place, and keeps count of its pairs.
func (l *ledger) run(b Batch) (Result, error) {
	done, err := l.Launch(b)
	if err != nil {
		return done, l.wrong(err)
	}
	l.work.Add(done.Counts)
	c := done.Counts
	l.now.pairs += c.Get("added") + c.Get("failed") - c.Get("pairs") - c.Get("removed")
	return done, nil
}

// own launches a kernel of the scheme's own. It may move pairs between all memory there is.
func (l *ledger) own(b Batch) (*Result, error) {
	done, err := l.Launch(b)
	if err != nil {
		return nil, l.wrong(err)
	}
	l.work.Add(done.Counts)
	for _, b := range l.taken {
		b.unknown = true
	}
	return &done, nil
}

// carryOut launches the batch itself.
func (l *ledger) carryOut(b Batch) (*Result, error) {
	if l.done != nil {
		return nil, fmt.Errorf("the batch was launched already: each of its operations counts once; hint: t:again(done) carries out those that failed")
	}
	if !l.hasKernel(b.Op) {
		return nil, fmt.Errorf("%s is carried out by this function alone: there is no kernel of that name", b.Op)
	}
	done, err := l.run(b)
	if err != nil {
		return nil, err
	}
	c := done.Counts
	l.total += c.Get("added") + c.Get("failed") - c.Get("removed")
	done.Batch = l.asked
	l.done = &done
	l.settle()
	return l.done, nil
}

func (l *ledger) hasKernel(op string) bool {
	_, there := kernels.FindHost(l.Config().Kernel(l.Pair(), op, false))
	return there
}

// current refuses a result of the batch that later work has replaced.
func (l *ledger) current(done *Result) error {
	if done != l.done {
		return errors.New("this is not what has become of the batch: it takes the last result of t:launch(batch), or of what was launched for what that left over")
	}
	return nil
}

// further makes a new result of the batch of what has become of the pairs that it had left
// over, or of all pairs. More may be left over than the batch has inserts, as a rebuild may
// fare worse than the table that was there before.
func (l *ledger) further(more Result) *Result {
	c := slices.Clone(l.done.Counts)
	asked := c.Get("ok") + c.Get("failed") + c.Get("replaced")
	left, replaced := more.Counts.Get("pairs"), c.Get("replaced")+more.Counts.Get("replaced")
	failed := min(left, asked-replaced)
	c.Set("ok", asked-replaced-failed)
	c.Set("replaced", replaced)
	c.Set("failed", failed)
	c.Set("pairs", left)
	batch, arrays := l.asked, more.Batch.Block
	batch.Block.PairKeys, batch.Block.PairValues, batch.Block.PairLimit = arrays.PairKeys, arrays.PairValues, arrays.PairLimit
	l.done = &Result{Counts: c, Batch: batch}
	l.settle()
	return l.done
}

// again carries out the operations of the batch that failed. An operation has to hand its
// own pair back for that, not one that it has pushed out.
func (l *ledger) again(done *Result) (*Result, error) {
	switch err := l.current(done); {
	case err != nil:
		return nil, err
	case !l.remembers:
		return nil, errors.New("which operations failed is not known; hint: t:launch(t:remember(batch))")
	case !l.Config().Scheme.Caps.Stable:
		return nil, errors.New("the inserts of this scheme hand back pairs that they push out; hint: t:launch(t:left(done))")
	}
	b, err := l.failedOnes()
	if err != nil {
		return nil, l.wrong(err)
	}
	return l.anew(b)
}

// failedOnes are the operations of the batch that failed. Where all of it is one operation,
// its outcomes do as operations of which some are selected.
func (l *ledger) failedOnes() (Batch, error) {
	b := l.asked
	if b.Block.Ops != 0 {
		return onlyFailed(l.Table, b)
	}
	b.Block.Ops, b.Block.Select = b.Block.Status, 1<<outcome("failed")
	return b, nil
}

// anew launches what stands for the pairs that are left over.
func (l *ledger) anew(b Batch) (*Result, error) {
	l.total -= l.left()
	done, err := l.run(b)
	if err != nil {
		return nil, err
	}
	l.total += done.Counts.Get("added") + done.Counts.Get("failed")
	return l.further(done), nil
}

// leftOver is a batch of the pairs that are left over, with room for those that will be, or
// for the answers if it asks for their keys.
func (l *ledger) leftOver(done *Result, op string) (Batch, error) {
	n, from := done.Counts.Get("pairs"), done.Batch.Block
	b := Batch{Op: op, N: n, Block: kernels.Batch{Keys: from.PairKeys, Values: from.PairValues}}
	if op == "find" {
		out, err := l.Scratch(int64(n)*int64(l.Pair().AnswerBytes()), 0)
		b.Block.Values, b.Block.Out = 0, uint64(out)
		return b, l.wrong(err)
	}
	keys, err := l.Scratch(int64(n)*int64(l.Pair().Key), 0)
	if err != nil {
		return b, l.wrong(err)
	}
	values, err := l.Scratch(int64(n)*int64(l.Pair().Value), 0)
	b.Block.PairKeys, b.Block.PairValues, b.Block.PairLimit = uint64(keys), uint64(values), n
	return b, l.wrong(err)
}

// everything is an insert batch of all pairs of the table, and of those that a result left
// over.
func (l *ledger) everything(done *Result) (Batch, error) {
	of := Result{Counts: make(Counts, len(kernels.Counters))}
	if done != nil {
		of = *done
	}
	b, err := l.TakeOut(of)
	if err != nil {
		return b, l.wrong(err)
	}
	l.now.pairs, l.now.unknown = b.N-of.Counts.Get("pairs"), false
	l.settle()
	return b, nil
}

// make takes memory for a table of so many slots, with the same hash functions or others.
func (l *ledger) make(capacity uint64, reseed bool) (*block, error) {
	c := l.Config()
	if c.Setup != nil {
		return nil, fmt.Errorf("tables of scheme %s are no memory alone: they are set up", c.Name)
	}
	layout, err := c.Size(c, Shape{Pair: l.Pair(), Capacity: capacity})
	if err != nil {
		return nil, tooLarge{err}
	}
	if err := l.giveBack(func(b *block) bool { return b.was && b != l.now && b != l.safe.now }); err != nil {
		return nil, err
	}
	b := &block{layout: layout}
	regions, err := l.regions(layout)
	if err != nil {
		return nil, err
	}
	b.table = l.tableBlock(layout, regions, reseed)
	l.taken = append(l.taken, b)
	return b, nil
}

// tooLarge is the error of a table that cannot be as large as it should: as much a reason
// to leave it as it is as a device without memory.
type tooLarge struct{ error }

func (tooLarge) Is(target error) bool { return target == ErrNoMemory }

// regions takes memory for all regions, or for none.
func (l *ledger) regions(layout Layout) (regions []device.Addr, err error) {
	for _, r := range layout.Regions {
		at, err := l.AllocRegion(r)
		if err != nil {
			for _, at := range regions {
				err = errors.Join(err, l.Release(at))
			}
			return nil, l.wrong(err)
		}
		regions = append(regions, at)
	}
	return regions, nil
}

// tableBlock is what the kernels are told of new memory.
func (l *ledger) tableBlock(layout Layout, regions []device.Addr, reseed bool) kernels.Table {
	now := l.now.table
	b := l.Config().Block(layout, splitmix(bits.Reverse64(now.Seed))(), regions)
	if !reseed {
		b.Seed, b.Hash = now.Seed, now.Hash
	}
	return b
}

// swap puts a block in the place of the one that is there, which it returns.
func (l *ledger) swap(b *block) *block {
	old := l.now
	old.was, b.was = true, false
	l.now = b
	l.SetLayout(b.layout)
	l.SetBlock(b.table)
	l.settle()
	return old
}

// giveBack releases blocks.
func (l *ledger) giveBack(which func(*block) bool) error {
	var failed error
	l.taken = slices.DeleteFunc(l.taken, func(b *block) bool {
		if !which(b) {
			return false
		}
		for i := range b.layout.Regions {
			failed = errors.Join(failed, l.Release(device.Addr(b.table.Region[i])))
		}
		b.gone = true
		return true
	})
	return l.wrong(failed)
}

// restore goes back to the last state in which nothing was missing.
func (l *ledger) restore() {
	if l.now != l.safe.now {
		l.swap(l.safe.now)
	}
	l.account = l.safe
}

// close ends the work: it checks that nothing is missing, gives back what is not in place,
// and says what has become of the batch.
func (l *ledger) close() (Result, error) {
	lost := l.missing()
	if l.broken {
		return Result{}, lost
	}
	if lost != nil {
		l.restore()
	}
	if err := l.giveBack(func(b *block) bool { return b != l.now }); err != nil {
		return Result{}, err
	}
	return l.result(), lost
}

// missing says if there are pairs that are neither in the table nor left over. After
// kernels of the scheme's own they are counted.
func (l *ledger) missing() error {
	if l.now.unknown {
		if err := l.count(); err != nil {
			return err
		}
	}
	if l.whole() {
		return nil
	}
	return fmt.Errorf("of %d pairs, the table has %d, and %d are left over: none may be lost or there twice; "+
		"hint: t:swap(old) puts a block back if pairs find no room in another", l.total, l.now.pairs, l.left())
}

func (l *ledger) count() error {
	slots := l.Layout().Capacity
	if sweep := l.Config().Sweep; sweep != nil {
		slots = sweep(l.Config(), l.Block())
	}
	done, err := l.Launch(Batch{Op: "count", N: slots})
	if err != nil {
		return l.wrong(err)
	}
	l.now.pairs, l.now.unknown = done.Counts.Get("pairs"), false
	return nil
}

// result is what has become of the batch, with the work of all launches.
func (l *ledger) result() Result {
	done := Result{Counts: make(Counts, len(kernels.Counters)), Batch: l.asked}
	if l.done != nil {
		done = *l.done
		c := slices.Clone(done.Counts)
		c.Set("added", l.now.pairs+c.Get("pairs")+c.Get("removed")-l.before-c.Get("failed"))
		done.Counts = c
	}
	first := slices.Index(kernels.Counters, "probes")
	copy(done.Counts[first:], l.work[first:])
	return done
}
