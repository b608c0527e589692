package host

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// ledger checks an untrusted host side: each operation of the batch is counted once, no pair is lost, unused memory is
// released, and without memory the table returns to the last state in which nothing was missing.
type ledger struct {
	schemes.Table
	asked     schemes.Batch  // the batch to carry out
	remembers bool           // the outcomes of single operations are recorded
	before    uint64         // pairs in the table before the batch
	work      schemes.Counts // counters of all launches
	taken     []*block       // blocks that are not released, including the one in use
	account
	safe   account // the last state in which no pair was missing
	broken bool    // the device has failed and must not be used
}

type account struct {
	now   *block
	done  *schemes.Result // the result of the batch; nil if it was not launched
	total uint64          // pairs that must be in the table or left over
}

// block is memory for a whole table, which may be in use, not yet, or no longer.
type block struct {
	layout  schemes.Layout
	table   kernels.Table
	pairs   uint64 // pairs in it
	unknown bool   // the number of pairs is unknown, because one of the scheme's own kernels may have moved some
	was     bool   // it was in use and has been replaced
	gone    bool   // its memory was released
}

func newLedger(t schemes.Table, b schemes.Batch) *ledger {
	now := &block{layout: t.Layout(), table: t.Block(), pairs: t.Size()}
	l := &ledger{Table: t, asked: b, before: t.Size(), work: schemes.NewCounts(), taken: []*block{now}}
	l.account = account{now: now, total: t.Size()}
	l.safe = l.account
	return l
}

// wrong records that the device has failed, if the error says so.
func (l *ledger) wrong(err error) error {
	if err != nil && !errors.Is(err, schemes.ErrNoMemory) {
		l.broken = true
	}
	return err
}

func (a account) left() uint64 {
	if a.done == nil {
		return 0
	}
	return a.done.Counts.Get("pairs")
}

func (l *ledger) whole() bool { return !l.now.unknown && l.now.pairs+l.left() == l.total }

// settle records the present state as one to return to, if nothing is missing.
func (l *ledger) settle() {
	if l.whole() {
		l.safe = l.account
	}
}

func (l *ledger) run(b schemes.Batch) (schemes.Result, error) {
	done, err := l.Launch(b)
	if err != nil {
		return done, l.wrong(err)
	}
	l.work.Add(done.Counts)
	l.now.pairs += done.Counts.Gained()
	return done, nil
}

