package engine

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Each part of a device splits its share of a batch by shards, in stages. A shard copies columns from all
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

// stage is a range of a share that is split by itself (kernels/partition.h), while others are copied or carried out.
type stage struct {
	first, n uint64
	block    kernels.Split
	pieces   uint64
	sums     uint64         // bytes of block.Sums
	count    []func() error // launches that count
	split    []func() error // launches that sort the columns by shard
	order    func() error   // restores the order of answers, if there are any
	starts   []uint64       // where the operations of each shard begin when sorted, and all end
	offsets  []uint64       // where they begin on their shards
}

func (t *stage) size(shard int) uint64 { return t.starts[shard+1] - t.starts[shard] }

// newStage takes memory for the counts of stage k of n, and counts.
func (s *sender) newStage(k, n, own, parts uint64, key int) (*stage, error) {
	first := s.n * k / n
	t := &stage{first: first, n: s.n*(k+1)/n - first, starts: make([]uint64, parts+1), offsets: make([]uint64, parts), order: nothing}
	t.starts[parts] = t.n
	t.pieces = divideUp(t.n, kernels.SplitPiece)
	group := warp * max(1, divideUp(t.pieces, warp*kernels.SplitGroups))
	groups := parts * divideUp(t.pieces, group)
	t.sums = 8 * groups
	var err error
	take := func(bytes uint64) uint64 {
		at, failed := s.take(bytes)
		err = cmp.Or(err, failed)
		return uint64(at)
	}
	t.block = kernels.Split{Items: t.n, Keys: uint64(s.keys) + first*uint64(key), KeyWidth: uint64(key), Parts: parts,
		Own: own, Counts: take(8 * parts * t.pieces), Sums: take(t.sums), Starts: take(8 * parts),
		Ballots: take(kernels.SplitBits * t.pieces * kernels.SplitPiece / 8), Group: group, First: s.first + first}
	if err == nil {
		err = t.prepareCounts(s, groups)
	}
	if err == nil {
		err = t.measure(s.mem.dev)
	}
	return t, err
}

// kernel returns the kernel of a step for this number of parts and, if it reads them, width of keys.
func (t *stage) kernel(step string, keys bool) string {
	most := kernels.MaxParts
	for _, parts := range []int{8, 2} {
		if t.block.Parts <= uint64(parts) {
			most = parts
		}
	}
	return fmt.Sprintf("hz_split_%s_of_%d", step, most) + lists.Either(keys, fmt.Sprintf("_k%d", t.block.KeyWidth), "")
}

func divideUp(n, by uint64) uint64 { return (n + by - 1) / by }

// warp is the number of items of a launch that one warp of a GPU works on.
const warp = 32

func (t *stage) prepareCounts(s *sender, groups uint64) error {
	count, err := s.prepared(t.kernel("count", true), kernels.Bytes(&t.block), warp*t.pieces)
	if err != nil {
		return err
	}
	starts, err := s.prepared("hz_split_starts", kernels.Bytes(&t.block), warp*groups)
	t.count = []func() error{func() error { return s.mem.dev.Set(device.Addr(t.block.Sums), 0, int64(t.sums)) }, count, starts}
	return err
}

// page is the memory that a sender takes at once for small pieces: an allocation on a GPU is slow.
const page = 1 << 16

// take takes memory until the batch is released.
func (s *sender) take(bytes uint64) (at device.Addr, err error) {
	bytes = (bytes + 255) &^ 255 // kernels expect it aligned
	if bytes > s.left {
		if s.rest, err = s.mem.alloc(max(bytes, page)); err != nil {
			return 0, err
		}
		s.left = max(bytes, page)
	}
	at = s.rest
	s.rest, s.left = s.rest+device.Addr(bytes), s.left-bytes
	return at, nil
}

// prepared returns a launch of one of the engine's own kernels that can be repeated.
func (s *sender) prepared(kernel string, block []byte, n uint64) (func() error, error) {
	at, err := s.take(uint64(len(block)))
	if err != nil {
		return nil, err
	}
	dev := s.mem.dev
	return func() error {
		if n == 0 {
			return nil
		}
		return dev.Launch(kernel, at, at, n)
	}, ready(dev, kernel, at, block)
}

// measure counts, and reads where the operations of each shard begin.
func (t *stage) measure(dev device.Device) error {
	if t.n == 0 {
		return nil
	}
	if err := inOrder(t.count...); err != nil {
		return err
	}
	var raw [8]byte
	for q := range t.offsets {
		if err := dev.Read(raw[:], device.Addr(t.block.Counts+8*uint64(q)*t.pieces)); err != nil {
			return err
		}
		t.starts[q] = binary.LittleEndian.Uint64(raw[:])
	}
	return dev.Write(device.Addr(t.block.Starts), kernels.BytesOf(t.starts[:len(t.offsets)]))
}

// inOrder calls functions until one fails.
func inOrder(list ...func() error) error {
	return lists.Each(list, func(f func() error) error { return f() })
}

// prepareMoves takes memory for the split columns of a share. Operations that the part itself owns go to its own batch.
// Numbered operations stay in order, which takes a count and a scan first.
func (s *sender) prepareMoves(widths [columns]int, own *Input) (err error) {
	for c, width := range widths {
		if width > 0 && err == nil {
			s.split[c], err = s.mem.alloc(s.n * uint64(width))
		}
	}
	here := [columns]device.Addr{s.keys, s.values, s.ops, 0}
	for _, t := range s.stages {
		if err != nil {
			return err
		}
		step, before := "scatter", t.count[:1]
		if widths[numberColumn] > 0 {
			step, before = "move", t.count
		}
		var move func() error
		move, err = s.prepareColumns(t.kernel(step, true), t, widths[:], func(c int) (_, _, _ device.Addr) {
			return here[c], s.split[c], *own.columns()[c]
		})
		t.split = append(slices.Clone(before), move)
	}
	return err
}

// prepareOrder takes memory for the answers that come back, and prepares the launch that restores their order.
func (s *sender) prepareOrder(widths [answerColumns]int, own *Input) (err error) {
	for c, width := range widths {
		if width > 0 && s.back[c] == 0 && err == nil {
			s.back[c], err = s.mem.alloc(s.n * uint64(width))
		}
	}
	for _, t := range s.stages {
		if err != nil {
			return err
		}
		t.order, err = s.prepareColumns(t.kernel("order", false), t, widths[:], func(c int) (_, _, _ device.Addr) {
			return s.answers()[c], s.back[c], own.shares[0].answers()[c]
		})
	}
	return err
}

// prepareColumns prepares a launch that moves columns of a stage between three places: here in the order of the batch,
// away sorted by shard, and among the part's own operations.
func (s *sender) prepareColumns(kernel string, t *stage, widths []int, arrays func(c int) (here, away, own device.Addr)) (func() error, error) {
	block, used := t.block, 0
	shift := t.offsets[block.Own] - t.starts[block.Own] // may be below zero, which wraps around
	for c, width := range widths {
		if width == 0 {
			continue
		}
		here, away, own := arrays(c)
		column := kernels.SplitColumn{Away: uint64(away) + t.first*uint64(width), Own: uint64(own) + shift*uint64(width), Width: uint64(width)}
		if here != 0 {
			column.Here = uint64(here) + t.first*uint64(width)
		}
		block.Column[used] = column
		used++
	}
	if used == 0 {
		return nothing, nil
	}
	return s.prepared(kernel, kernels.Bytes(&block), warp*t.pieces)
}

func nothing() error { return nil }
