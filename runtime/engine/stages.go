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