// own launches one of the scheme's own kernels, which may move pairs between all blocks.
func (l *ledger) own(b schemes.Batch) (*schemes.Result, error) {
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

func (l *ledger) carryOut(b schemes.Batch) (*schemes.Result, error) {
	if l.done != nil {
		return nil, fmt.Errorf("the batch was launched already: each of its operations counts once; hint: t:again(done) carries out those that failed")
	}
	if !l.hasKernel(b.Op) {
		return nil, fmt.Errorf("%s has no kernel: this function carries it out", b.Op)
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
	return slices.Contains(l.Config().Launched(), cmp.Or(kernels.Op(op).Kernel(), op))
}

// current refuses a result of the batch that later work has replaced.
func (l *ledger) current(done *schemes.Result) error {
	if done != l.done {
		return errors.New("this is not the latest result of the batch: it takes that of the last t:launch or t:again")
	}
	return nil
}

// further returns a new result of the batch after work on left-over or all pairs. More pairs may be left over than
// the batch has inserts, because a rebuild may fare worse than the previous table.
func (l *ledger) further(more schemes.Result) *schemes.Result {
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
	l.done = &schemes.Result{Counts: c, Batch: batch}
	l.settle()
	return l.done
}

// again repeats the failed operations of the batch, if failed ones hand back their own pair, not an evicted one.
func (l *ledger) again(done *schemes.Result) (*schemes.Result, error) {
	switch err := l.current(done); {
	case err != nil:
		return nil, err
	case !l.remembers:
		return nil, errors.New("which operations failed is not known; hint: t:launch(t:remember(batch))")
	case !l.Config().Scheme.Caps.Stable:
		return nil, errors.New("failed inserts of this scheme hand back pairs that they evicted; hint: t:launch(t:left(done))")
	}
	b, err := onlyFailed(l.Table, l.asked)
	if err != nil {
		return nil, l.wrong(err)
	}
	return l.anew(b)
}

func (l *ledger) anew(b schemes.Batch) (*schemes.Result, error) {
	l.total -= l.left()
	done, err := l.run(b)
	if err != nil {
		return nil, err
	}
	l.total += done.Counts.Get("added") + done.Counts.Get("failed")
	return l.further(done), nil
}

// leftOver returns a batch of the pairs left over, with room for its own left-over pairs or its answers.
func (l *ledger) leftOver(done *schemes.Result, op string) (schemes.Batch, error) {
	b := LeftOver(op, *done)
	if op == "find" {
		out, err := l.Scratch(int64(b.N)*int64(l.Pair().AnswerBytes()), 0)
		b.Block.Values, b.Block.Out = 0, uint64(out)
		return b, l.wrong(err)
	}
	return b, l.wrong(MakeRoom(l, &b.Block, b.N))
}

// everything returns an insert batch of all pairs of the table and of those that a result left over.
func (l *ledger) everything(done *schemes.Result) (schemes.Batch, error) {
	of := Nothing(schemes.Batch{})
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

// make allocates memory for a table of `capacity` slots, with the same hash functions or others.
func (l *ledger) make(capacity uint64, reseed bool) (*block, error) {
	c := l.Config()
	if c.Setup != nil {
		return nil, fmt.Errorf("tables of scheme %s need a setup, which t:make cannot do", c.Name)
	}
	layout, err := c.Size(c, schemes.Shape{Pair: l.Pair(), Capacity: capacity})
	if err != nil {
		return nil, schemes.NoMemory{Err: err}
	}
	if err := l.giveBack(func(b *block) bool { return b.was && b != l.now && b != l.safe.now }); err != nil {
		return nil, err
	}
	regions, err := Regions(l, layout.Regions)
	if err != nil {
		return nil, l.wrong(err)
	}
	b := &block{layout: layout, table: l.tableBlock(layout, regions, reseed)}
	l.taken = append(l.taken, b)
	return b, nil
}

func (l *ledger) tableBlock(layout schemes.Layout, regions []device.Addr, reseed bool) kernels.Table {
	now := l.now.table
	b := l.Config().Block(layout, schemes.Reseed(now.Seed), regions)
	if !reseed {
		b.Seed, b.Hash = now.Seed, now.Hash
	}
	return b
}

func (l *ledger) swap(b *block) *block {
	old := l.now
	old.was, b.was = true, false
	l.now = b
	l.SetLayout(b.layout)
	l.SetBlock(b.table)
	l.settle()
	return old
}

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

// restore returns to the last state in which nothing was missing.
func (l *ledger) restore() {
	if l.now != l.safe.now {
		l.swap(l.safe.now)
	}
	l.account = l.safe
}

// close checks that nothing is missing, releases idle blocks, and returns the result of the batch.
func (l *ledger) close() (schemes.Result, error) {
	lost := l.missing()
	if l.broken {
		return schemes.Result{}, lost
	}
	if lost != nil {
		l.restore()
	}
	if err := l.giveBack(func(b *block) bool { return b != l.now }); err != nil {
		return schemes.Result{}, err
	}
	return l.result(), lost
}

// missing returns an error if pairs are neither in the table nor left over.
func (l *ledger) missing() error {
	if _, err := l.size(); err != nil || l.whole() {
		return err
	}
	return fmt.Errorf("of %d pairs, the table has %d, and %d are left over: none may be lost or duplicated; "+
		"hint: t:swap(old) puts a block back if pairs find no room in another", l.total, l.now.pairs, l.left())
}

// size returns the number of pairs in the table. After one of the scheme's own kernels it counts them.
func (l *ledger) size() (uint64, error) {
	if l.now.unknown {
		done, err := l.Launch(schemes.Batch{Op: "count", N: l.Layout().Capacity})
		if err != nil {
			return 0, l.wrong(err)
		}
		l.now.pairs, l.now.unknown = done.Counts.Get("pairs"), false
	}
	return l.now.pairs, nil
}

// result returns the result of the batch, with the work of all launches.
func (l *ledger) result() schemes.Result {
	done := Nothing(l.asked)
	if l.done != nil {
		done = *l.done
		c := slices.Clone(done.Counts)
		c.Set("added", l.now.pairs+c.Get("pairs")+c.Get("removed")-l.before-c.Get("failed"))
		done.Counts = c
	}
	done.Counts.SetWork(l.work)
	return done
}
