package host

import (
	"cmp"
	"math"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/schemes"
)

// upsert carries out a batch in pieces. How many of its keys are new is known only after
// they are in the table, and the table should grow neither too late nor needlessly.
func (s *subtables) upsert(b schemes.Batch) (schemes.Result, error) {
	if err := s.weigh(); err != nil {
		return schemes.Result{}, err
	}
	if !s.auto {
		return s.t.Launch(b)
	}
	own, err := s.t.Scratch(int64(b.N), 0)
	if err != nil {
		return schemes.Result{}, err
	}
	wanted, before := b.Block.Status, s.size
	b.Block.Status = uint64(own)
	all := host.Nothing(b)
	for at := uint64(0); at < b.N && err == nil; {
		if err = s.growFor(s.size, s.up); err != nil {
			break
		}
		n := min(b.N-at, s.piece())
		var done schemes.Counts
		piece := host.Rest(b, s.pair, at)
		piece.N = n
		host.LeaveAfter(&piece.Block, s.pair, all.Counts.Get("pairs"))
		if done, err = s.upsertPiece(piece); err != nil {
			break
		}
		all.Counts.Add(done)
		at += n
		s.size += done.Get("added")
	}
	s.size = before
	return all, cmp.Or(err, s.copyOutcomes(own, wanted, b.N))
}

// piece returns how many pairs may be added before the table has to grow. At beta, half
// of the free slots may be used for a moment; otherwise pieces would be small when all
// keys are present already. A table is beyond beta only if it found no memory to grow. It
// then takes all remaining pairs at once, because a few operations that look for room
// where there is none leave a device idle.
func (s *subtables) piece() uint64 {
	if s.filled(s.size) > s.up {
		return math.MaxUint64
	}
	room := (s.up+1)/2*float64(s.capacity()) - float64(s.size)
	return uint64(max(room, float64(s.bucket)))
}

// upsertPiece repeats the upserts that found no room after the table has grown. A failed
// upsert hands back its own pair, so it can be repeated as it is: failed ones are
// selected by their outcomes, which the kernel reads as operations.
func (s *subtables) upsertPiece(b schemes.Batch) (schemes.Counts, error) {
	done, err := s.t.Launch(b)
	if err != nil {
		return nil, err
	}
	work := slices.Clone(done.Counts)
	b = host.SelectFailed(b)
	for done.Counts.Get("failed") > 0 && s.mayGrowFor(s.size+work.Get("added")+done.Counts.Get("failed")) {
		if grown, err := s.noting(s.grow()); !grown {
			return work, err
		}
		if done, err = s.t.Launch(b); err != nil {
			return nil, err
		}
		work.Add(done.Counts)
		work.Set("failed", done.Counts.Get("failed"))
		work.Set("pairs", done.Counts.Get("pairs"))
	}
	return work, nil
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
