package engine

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Operations of a batch on several devices go to the shards that own their keys, and answers come back.

// together calls f for all parts in parallel. Of several errors, it returns that of a part that hangs, if there is one,
// and one of parts that waited for another part only if there is no other.
func (t *Table) together(f func(part int) error) error {
	if !t.several() {
		return f(0)
	}
	errs := make([]error, len(t.parts))
	var all sync.WaitGroup
	for i := range t.parts {
		all.Go(func() { errs[i] = device.Caught(func() error { return f(i) }) })
	}
	all.Wait()
	slices.SortStableFunc(errs, func(a, b error) int { return cmp.Compare(weight(a), weight(b)) })
	return cmp.Or(errs...)
}

func weight(err error) int {
	switch {
	case errors.As(err, new(*HangError)):
		return 0
	case errors.As(err, new(*device.Abandoned)):
		return 2
	}
	return 1
}

// loadShards lays out the routes of a batch, and takes memory for answers.
func (t *Table) loadShards(p *plan) error {
	in := p.in
	if err := in.route(); err != nil {
		return err
	}
	if err := in.allocAnswers(t.spec.Results); err != nil {
		return err
	}
	p.inputs = in.routes.to
	p.sharing.even = float64(in.N) / float64(len(p.inputs))
	p.sharing.most = lists.Max(p.inputs, func(in *Input) uint64 { return in.N })
	if err := t.countRepeats(in); err != nil {
		return err
	}
	p.moves = t.newTransfer(in)
	return nil
}

// countRepeats counts repeated keys on the shards, where all copies of a key meet, the first time. They go there for
// this before the batch runs: it takes memory, and no table may have changed if there is none.
func (t *Table) countRepeats(in *Input) error {
	if !kernels.Op(in.Op).Blind() || in.repeats.sample > 0 {
		return nil
	}
	scatter := t.newTransfer(in) // without running them
	err := t.together(func(q int) error {
		_, err := t.parts[q].Time(func() error { return in.routes.to[q].pipeline(schemes.Batch{}, nil) })
		if err != nil {
			scatter.traffic.Fail(err)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, o := range in.routes.to {
		s := o.shares[0]
		seen := newSeen(s.mem.dev, in.pair.Key, s.n)
		err := seen.add(s.keys, s.n)
		r := seen.repeats()
		if err = cmp.Or(err, seen.mem.release()); err != nil {
			return err
		}
		in.repeats = repeats{in.repeats.counted + r.counted, max(in.repeats.sample, r.sample)}
	}
	return nil
}

// gather brings the answers back. If a shard failed, a verified table learns what the others did.
func (t *Table) gather(p *plan, done []*result, err error) ([]*result, error) {
	p.sharing.measure(done)
	if p.moves == nil {
		for _, in := range p.inputs {
			err = cmp.Or(err, in.Release())
		}
		return done, err
	}
	p.sharing.addReturn(slices.Max(lists.Map(done, func(r *result) (sum time.Duration) {
		for _, phase := range r.phases {
			sum += phase.renaming
		}
		return sum
	})))
	p.in.busy = p.in.busy || t.hanging() != nil
	var failed error
	switch {
	case err == nil && p.moves.returns, err != nil && (t.hanging() != nil || t.oracle == nil):
		return done, err
	case err != nil:
		for q, r := range done {
			if r.err != nil {
				r.phases = nil
				failed = cmp.Or(failed, p.inputs[q].blank())
			}
		}
	}
	if failed = cmp.Or(failed, t.gatherAnswers(p.sharing, p.in)); failed != nil {
		for _, r := range done {
			r.phases = nil
		}
	}
	return done, cmp.Or(failed, err)
}

// gatherAnswers copies answers to where their operations came from, and restores their order.
func (t *Table) gatherAnswers(sharing *Sharing, in *Input) error {
	traffic, took := device.NewTraffic(t.parts), make([]time.Duration, len(t.parts))
	err := t.together(func(p int) (err error) {
		var copies []device.Copy
		for k := range in.routes.from[p].stages {
			copies = append(copies, in.gatherCopies(p, k)...)
		}
		took[p], err = t.parts[p].Time(func() error {
			arrived, err := traffic.Exchange(lapReturn, copies, p)
			if err != nil {
				traffic.Fail(err)
				return err
			}
			steps := lists.Map(in.routes.from[p].stages, func(s *stage) func() error { return s.restoreOrder })
			return inOrder(append([]func() error{arrived}, steps...)...)
		})
		return err
	})
	sharing.addReturn(slices.Max(took))
	return err
}
