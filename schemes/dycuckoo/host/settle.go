package host

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/schemes"
)

// When a table is resized. Before an insert, the smallest subtable is doubled until all pairs fit below beta.
// While some pairs still find no room, the table grows, even below alpha, and they are inserted again. After every
// batch that changes the number of pairs, the filled factor is brought between alpha and beta. A table whose pairs do
// not fit into a smaller one stays below alpha. Without memory for another subtable the table stays as it is, adds a
// note, and hands back the pairs that do not fit.

// settled makes a host operation from a method: afterwards the table is resized as alpha and beta require.
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

// settle brings the filled factor within its bounds. Only the smallest table that the pairs fit into may be emptier.
func (s *subtables) settle() error {
	if err := s.growFor(s.size, s.up); err != nil {
		return err
	}
	for s.filled(s.size) < s.low && s.level(s.largest()) > 0 {
		before := s.capacity()
		if done, err := s.noting(s.shrink()); !done || s.capacity() >= before {
			return err
		}
	}
	return nil
}

// growFor doubles subtables until `pairs` pairs fill at most `share` of the slots, or memory runs out.
func (s *subtables) growFor(pairs uint64, share float64) error {
	for s.filled(pairs) > share {
		if done, err := s.noting(s.grow()); !done {
			return err
		}
	}
	return nil
}

// noting returns whether the resize was done. Lack of memory is noted and is not an error.
func (s *subtables) noting(err error) (done bool, other error) {
	if errors.Is(err, schemes.ErrNoMemory) {
		s.t.Note(fmt.Sprintf("no memory for a resize: %v", err))
		return false, nil
	}
	return err == nil, err
}

// emptiest is the smallest filled factor to which a table grows for inserts that found no room. It is less than
// alpha: keys may share so few buckets that they fit only into an emptier table. But if the table would be
// emptier still, something else must be wrong, such as one key being inserted again and again.
const emptiest = 0.1

// mayGrowFor reports whether growing can help inserts that found no room.
func (s *subtables) mayGrowFor(pairs uint64) bool {
	return float64(pairs) >= emptiest*float64(s.capacity()+s.slots(s.smallest()))
}

func (s *subtables) insert(b schemes.Batch) (schemes.Result, error) {
	asked, err := s.asked(b)
	if err != nil {
		return schemes.Result{}, err
	}
	s.noteUnused()
	if s.auto {
		err = s.growFor(s.size+asked, s.up)
	}
	if err := cmp.Or(err, s.weigh(asked)); err != nil {
		return schemes.Result{}, err
	}
	done, err := s.t.Launch(b)
	if err != nil || !s.auto || done.Counts.Get("failed") == 0 {
		return done, err
	}
	return s.insertAgain(done)
}

