package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// Run carries out a batch: each operation on the shard that owns its key, and one on the whole table on all of them.
func (w *Shards) Run(in *Input) (Sample, error) { return w.spec.run(in, w.once) }

// once carries out a batch, or a chunk of one.
func (w *Shards) once(in *Input) (Sample, error) {
	if w.hung != nil {
		return Sample{}, w.hung
	}
	if err := cmp.Or(w.spec.fits(in), in.results(w.spec.Results)); err != nil {
		return Sample{}, err
	}
	s := newSample(in)
	s.Sharing = &Sharing{}
	if launch := w.spec.Launch; launch > 0 && in.N > launch {
		s.Notes = append(s.Notes, notCut+" on several devices")
	}
	w.heard, w.named, w.failed = make([][]heard, len(w.tables)), make([]time.Duration, len(w.tables)), make([]error, len(w.tables))
	err := w.carryOut(&s, in)
	s.Service, s.Size, s.Load = s.Sharing.Service, w.Size(), w.Load()
	if err == nil {
		err = w.judge(&s, in, false)
	}
	return s, err
}

func (w *Shards) carryOut(s *Sample, in *Input) error {
	if kernels.Op(in.Op).Kind == kernels.OnTable {
		return w.all(s, in)
	}
	if err := in.route(); err != nil {
		return err
	}
	if err := in.expect(w.spec.Results); err != nil {
		return err
	}
	s.Sharing.owns(in.N, in.routes.owned)
	if err := w.countRepeats(in); err != nil {
		return err
	}
	return w.run(s, in)
}

// run carries out the operations of a batch.
func (w *Shards) run(s *Sample, in *Input) error {
	f := w.newFlow(in)
	err := f.carryOut(s)
	if err == nil && !f.returns {
		err = w.giveBack(s.Sharing, in)
	}
	s.Sharing.returned(slices.Max(w.named))
	in.busy = in.busy || w.hung != nil
	if err != nil && w.hung == nil && w.oracle != nil {
		err = cmp.Or(w.judgePartly(s, in), err)
	}
	return err
}

// judgePartly tells the oracle what the others did in a batch that a shard could not carry out.
func (w *Shards) judgePartly(s *Sample, in *Input) error {
	for q, o := range in.routes.owned {
		if w.failed[q] == nil {
			continue
		}
		w.heard[q] = nil
		if err := o.blank(); err != nil {
			return err
		}
	}
	return cmp.Or(w.giveBack(s.Sharing, in), w.judge(s, in, true))
}

// all has every shard carry out an operation on the whole table.
func (w *Shards) all(s *Sample, in *Input) error {
	var shards []*Input
	for _, dev := range w.parts {
		shards = append(shards, &Input{Op: in.Op, pair: in.pair, size: roomOf(in.size, len(w.parts)),
			shares: divided(0, 0, []device.Device{dev})})
	}
	samples, err := w.operate(s, shards, func(error) {})
	s.Sharing.flowed(samples)
	for _, o := range shards {
		err = cmp.Or(err, o.Release())
	}
	return err
}

// send splits a batch, and copies the parts to their owners.
func (w *Shards) send(in *Input) error {
	err := w.together(func(p int) error { return in.eachTurn(p, (*turn).partition) })
	if err != nil {
		return err
	}
	var took time.Duration
	return w.exchange(&took, in, in.gather, func(int) error { return nil })
}

// countRepeats counts repeated keys at their owners, where all copies of a key meet, the first time. They go there for
// this before the batch runs: it takes memory, and no table may have changed if there is none.
func (w *Shards) countRepeats(in *Input) error {
	if !kernels.Op(in.Op).Blind() || in.repeats.sample > 0 {
		return nil
	}
	if err := w.send(in); err != nil {
		return err
	}
	for _, o := range in.routes.owned {
		s := o.shares[0]
		r, err := repeatsOf(s.mem.dev, s.keys, in.pair.Key, s.n)
		if err != nil {
			return err
		}
		in.repeats = repeats{in.repeats.counted + r.counted, max(in.repeats.sample, r.sample)}
	}
	return nil
}

// operate carries out what each shard owns, and adds up what they counted. An error of a shard is told at once: others
// may wait for it.
func (w *Shards) operate(s *Sample, shards []*Input, failed func(error)) ([]Sample, error) {
	samples := make([]Sample, len(shards))
	err := w.together(func(q int) (err error) {
		samples[q], err = w.tables[q].carryOut(shards[q])
		if w.failed[q] = err; err != nil {
			failed(err)
		}
		return err
	})
	if hang := new(HangError); errors.As(err, &hang) {
		w.hung = err
	}
	for q, shard := range samples {
		s.Upkeep = max(s.Upkeep, shard.Upkeep)
		if shard.Counts != nil {
			s.Counts.Add(shard.Counts)
		}
		for _, note := range shard.Notes {
			s.Notes = append(s.Notes, fmt.Sprintf("shard %d: %s", q, note))
		}
	}
	s.Phases = samples[0].Phases
	return samples, err
}

// giveBack copies answers to where their operations came from, and puts them into order.
func (w *Shards) giveBack(sharing *Sharing, in *Input) error {
	var took time.Duration
	err := w.exchange(&took, in, in.fetchBack, func(p int) error { return in.eachTurn(p, (*turn).putInOrder) })
	sharing.returned(took)
	return err
}

// heed notes what a phase of a batch gave on a shard.
func (w *Shards) heed(q int) func(*Input, schemes.Result, *listed, []string) error {
	return func(in *Input, done schemes.Result, list *listed, ops []string) (err error) {
		h := heard{gave: gave{ops: ops, counts: done.Counts}, found: list.found}
		w.named[q] += list.named
		if w.oracle != nil || w.spec.Keep {
			h.gave, err = w.tables[q].gave(done, list, ops)
		}
		w.heard[q] = append(w.heard[q], h)
		return err
	}
}

// judge puts together what each phase gave on all shards, or on some, digests the values found, and asks the oracle.
func (w *Shards) judge(s *Sample, in *Input, partly bool) error {
	for i, p := range w.spec.phases(in.Op, in.mixed) {
		all := heard{gave: gave{ops: p.ops, counts: schemes.NewCounts(), partly: partly}}
		for q := range w.heard {
			if i < len(w.heard[q]) {
				all.add(w.heard[q][i])
			}
		}
		s.found = append(s.found, all.found)
		if w.spec.Keep {
			s.Listed.add(in.base, all.foundOf, all.foundValues)
		}
		if w.oracle == nil {
			continue
		}
		if err := w.spec.judge(w.oracle, in, all.gave); err != nil {
			return err
		}
	}
	return nil
}

// add adds the same phase on another shard.
func (h *heard) add(more heard) {
	h.counts.Add(more.counts)
	h.leftKeys, h.leftValues = append(h.leftKeys, more.leftKeys...), append(h.leftValues, more.leftValues...)
	h.foundOf, h.foundValues = merged(h.gave, more.gave)
	h.found.add(more.found)
}

// merged merges values found by the numbers of their operations; each list keeps its order.
func merged(a, b gave) (of, values []uint64) {
	for i, j := 0, 0; i < len(a.foundOf) || j < len(b.foundOf); {
		if j == len(b.foundOf) || i < len(a.foundOf) && a.foundOf[i] <= b.foundOf[j] {
			of, values = append(of, a.foundOf[i]), append(values, a.foundValues[i])
			i++
		} else {
			of, values = append(of, b.foundOf[j]), append(values, b.foundValues[j])
			j++
		}
	}
	return of, values
}
