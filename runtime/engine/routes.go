package engine

import (
	"cmp"
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// Each part of a device splits its share of a batch by the owners of the keys, in turns (turns.go). An owner gathers
// columns from all parts, turn by turn, one part behind the other, and runs them as a batch of its own; answers go back
// the same way. The same batch is split alike each time, so its ways are laid out once, and running it again takes no
// memory.

// routes are the ways of a batch's operations to their owners and back.
type routes struct {
	from  []*sender
	owned []*Input
	back  [answerColumns]int // widths of the answers that have a way back
}

// The columns that travel to owners, and back. A column without bytes is not there.
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
	mem   memory
	rest  device.Addr // of the page that it took last
	left  uint64      // bytes of that
	turns []*turn
	split [columns]device.Addr
	back  [answerColumns]device.Addr
}

// mostShared bounds a batch on several devices: its operations have numbers of 4 bytes.
const mostShared = 1 << 32

// A batch has up to mostTurns turns, and no turn fewer operations than leastTurn, which tests change: a GPU needs about
// as many to be busy.
const mostTurns = 8

var leastTurn uint64 = 1 << 21

// turnsOf is in how many turns a batch is split. One that lists values, which come in the order of its keys, has one.
func (in *Input) turnsOf() uint64 {
	if in.numbered() {
		return 1
	}
	return min(mostTurns, max(1, in.N/uint64(len(in.shares))/leastTurn))
}

// numbered reports whether owners have to know the numbers of their operations in the batch.
func (in *Input) numbered() bool {
	if in.Op == Mix {
		return in.mixed == nil || anyOf(in.mixed, kernels.Operation.Lists)
	}
	return kernels.Op(in.Op).Lists()
}

// route lays out the ways of a batch, unless it did before. It counts the keys of each owner for that.
func (in *Input) route() error {
	if in.routes != nil {
		return nil
	}
	if in.N >= mostShared {
		return fmt.Errorf("a batch of %d %s: several devices take at most %d operations at once", in.N, in.Op, uint64(mostShared-1))
	}
	r := &routes{}
	err := r.layOut(in)
	if err == nil {
		err = r.land(in)
	}
	if err != nil {
		return cmp.Or(r.release(), fmt.Errorf("batch of %d %s: %w", in.N, in.Op, err))
	}
	in.routes = r
	return nil
}

// layOut has each part count the operations of each owner.
func (r *routes) layOut(in *Input) error {
	for _, s := range in.shares {
		r.from = append(r.from, &sender{share: s, mem: memory{dev: s.mem.dev}})
	}
	return in.eachShare(func(p int, _ *share) error {
		from := r.from[p]
		for k := range in.turnsOf() {
			t, err := from.newTurn(k, in.turnsOf(), uint64(p), uint64(len(in.shares)), in.pair.Key)
			if err != nil {
				return err
			}
			from.turns = append(from.turns, t)
		}
		return nil
	})
}

// land takes memory at the owners, and prepares the moves to it.
func (r *routes) land(in *Input) error {
	for q, at := range in.shares {
		o := &Input{Op: in.Op, Digest: in.Digest, pair: in.pair, mixed: in.mixed, base: in.base}
		for k := range r.from[0].turns {
			o.cuts = append(o.cuts, o.N)
			for _, s := range r.from {
				s.turns[k].lands[q] = o.N
				o.N += s.turns[k].size(q)
			}
		}
		o.cuts = append(o.cuts, o.N)
		o.shares = divided(0, o.N, []device.Device{at.mem.dev})
		r.owned = append(r.owned, o)
		if err := o.alloc(in.widths()); err != nil {
			return fmt.Errorf("of which a device owns %d: %w", o.N, err)
		}
	}
	return in.eachShare(func(p int, _ *share) error { return r.from[p].prepareMoves(in.widths(), r.owned[p]) })
}

// widths are the bytes of an item in each column to the owners.
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

// columns are the arrays that an owner gathers.
func (o *Input) columns() [columns]*device.Addr {
	s := o.shares[0]
	return [columns]*device.Addr{&s.keys, &s.values, &s.ops, &o.numbers}
}

func (o *Input) alloc(widths [columns]int) (err error) {
	for c, at := range o.columns() {
		if widths[c] > 0 && err == nil {
			*at, err = o.shares[0].mem.alloc(o.N * uint64(widths[c]))
		}
	}
	return err
}

// gather lists what an owner copies from the other parts: its operations of a turn.
func (in *Input) gather(owner, turn int) (list []device.Copy) {
	o := in.routes.owned[owner]
	for p, s := range in.routes.from {
		t := s.turns[turn]
		for c, at := range o.columns() {
			if p != owner {
				list = copied(list, p, *at, t.lands[owner], s.split[c], t.first+t.starts[owner], t.size(owner), in.widths()[c])
			}
		}
	}
	return list
}

// copied adds a copy of items of a column, if there are any.
func copied(list []device.Copy, from int, to device.Addr, first uint64, at device.Addr, skip, n uint64, width int) []device.Copy {
	bytes := func(items uint64) uint64 { return items * uint64(width) }
	if bytes(n) == 0 {
		return list
	}
	return append(list, device.Copy{From: from, To: to + device.Addr(bytes(first)), At: at + device.Addr(bytes(skip)), Bytes: int64(bytes(n))})
}

// answerWidths are the bytes of an item in each column that comes back.
func (in *Input) answerWidths(status bool) (widths [answerColumns]int) {
	if in.answered() {
		widths[outColumn] = in.pair.AnswerBytes()
	}
	if status {
		widths[statusColumn] = 1
	}
	return widths
}

func (s *share) answers() [answerColumns]device.Addr {
	return [answerColumns]device.Addr{s.out, s.status}
}

// expect takes memory for the answers at the owners and for what comes back, the first time.
func (in *Input) expect(status bool) error {
	r, widths := in.routes, in.answerWidths(status)
	for _, o := range r.owned {
		if err := o.results(status); err != nil {
			return err
		}
	}
	if widths == r.back {
		return nil
	}
	err := in.eachShare(func(p int, _ *share) error { return r.from[p].prepareOrder(widths, r.owned[p]) })
	if err == nil {
		r.back = widths
	}
	return err
}

// fetchBack lists what a part copies from the other owners: the answers for a turn of its share.
func (in *Input) fetchBack(part, turn int) (list []device.Copy) {
	s := in.routes.from[part]
	t := s.turns[turn]
	for c, width := range in.routes.back {
		for q, o := range in.routes.owned {
			if q != part {
				list = copied(list, q, s.back[c], t.first+t.starts[q], o.shares[0].answers()[c], t.lands[q], t.size(q), width)
			}
		}
	}
	return list
}

func (r *routes) release() (err error) {
	if r == nil {
		return nil
	}
	for _, s := range r.from {
		err = cmp.Or(err, s.mem.release())
	}
	for _, o := range r.owned {
		err = cmp.Or(err, o.Release())
	}
	return err
}