// noteUnused notes parameters of inserts under locks that are set where inserts take none.
func (s *subtables) noteUnused() {
	now := s.t.Config().Settings()
	if s.kept.whole && (now["coordination"] != "together" || now["duplicates"] != "refused") {
		s.t.Note("coordination and duplicates have no effect, since inserts of whole pairs take no locks: hint: pairs=apart")
	}
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

// insertAgain grows the table for the pairs that inserts left over, and inserts them. It does not grow for pairs whose
// keys are in the table: those fail in a table of any size.
func (s *subtables) insertAgain(done schemes.Result) (schemes.Result, error) {
	work := slices.Clone(done.Counts)
	asked, failed := work.Get("ok")+work.Get("failed"), work.Get("failed")
	for failed > 0 && s.mayGrowFor(s.size+asked) {
		if absent, err := s.absent(done); err != nil {
			return done, err
		} else if absent == 0 {
			break
		}
		again, err := done, s.grow()
		if err == nil {
			again, err = s.insertLeftOver(done)
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

// absent returns how many of the pairs that inserts left over have keys that are not in the table.
func (s *subtables) absent(done schemes.Result) (uint64, error) {
	b := host.LeftOver("find", done)
	out, err := s.t.Scratch(int64(b.N)*int64(s.pair.AnswerBytes()), 0)
	if errors.Is(err, schemes.ErrNoMemory) {
		return b.N, nil
	}
	if err != nil {
		return 0, err
	}
	b.Block.Values, b.Block.Out = 0, uint64(out)
	found, err := s.t.Launch(b)
	return found.Counts.Get("missing"), err
}

func (s *subtables) erase(b schemes.Batch) (schemes.Result, error) { return s.t.Launch(b) }

// resize makes a table of at least the requested number of slots or, without a number, one filled
// as alpha and beta require. It never makes a table so small that it is filled beyond beta, or that pairs do not fit.
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
	least := max(b.N, uint64(float64(s.size)/s.up))
	for i := s.largest(); s.level(i) > 0 && s.capacity()-s.slots(i)/2 >= least; i = s.largest() {
		before := s.capacity()
		if err := s.shrink(); err != nil || s.capacity() >= before {
			return done, err
		}
	}
	return done, nil
}

// upsert carries out a batch in pieces. How many of its keys are new is known only after
// they are in the table, and the table should grow neither too late nor needlessly.
func (s *subtables) upsert(b schemes.Batch) (schemes.Result, error) {
	if err := s.weigh(b.N); err != nil {
		return schemes.Result{}, err
	}
	own, err := s.t.Scratch(int64(b.N), 0)
	if err != nil {
		return schemes.Result{}, err
	}
	wanted, before := b.Block.Status, s.size
	b.Block.Status = uint64(own)
	all := host.Nothing(b)
	if err := s.freshen(b); err != nil {
		return schemes.Result{}, err
	}
	err = s.upsertAll(b, all.Counts)
	s.size = before
	return all, cmp.Or(err, s.copyOutcomes(own, wanted, b.N))
}

// freshen finds out whether the table is fresh (subtables.h). Apart, new keys then need no locks if all values are
// ones, with which sums and least values begin; that is worth it for many operations.
func (s *subtables) freshen(b schemes.Batch) error {
	if s.fresh = s.size == 0; !s.fresh || s.kept.whole {
		return nil
	}
	op := kernels.Op(b.Op)
	if s.fresh = op.Combines() && op.Becomes != kernels.Raises && s.pair.Value <= 8 && b.N >= s.capacity()/8; !s.fresh {
		return nil
	}
	for i := range s.count() {
		values := s.block.Region[2*i] + s.slots(i)*uint64(s.pair.Key)
		if err := s.t.Set(device.Addr(values), 0xff, int64(s.slots(i)*uint64(s.pair.Value))); err != nil {
			return err
		}
	}
	return nil
}

// upsertAll carries out upserts in pieces, each as large as the one before lets expect that the new keys find room.
func (s *subtables) upsertAll(b schemes.Batch, all schemes.Counts) error {
	for at, last, before := uint64(0), uint64(0), s.size; at < b.N; at += last {
		if err := s.growIfAuto(); err != nil {
			return err
		}
		last = min(b.N-at, s.piece(last, s.size-before))
		before = s.size
		piece := b.Rest(s.pair, at)
		piece.N = last
		if err := s.upsertPiece(piece, all); err != nil {
			return err
		}
	}
	return nil
}

func (s *subtables) growIfAuto() error {
	if !s.auto {
		return nil
	}
	return s.growFor(s.size, s.up)
}

// most is how many times as large as the one before a piece may be. A few pieces are enough for a batch
// that brings few keys, and what begins to bring others is noticed soon.
const most = 16

// piece returns how many upserts the next piece may have, if of the last one so many brought a key.
func (s *subtables) piece(last, added uint64) uint64 {
	room := s.room()
	if room == math.MaxUint64 || last == 0 {
		return room
	}
	share := float64(added) / float64(last)
	return max(room, uint64(min(most*float64(last), float64(room)/max(share, 1/float64(most*last)))))
}

// room returns how many pairs may be added before the table has to grow. At beta, half of the free slots may
// be used for a moment; otherwise pieces would be small when all keys are present already. A table is beyond
// beta only if it found no memory to grow. It then takes all remaining pairs at once, because a few
// operations that look for room where there is none leave a device idle.
func (s *subtables) room() uint64 {
	if !s.auto || s.filled(s.size) > s.up {
		return math.MaxUint64
	}
	room := (s.up+1)/2*float64(s.capacity()) - float64(s.size)
	return uint64(max(room, float64(s.bucket)))
}

// upsertPiece first has nothing move, for which upserts need no locks. Those that found no room are selected by
// their outcomes, which the kernel reads as operations. If there are more of them than new pairs may be added,
// most have a key that others of them have too, and they are carried out in pieces of their own.
func (s *subtables) upsertPiece(b schemes.Batch, all schemes.Counts) error {
	still := s.block
	still.Arg[argChain] = 0
	if s.fresh {
		still.Arg[argChain] = fresh
	}
	b.As = &still
	failed, err := s.upsertOnce(b, all, true)
	if err != nil || failed == 0 {
		return err
	}
	b.As = nil
	b = host.SelectFailed(b)
	if failed > s.room() {
		return s.upsertAll(b, all)
	}
	return s.upsertMoving(b, all)
}

// upsertMoving makes room by moving pairs. Upserts that still find none are repeated after the table has grown.
func (s *subtables) upsertMoving(b schemes.Batch, all schemes.Counts) error {
	s.fresh = false
	for again := true; again; {
		failed, err := s.upsertOnce(b, all, false)
		if err != nil || failed == 0 || !s.auto || !s.mayGrowFor(s.size+failed) {
			return err
		}
		if again, err = s.noting(s.grow()); err != nil {
			return err
		}
		if again {
			all.Set("failed", all.Get("failed")-failed)
			all.Set("pairs", all.Get("pairs")-failed)
		}
	}
	return nil
}

// upsertOnce launches upserts and returns how many failed, which count as such unless they are repeated. The
// pairs of failed ones follow those of other pieces.
func (s *subtables) upsertOnce(b schemes.Batch, all schemes.Counts, repeated bool) (failed uint64, err error) {
	host.LeaveAfter(&b.Block, s.pair, all.Get("pairs"))
	done, err := s.t.Launch(b)
	if err != nil {
		return 0, err
	}
	failed = done.Counts.Get("failed")
	if repeated {
		done.Counts.Set("failed", 0)
		done.Counts.Set("pairs", 0)
	}
	all.Add(done.Counts)
	s.size += done.Counts.Get("added")
	return failed, nil
}

// copyOutcomes copies the outcomes of the operations that took part.
func (s *subtables) copyOutcomes(from device.Addr, to, n uint64) error {
	if to == 0 {
		return nil
	}
	have, err := host.Read[byte](s.t, uint64(from), n)
	if err != nil {
		return err
	}
	all, err := host.Read[byte](s.t, to, n)
	if err != nil {
		return err
	}
	for i, outcome := range have {
		if outcome != 0 {
			all[i] = outcome
		}
	}
	return s.t.Write(device.Addr(to), all)
}
