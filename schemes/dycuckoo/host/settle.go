package host

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/schemes"
)

// When a table is resized. Before an insert, the smallest subtable is doubled until all
// pairs fit below beta. If some pairs still find no room, the table grows once more, and
// they are inserted again. After every batch that changes the number of pairs, the filled
// factor is brought between alpha and beta. Without memory for another subtable the table
// stays as it is, adds a note, and hands back the pairs that do not fit.

// settled makes a host operation from a method: afterwards the table is resized as alpha
// and beta require.
func settled(f func(*subtables, schemes.Batch) (schemes.Result, error)) schemes.HostOp {
	return func(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
		s := openSubtables(t)
		done, err := f(s, b)
		if err != nil || !s.auto {
			return done, err
		}
		s.size += done.Counts.Gained()
		return done, s.settle()
	}
}

// settle brings the filled factor within its bounds. Only the smallest table may be
// emptier.
func (s *subtables) settle() error {
	if err := s.growFor(s.size, s.up); err != nil {
		return err
	}
	for s.filled(s.size) < s.low && s.level(s.largest()) > 0 {
		if done, err := s.noting(s.shrink()); !done {
			return err
		}
	}
	return nil
}

// growFor doubles subtables until `pairs` pairs fill at most `share` of the slots, or
// memory runs out.
func (s *subtables) growFor(pairs uint64, share float64) error {
	for s.filled(pairs) > share {
		if done, err := s.noting(s.grow()); !done {
			return err
		}
	}
	return nil
}

// noting returns whether the resize was done. Lack of memory is noted and is not an
// error.
func (s *subtables) noting(err error) (done bool, other error) {
	if errors.Is(err, schemes.ErrNoMemory) {
		s.t.Note(fmt.Sprintf("no memory for a resize: %v", err))
		return false, nil
	}
	return err == nil, err
}

// mayGrowFor reports whether growing can help inserts that found no room. It cannot if
// the table would be so empty that something else must be wrong, such as one key being
// inserted again and again.
func (s *subtables) mayGrowFor(pairs uint64) bool {
	return float64(pairs) >= max(s.low, 0.1)*float64(s.capacity()+s.slots(s.smallest()))
}

func (s *subtables) insert(b schemes.Batch) (schemes.Result, error) {
	asked, err := s.asked(b)
	if err != nil {
		return schemes.Result{}, err
	}
	if s.auto {
		err = s.growFor(s.size+asked, s.up)
	}
	if err := cmp.Or(err, s.weigh()); err != nil {
		return schemes.Result{}, err
	}
	done, err := s.t.Launch(b)
	if err != nil || !s.auto || done.Counts.Get("failed") == 0 {
		return done, err
	}
	return s.insertAgain(done)
}

// asked returns how many operations of a batch the launch is for.
func (s *subtables) asked(b schemes.Batch) (n uint64, err error) {
	if b.Block.Ops == 0 {
		return b.N, nil
	}
	ops, err := host.Read[byte](s.t, b.Block.Ops, b.N)
	for _, op := range ops {
		n += b.Block.Select >> op & 1
	}
	return n, err
}

// insertAgain grows the table for the pairs that inserts left over, and inserts them.
func (s *subtables) insertAgain(done schemes.Result) (schemes.Result, error) {
	work := slices.Clone(done.Counts)
	asked, failed := work.Get("ok")+work.Get("failed"), work.Get("failed")
	for failed > 0 && s.mayGrowFor(s.size+asked) {
		again, err := done, s.grow()
		if err == nil {
			again, err = s.reinsert(done)
		}
		if grown, err := s.noting(err); err != nil {
			return done, err
		} else if !grown {
			break
		}
		done, failed = again, again.Counts.Get("failed")
		work.Add(again.Counts)
	}
	work.SetInserts(asked, failed)
	return schemes.Result{Counts: work, Batch: done.Batch}, nil
}

func (s *subtables) erase(b schemes.Batch) (schemes.Result, error) { return s.t.Launch(b) }

// resize makes a table of at least the requested number of slots or, without a number,
// one filled as alpha and beta require. It never makes a table so small that it is filled
// beyond beta.
func resize(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	s, done := openSubtables(t), host.Nothing(b)
	if b.N == 0 {
		return done, s.settle()
	}
	for s.capacity() < b.N {
		if err := s.grow(); err != nil {
			return done, err
		}
	}
	for s.halves(max(b.N, uint64(float64(s.size)/s.up))) {
		if err := s.shrink(); err != nil {
			return done, err
		}
	}
	return done, nil
}

// halves reports whether at least `slots` slots remain if the largest subtable is halved.
func (s *subtables) halves(slots uint64) bool {
	i := s.largest()
	return s.level(i) > 0 && s.capacity()-s.slots(i)/2 >= slots
}
