package engine

import (
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// A batch flows through the devices turn by turn. Copies go on beside kernels:
//
//	kernels   split 0  split 1  run 0  split 2  run 1  split 3  order 0  run 2 ...
//	copies             there 0  there 1         back 0  there 2          back 1 ...
//
// Each device waits for others only where it needs their operations or answers, and its own clock runs from its first
// launch to its last. The turns are run as pieces of the first launch of a scheme, if that is one of the batch. If the
// scheme does something else first, its operations come before that. A scheme that may launch again, because it has
// a host side or a mixed batch is several phases, gives its answers back when it is done (shards_run.go).

// A conductor has the operations of a batch come to a shard, and launches the batch piece by piece. Without a call, they
// only come.
type conductor func(b schemes.Batch, call func(schemes.Batch) error) error

// The laps of a flow.
const (
	lapPartition = iota
	lapExchange
	lapOperation
	lapReturn
)

// arriveBefore has the operations of a batch come, if this launch is not of the batch. Places among found values are
// those of operations in the whole batch.
func (t *Table) arriveBefore(b schemes.Batch) error {
	if b.Op == t.doing.Op && b.N == t.doing.N && b.Block.Keys == t.doing.Block.Keys && b.Block.FoundAt == 0 {
		return nil
	}
	return t.arrive()
}

// arrive has the operations of a batch come to the shard, unless they did.
func (t *Table) arrive() error {
	conduct := t.conduct
	if conduct == nil {
		return nil
	}
	t.conduct = nil
	took, err := t.bounded(t.doing, func() error { return conduct(t.doing, nil) })
	t.sample.took(took, t.dev.Laps())
	return err
}

// flow is a batch on its way through the shards.
type flow struct {
	*Shards
	in      *Input
	returns bool // answers go back while it flows
	traffic *device.Traffic
	there   [][][]device.Copy // of each turn and part: what it copies from others
	back    [][][]device.Copy
}

// launchedOnce reports whether a batch is one launch of the scheme.
func (w *Shards) launchedOnce(in *Input) bool {
	list := w.spec.phases(in.Op, in.mixed)
	if len(list) != 1 || kernels.Op(in.Op).Composed() {
		return false
	}
	_, host := w.spec.Config.Host[list[0].kernel]
	return !host
}

func (w *Shards) newFlow(in *Input) *flow {
	f := &flow{Shards: w, in: in, returns: w.launchedOnce(in), traffic: device.NewTraffic(w.parts)}
	for k := range in.routes.from[0].turns {
		there, back := make([][]device.Copy, len(w.parts)), make([][]device.Copy, len(w.parts))
		for p := range w.parts {
			there[p], back[p] = in.gather(p, k), in.fetchBack(p, k)
		}
		f.there, f.back = append(f.there, there), append(f.back, back)
	}
	return f
}

// carryOut has each shard carry out its part turn by turn.
func (f *flow) carryOut(s *Sample) error {
	for q, o := range f.in.routes.owned {
		o.conduct = (&passage{flow: f, part: q, turns: f.in.routes.from[q].turns}).run
		defer func() { o.conduct = nil }()
	}
	samples, err := f.operate(s, f.in.routes.owned, f.traffic.Fail)
	s.Sharing.flowed(samples)
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
	return p.parts[p.part].Sequence(func() error { return p.flows(b, call) })
}

func (p *passage) flows(b schemes.Batch, call func(schemes.Batch) error) error {
	if err := p.traffic.Ready(p.part); err != nil {
		return err
	}
	last := len(p.turns) - 1
	for k := range p.turns[:min(ahead, len(p.turns))] {
		if err := p.depart(k); err != nil {
			return err
		}
	}
	for k := range p.turns {
		err := inOrder(p.there[k],
			func() error { return p.operate(k, b, call) },
			func() error { return p.depart(k + ahead) },
			func() error { return p.finish(k - 1) })
		if err != nil {
			return err
		}
	}
	return p.finish(last)
}

// depart splits a turn, if there is one, and has operations begin to go to their owners.
func (p *passage) depart(k int) error {
	if k >= len(p.turns) {
		return nil
	}
	if err := p.lap(lapPartition, p.turns[k].partition); err != nil {
		return err
	}
	arrived, err := p.exchange(lapExchange, p.flow.there[k])
	p.there = append(p.there, arrived)
	return err
}

// operate carries out a turn, and has answers begin to go back.
func (p *passage) operate(k int, b schemes.Batch, call func(schemes.Batch) error) error {
	if call == nil {
		return nil
	}
	cuts := p.in.routes.owned[p.part].cuts
	b = b.Rest(p.in.pair, cuts[k])
	b.N = cuts[k+1] - cuts[k]
	if err := p.lap(lapOperation, func() error { return call(b) }); err != nil {
		return err
	}
	if !p.returns {
		return nil
	}
	arrived, err := p.exchange(lapReturn, p.flow.back[k])
	p.back = append(p.back, arrived)
	return err
}

// finish puts the answers of a turn into order, if they come back.
func (p *passage) finish(k int) error {
	if k < 0 || k >= len(p.back) {
		return nil
	}
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
	return p.traffic.Exchange(lap, all[p.part], p.part)
}
