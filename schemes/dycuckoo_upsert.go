package schemes

import (
	"cmp"
	"math"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// upsert carries out a batch in pieces: how many of its keys are new shows only when
// they are in the table, and it is to grow neither too late nor for nothing.
func (s *subtables) upsert(b Batch) (Result, error) {
	if err := s.weigh(); err != nil {
		return Result{}, err
	}
	if !s.auto {
		return s.t.Launch(b)
	}
	own, err := s.t.Scratch(int64(b.N), 0)
	if err != nil {
		return Result{}, err
	}
	wanted, before := b.Block.Status, s.size
	b.Block.Status = uint64(own)
	all := Result{Counts: make(Counts, len(kernels.Counters)), Batch: b}
	for at := uint64(0); at < b.N && err == nil; {
		if err = s.growFor(s.size, s.up); err != nil {
			break
		}
		n := min(b.N-at, s.piece())
		var done Counts
		if done, err = s.upsertPiece(s.cut(b, at, n, all.Counts.Get("pairs"))); err != nil {
			break
		}
		all.Counts.Add(done)
		at += n
		s.size += done.Get("added")
	}
	s.size = before
	return all, cmp.Or(err, s.copyOutcomes(own, wanted, b.N))
}

// piece is how many pairs may come in before the table has to grow. At beta, half of
// what is free may be used for a moment, or pieces would be small where all keys are
// there already. Beyond beta is only a table that found no memory to grow: it takes all
// that is left at once, for a device is idle with a few operations that look for room
// where there is none.
func (s *subtables) piece() uint64 {
	if s.filled(s.size) > s.up {
		return math.MaxUint64
	}
	room := (s.up+1)/2*float64(s.capacity()) - float64(s.size)
	return uint64(max(room, float64(s.bucket)))
}

// cut is a piece of a batch, with room for what it leaves over behind what is there.
func (s *subtables) cut(b Batch, at, n, left uint64) Batch {
	move := func(address *uint64, by uint64) {
		if *address != 0 {
			*address += by
		}
	}
	b.N = n
	move(&b.Block.Keys, at*uint64(s.pair.Key))
	move(&b.Block.Values, at*uint64(s.pair.Value))
	move(&b.Block.Ops, at)
	move(&b.Block.Status, at)
	move(&b.Block.PairKeys, left*uint64(s.pair.Key))
	move(&b.Block.PairValues, left*uint64(s.pair.Value))
	b.Block.PairLimit -= min(left, b.Block.PairLimit)
	return b
}

// upsertPiece repeats what found no room after the table has grown. An upsert that
// fails hands back its own pair, so it can be carried out again as it came: those that
// failed are picked by their outcomes, which the kernel reads as operations.
func (s *subtables) upsertPiece(b Batch) (Counts, error) {
	done, err := s.t.Launch(b)
	if err != nil {
		return nil, err
	}
	work := slices.Clone(done.Counts)
	b.Block.Ops, b.Block.Select = b.Block.Status, 1<<outcome("failed")
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
	have, err := s.bytes(uint64(from), n)
	if err != nil {
		return err
	}
	all, err := s.bytes(to, n)
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

func outcome(name string) byte { return byte(slices.Index(kernels.Outcomes, name)) }
