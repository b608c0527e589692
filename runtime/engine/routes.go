package engine

import (
	"cmp"
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Each part of a device splits its share of a batch by shards, in stages (stages.go). A shard copies columns from all
// parts, stage by stage, one part behind the other, and runs them as a batch of its own; answers go back the same way. A
// batch is split the same way each time, so its routes are laid out once, and running it again takes no memory.

// routes are the routes of a batch's operations to their shards and back.
type routes struct {
	from []*sender
	to   []*Input
	back [answerColumns]int // widths of the answers for which there is memory
}

// The columns of operations, and of answers. A column without bytes is absent.
const (
	keyColumn = iota
	valueColumn
	opColumn
	numberColumn // of the operation in the batch
	columns
)

const (
	outColumn = iota
	statusColumn
	answerColumns
)

// sender is a part that splits its share.
type sender struct {
	*share
	mem    memory
	rest   device.Addr // the unused part of the latest page
	left   uint64      // its bytes
	stages []*stage
	split  [columns]device.Addr
	back   [answerColumns]device.Addr
}

// mostShared bounds a batch on several devices: its operations have numbers of 4 bytes.
const mostShared = 1 << 32

// A batch has up to mostStages stages, each of at least leastStage operations, which keep a GPU busy. Tests change it.
const mostStages = 8

var leastStage uint64 = 1 << 21

// stagesOf returns the number of stages. A batch that lists values, which come in the order of its keys, has one.
func (in *Input) stagesOf() uint64 {
	return lists.Either(in.numbered(), 1, min(mostStages, max(1, in.N/uint64(len(in.shares))/leastStage)))
}

// numbered reports whether shards need the numbers of their operations in the batch.
func (in *Input) numbered() bool {
	return kernels.Op(in.Op).Lists() || in.Op == Mix && (in.mixed == nil || anyOf(in.mixed, kernels.Operation.Lists))
}

// route lays out the routes of a batch the first time, by counting the keys of each shard.
func (in *Input) route() error {
	if in.routes != nil {
		return nil
	}
	if in.N >= mostShared {
		return fmt.Errorf("a batch of %d %s: several devices take at most %d operations at once", in.N, in.Op, uint64(mostShared-1))
	}
	r := &routes{}
	err := r.count(in)
	if err == nil {
		err = r.alloc(in)
	}
	if err != nil {
		return cmp.Or(r.release(), fmt.Errorf("batch of %d %s: %w", in.N, in.Op, err))
	}
	in.routes = r
	return nil
}

// count counts the operations of each shard, on all parts.
func (r *routes) count(in *Input) error {
	for _, s := range in.shares {
		r.from = append(r.from, &sender{share: s, mem: memory{dev: s.mem.dev}})
	}
	return in.eachShare(func(p int, _ *share) error {
		from := r.from[p]
		for k := range in.stagesOf() {
			t, err := from.newStage(k, in.stagesOf(), uint64(p), uint64(len(in.shares)), in.pair.Key)
			if err != nil {
				return err
			}
			from.stages = append(from.stages, t)
		}
		return nil
	})
}

// alloc takes memory on the shards, and prepares the moves to it.
func (r *routes) alloc(in *Input) error {
	for q, at := range in.shares {
		o := &Input{Op: in.Op, Digest: in.Digest, pair: in.pair, mixed: in.mixed, base: in.base}
		for k := range r.from[0].stages {
			o.cuts = append(o.cuts, o.N)
			for _, s := range r.from {
				s.stages[k].offsets[q] = o.N
				o.N += s.stages[k].size(q)
			}
		}
		o.cuts = append(o.cuts, o.N)
		o.shares = divided(0, o.N, []device.Device{at.mem.dev})
		r.to = append(r.to, o)
		var err error
		for c, at := range o.columns() {
			if width := in.widths()[c]; width > 0 && err == nil {
				*at, err = o.shares[0].mem.alloc(o.N * uint64(width))
			}
		}
		if err != nil {
			return fmt.Errorf("of which a device owns %d: %w", o.N, err)
		}
	}
	return in.eachShare(func(p int, _ *share) error { return r.from[p].prepareMoves(in.widths(), r.to[p]) })
}

// widths are the bytes of an operation in each column.
func (in *Input) widths() (widths [columns]int) {
	widths[keyColumn] = in.pair.Key
	if in.shares[0].values != 0 {
		widths[valueColumn] = in.pair.Value
	}
	if in.shares[0].ops != 0 {
		widths[opColumn] = 1
	}
	if in.numbered() {
		widths[numberColumn] = 4
	}
	return widths
}

// columns are the arrays of a shard's operations.
func (o *Input) columns() [columns]*device.Addr {
	s := o.shares[0]
	return [columns]*device.Addr{&s.keys, &s.values, &s.ops, &o.numbers}
}

// scatterCopies lists the copies of a stage's operations to a shard.
func (in *Input) scatterCopies(shard, stage int) (list []device.Copy) {
	o := in.routes.to[shard]
	for p, s := range in.routes.from {
		t := s.stages[stage]
		for c, at := range o.columns() {
			if p != shard {
				list = copied(list, p, *at, t.offsets[shard], s.split[c], t.first+t.starts[shard], t.size(shard), in.widths()[c])
			}
		}
	}
	return list
}

// copied adds a copy of some items of a column, unless there are none.
func copied(list []device.Copy, from int, to device.Addr, first uint64, at device.Addr, skip, n uint64, width int) []device.Copy {
	bytes := func(items uint64) uint64 { return items * uint64(width) }
	if bytes(n) == 0 {
		return list
	}
	return append(list, device.Copy{From: from, To: to + device.Addr(bytes(first)), At: at + device.Addr(bytes(skip)), Bytes: int64(bytes(n))})
}

func (s *share) answers() [answerColumns]device.Addr {
	return [answerColumns]device.Addr{s.out, s.status}
}

// allocAnswers takes memory for the answers on the shards and for those that come back, the first time.
func (in *Input) allocAnswers(status bool) error {
	r, widths := in.routes, [answerColumns]int{} // the bytes of an answer in each column
	if in.answered() {
		widths[outColumn] = in.pair.AnswerBytes()
	}
	if status {
		widths[statusColumn] = 1
	}
	if err := lists.Each(r.to, func(o *Input) error { return o.results(status) }); err != nil {
		return err
	}
	if widths == r.back {
		return nil
	}
	err := in.eachShare(func(p int, _ *share) error { return r.from[p].prepareOrder(widths, r.to[p]) })
	if err == nil {
		r.back = widths
	}
	return err
}

// gatherCopies lists the copies of answers to a stage of a part's share.
func (in *Input) gatherCopies(part, stage int) (list []device.Copy) {
	s := in.routes.from[part]
	t := s.stages[stage]
	for c, width := range in.routes.back {
		for q, o := range in.routes.to {
			if q != part {
				list = copied(list, q, s.back[c], t.first+t.starts[q], o.shares[0].answers()[c], t.offsets[q], t.size(q), width)
			}
		}
	}
	return list
}

func (r *routes) release() error {
	if r == nil {
		return nil
	}
	freed := lists.Map(r.from, func(s *sender) error { return s.mem.release() })
	return cmp.Or(append(freed, lists.Map(r.to, (*Input).Release)...)...)
}
