package engine

import (
	"cmp"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// A batch that is one launch of its scheme flows through the devices turn by turn. Copies go on beside kernels:
//
//	kernels   split 0  split 1  run 0  split 2  run 1  split 3  order 0  run 2 ...
//	copies             there 0  there 1         back 0  there 2          back 1 ...
//
// Each device waits for others only where it needs their operations or answers, and its own clock runs from its first
// launch to its last. Batches with a host side, or with several phases, go one step after the other (shards_run.go).

// A conductor launches a batch, whole or piece by piece, with what goes on beside it.
type conductor func(b schemes.Batch, call func(schemes.Batch) error) error

func atOnce(b schemes.Batch, call func(schemes.Batch) error) error { return call(b) }

// The laps of a flow.
const (
	lapPartition = iota
	lapExchange
	lapOperation
	lapReturn
)

// flow is a batch on its way through the shards.
type flow struct {
	*Shards
	in      *Input
	traffic *device.Traffic
	there   [][][]device.Copy // of each turn and part: what it copies from others
	back    [][][]device.Copy
}

// flows reports whether a batch is one launch of the scheme.
func (w *Shards) flows(in *Input) bool {
	list := w.spec.phases(in.Op, in.mixed)
	if len(list) != 1 || kernels.Op(in.Op).Composed() {
		return false
	}
	_, host := w.spec.Config.Host[list[0].kernel]
	return !host
}

// flow carries out a batch turn by turn.
func (w *Shards) flow(s *Sample, in *Input) error {
	f := &flow{Shards: w, in: in, traffic: device.NewTraffic(w.parts)}
	for k := range in.routes.from[0].turns {
		there, back := make([][]device.Copy, len(w.parts)), make([][]device.Copy, len(w.parts))
		for p := range w.parts {
			there[p], back[p] = in.gather(p, k), in.fetchBack(p, k)
		}
		f.there, f.back = append(f.there, there), append(f.back, back)
	}
	for q, o := range in.routes.owned {
		defer func() { o.conduct = nil }()
		o.conduct = func(b schemes.Batch, call func(schemes.Batch) error) error {
			return (&passage{flow: f, part: q, turns: in.routes.from[q].turns}).run(b, call)
		}
	}
	samples, err := w.operate(s, in.routes.owned, f.traffic.Fail)
	s.Sharing.flowed(samples, slices.Max(w.named))
	return err
}

// passage is one part's side of a flow.
type passage struct {
	*flow
	part  int
	turns []*turn
	there []func() error // waits for the operations of a turn
	back  []func() error // waits for its answers
}

// ahead is how many turns are split before they are needed, so that copies have the time of one to arrive.
const ahead = 2

func (p *passage) run(b schemes.Batch, call func(schemes.Batch) error) error {
	if err := p.traffic.Ready(p.part); err != nil {
		return err
	}
	for k := range min(ahead, len(p.turns)) {
		if err := p.depart(k); err != nil {
			return err
		}
	}
	for k := range p.turns {
		if err := cmp.Or(p.there[k](), p.operate(k, b, call)); err != nil {
			return err
		}
		if k+ahead < len(p.turns) {
			if err := p.depart(k + ahead); err != nil {
				return err
			}
		}
		if k > 0 {
			if err := p.finish(k - 1); err != nil {
				return err
			}
		}
	}
	return p.finish(len(p.turns) - 1)
}

// depart splits a turn, and has operations begin to go to their owners.
func (p *passage) depart(k int) error {
	if err := p.lap(lapPartition, p.turns[k].partition); err != nil {
		return err
	}
	arrived, err := p.exchange(lapExchange, p.flow.there[k])
	p.there = append(p.there, arrived)
	return err
}

// operate carries out a turn, and has answers begin to go back.
func (p *passage) operate(k int, b schemes.Batch, call func(schemes.Batch) error) error {
	cuts := p.in.routes.owned[p.part].cuts
	b = b.Rest(p.in.pair, cuts[k])
	b.N = cuts[k+1] - cuts[k]
	if err := p.lap(lapOperation, func() error { return call(b) }); err != nil {
		return err
	}
	arrived, err := p.exchange(lapReturn, p.flow.back[k])
	p.back = append(p.back, arrived)
	return err
}

// finish puts the answers of a turn into order.
func (p *passage) finish(k int) error {
	if err := p.back[k](); err != nil {
		return err
	}
	return p.lap(lapReturn, p.turns[k].putInOrder)
}

func (p *passage) lap(lap int, f func() error) error { return p.parts[p.part].Lap(lap, f) }

// exchange begins copies, if any part has some.
func (p *passage) exchange(lap int, all [][]device.Copy) (arrived func() error, err error) {
	if !slices.ContainsFunc(all, func(list []device.Copy) bool { return len(list) > 0 }) {
		return func() error { return nil }, nil
	}
	return p.traffic.Exchange(lap, all, p.part)
}
