package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Operations of a batch on several devices go to the shards that own their keys, and answers come back.

// together calls f for all parts in parallel, unless a kernel hangs. Of several errors, it returns that of a part that
// hangs, if there is one, and one of parts that waited for another part only if there is no other.
func (t *Table) together(f func(part int) error) error {
	if err := t.hanging(); err != nil {
		return err
	}
	if !t.several() {
		return f(0)
	}
	errs := atOnce(len(t.parts), f)
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

// slowest calls f for all parts together, and adds the longest time that it took.
func (t *Table) slowest(sum *time.Duration, f func(part int) (time.Duration, error)) error {
	took := make([]time.Duration, len(t.parts))
	err := t.together(func(p int) (err error) {
		took[p], err = f(p)
		return err
	})
	*sum += slices.Max(took)
	return err
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
		return done, cmp.Or(err, cmp.Or(lists.Map(p.inputs, (*Input).Release)...))
	}
	p.sharing.addReturn(lists.Max(done, func(r *result) time.Duration {
		return lists.Sum(r.phases, func(phase phaseResult) time.Duration { return phase.renaming })
	}))
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
	traffic, took := device.NewTraffic(t.parts), time.Duration(0)
	err := t.slowest(&took, func(p int) (time.Duration, error) {
		var copies []device.Copy
		for k := range in.routes.from[p].stages {
			copies = append(copies, in.gatherCopies(p, k)...)
		}
		return t.parts[p].Time(func() error {
			arrived, err := traffic.Exchange(lapReturn, copies, p)
			if err != nil {
				traffic.Fail(err)
				return err
			}
			steps := lists.Map(in.routes.from[p].stages, func(s *stage) func() error { return s.order })
			return inOrder(append([]func() error{arrived}, steps...)...)
		})
	})
	sharing.addReturn(took)
	return err
}

// Sharing is how several devices shared a batch, or several batches. Each of the four times is that of the slowest
// device. They add up to the service time, unless copies overlapped with kernels.
type Sharing struct {
	Partition time.Duration // by shards
	Exchange  time.Duration // copies to the shards
	Operation time.Duration
	Return    time.Duration // of outcomes and answers, back into order
	Service   time.Duration // from the first to the last of these

	mean time.Duration // of the devices' operation times
	most uint64        // operations of the shard that had most
	even float64       // operations of each, if all had as many
}

// Overlap is how much of the four times overlapped with another.
func (s *Sharing) Overlap() time.Duration {
	return max(0, s.Partition+s.Exchange+s.Operation+s.Return-s.Service)
}

// SkewOfTime is the operation time of the slowest device, divided by the mean of all.
func (s *Sharing) SkewOfTime() float64 { return ratio(float64(s.Operation), float64(s.mean)) }

// SkewOfKeys is the number of operations of the shard that had most, divided by the mean of all.
func (s *Sharing) SkewOfKeys() float64 { return ratio(float64(s.most), s.even) }

func ratio(a, b float64) float64 { return lists.Either(b == 0, 1, a/b) }

// Plus adds other batches; nil is none.
func (s *Sharing) Plus(more *Sharing) *Sharing {
	if s == nil || more == nil {
		return cmp.Or(s, more)
	}
	return &Sharing{s.Partition + more.Partition, s.Exchange + more.Exchange, s.Operation + more.Operation, s.Return + more.Return,
		s.Service + more.Service, s.mean + more.mean, s.most + more.most, s.even + more.even}
}

// measure takes the times of the shards.
func (s *Sharing) measure(done []*result) {
	slowest := func(lap int) time.Duration {
		return lists.Max(done, func(r *result) time.Duration { return r.sample.laps[lap] })
	}
	s.Service += lists.Max(done, func(r *result) time.Duration { return r.sample.Service })
	s.mean = lists.Sum(done, func(r *result) time.Duration { return r.sample.laps[lapOperation] }) / time.Duration(len(done))
	s.Partition, s.Exchange, s.Return = slowest(lapPartition), slowest(lapExchange), slowest(lapReturn)
	s.Operation += slowest(lapOperation)
}

// addReturn adds time after the slowest shard was done.
func (s *Sharing) addReturn(took time.Duration) {
	s.Return += took
	s.Service += took
}

// add adds the samples of the shards to that of a batch.
func (s *Sharing) add(all Sample, done []*result) Sample {
	for q, r := range done {
		all.Upkeep = max(all.Upkeep, r.sample.Upkeep)
		all.Counts.Add(r.sample.Counts)
		for _, note := range r.sample.Notes {
			all.Notes = append(all.Notes, fmt.Sprintf("shard %d: %s", q, note))
		}
	}
	all.Sharing, all.Service = s, s.Service
	return all
}

var _ [device.MostLaps - lapReturn - 1]struct{} // there is a lap for each time
