package engine

import (
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// A batch moves through the devices in stages. Copies overlap with kernels:
//
//	kernels   split 0  split 1  run 0  split 2  run 1  split 3  order 0  run 2 ...
//	copies             there 0  there 1         back 0  there 2          back 1 ...
//
// Each device waits for others only where it needs their operations or answers, and its own clock runs from its first
// launch to its last. The stages are run as pieces of the first launch of a scheme, if that is one of the batch. If the
// scheme does something else first, its operations are fetched before that. A scheme that may launch again, because it
// has a host side or a mixed batch is several phases, returns its answers when it is done (gather).

// A pipeline moves a batch's operations to a shard and launches them in pieces. Without a call, it only moves them.
type pipeline func(b schemes.Batch, call func(schemes.Batch) error) error

// The laps of a pipeline.
const (
	lapPartition = iota
	lapExchange
	lapOperation
	lapReturn
)

// fetch copies the operations of a batch to the shard, unless they are there.
func (t *shard) fetch() error {
	move := t.pipeline
	if move == nil {
		return nil
	}
	t.pipeline = nil
	took, err := t.within(t.current, func() error { return move(t.current, nil) })
	t.sample.addTime(took, t.dev.Laps())
	return err
}

// transfer is a batch on its way to the shards and back.
type transfer struct {
	parts   []device.Device
	in      *Input
	returns bool // answers go back stage by stage
	traffic *device.Traffic
	there   [][][]device.Copy // by stage and part: the operations that it copies from others
	back    [][][]device.Copy // and the answers
}

// launchedOnce reports whether a batch is one launch of the scheme.
func (t *Table) launchedOnce(in *Input) bool {
	list := t.spec.phases(in.Op, in.mixed)
	if len(list) != 1 || kernels.Op(in.Op).Composed() {
		return false
	}
	_, host := t.spec.Config.Host[list[0].kernel]
	return !host
}

// newTransfer prepares the pipeline of every shard.
func (t *Table) newTransfer(in *Input) *transfer {
	f := &transfer{parts: t.parts, in: in, returns: t.launchedOnce(in), traffic: device.NewTraffic(t.parts)}
	for k := range in.routes.from[0].stages {
		there, back := make([][]device.Copy, len(t.parts)), make([][]device.Copy, len(t.parts))
		for p := range t.parts {
			there[p], back[p] = in.scatterCopies(p, k), in.gatherCopies(p, k)
		}
		f.there, f.back = append(f.there, there), append(f.back, back)
	}
	for q, to := range in.routes.to {
		half := &half{transfer: f, part: q, stages: in.routes.from[q].stages}
		to.pipeline = func(b schemes.Batch, call func(schemes.Batch) error) error {
			return t.parts[q].Sequence(func() error { return half.runStages(b, call) })
		}
	}
	return f
}

// half is one part's half of a transfer: it splits its share of the batch, and runs its shard.
type half struct {
	*transfer
	part   int
	stages []*stage
	there  []func() error // wait for the operations of a stage
	back   []func() error // wait for its answers
}

// lookahead is the number of stages that are split before they are needed, so that copies overlap with one stage.
const lookahead = 2

func (h *half) runStages(b schemes.Batch, call func(schemes.Batch) error) error {
	if err := h.traffic.Ready(h.part); err != nil {
		return err
	}
	for k := range lookahead {
		if err := h.send(k); err != nil {
			return err
		}
	}
	for k := range h.stages {
		err := inOrder(h.there[k],
			func() error { return h.operate(k, b, call) },
			func() error { return h.send(k + lookahead) },
			func() error { return h.finish(k - 1) })
		if err != nil {
			return err
		}
	}
	return h.finish(len(h.stages) - 1)
}

// send splits a stage, if there is one, and begins to copy operations to their shards.
func (h *half) send(k int) error {
	if k >= len(h.stages) {
		return nil
	}
	partition := func() error {
		if h.stages[k].n == 0 {
			return nil
		}
		return inOrder(h.stages[k].split...)
	}
	if err := h.lap(lapPartition, partition); err != nil {
		return err
	}
	arrived, err := h.exchange(lapExchange, h.transfer.there[k])
	h.there = append(h.there, arrived)
	return err
}

// operate runs a stage, and begins to copy answers back.
func (h *half) operate(k int, b schemes.Batch, call func(schemes.Batch) error) error {
	if call == nil {
		return nil
	}
	cuts := h.in.routes.to[h.part].cuts
	b = b.Rest(h.in.pair, cuts[k])
	b.N = cuts[k+1] - cuts[k]
	if err := h.lap(lapOperation, func() error { return call(b) }); err != nil {
		return err
	}
	if !h.returns {
		return nil
	}
	arrived, err := h.exchange(lapReturn, h.transfer.back[k])
	h.back = append(h.back, arrived)
	return err
}

// finish restores the order of a stage's answers, if they come back.
func (h *half) finish(k int) error {
	if k < 0 || k >= len(h.back) {
		return nil
	}
	if err := h.back[k](); err != nil {
		return err
	}
	return h.lap(lapReturn, h.stages[k].order)
}

func (h *half) lap(lap int, f func() error) error { return h.parts[h.part].Lap(lap, f) }

// exchange begins copies, if any part has some.
func (h *half) exchange(lap int, all [][]device.Copy) (arrived func() error, err error) {
	if !slices.ContainsFunc(all, func(list []device.Copy) bool { return len(list) > 0 }) {
		return nothing, nil
	}
	return h.traffic.Exchange(lap, all[h.part], h.part)
}
