package engine

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// Each part of a device splits its share of a batch by the owners of the keys (kernels/partition.h). An owner gathers
// columns from all parts, one behind the other, and runs them as a batch of its own; answers go back the same way. The
// same batch is split alike each time, so its ways are laid out once, and running it again takes no memory.

// routes are the ways of a batch's operations to their owners and back.
type routes struct {
	from  []*sender
	owned []*Input
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
	mem    memory
	steps  []func() error // of the partition
	counts device.Addr
	place  device.Addr
	split  [columns]device.Addr
	starts []uint64 // where the operations of each owner begin here, and all end
	lands  []uint64 // where they begin at their owners
	back   [answerColumns]device.Addr
	fetch  [answerColumns]func() error // puts those into order
}

// mostShared bounds a batch on several devices: its operations have numbers of 4 bytes.
const mostShared = 1 << 32

// route lays out the partition of a batch, unless it was before.
func (in *Input) route() error {
	if in.routes != nil {
		return nil
	}
	if in.N >= mostShared {
		return fmt.Errorf("a batch of %d %s: several devices take at most %d operations at once", in.N, in.Op, uint64(mostShared-1))
	}
	r := &routes{}
	for _, s := range in.shares {
		from := &sender{share: s, mem: memory{dev: s.mem.dev}, lands: make([]uint64, len(in.shares))}
		r.from = append(r.from, from)
		if err := from.layOut(in.widths(), uint64(len(in.shares)), in.pair.Key); err != nil {
			return cmp.Or(r.release(), fmt.Errorf("batch of %d %s: %w", in.N, in.Op, err))
		}
	}
	in.routes = r
	return nil
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
	if op := kernels.Op(in.Op); op.Kind == kernels.Mixed || op.Lists() {
		widths[numberColumn] = 4
	}
	return widths
}

// layOut takes memory for the partition and prepares its launches.
func (s *sender) layOut(widths [columns]int, parts uint64, key int) (err error) {
	s.starts = make([]uint64, parts+1)
	s.starts[parts] = s.n
	pieces := (s.n + kernels.SplitPiece - 1) / kernels.SplitPiece
	if s.counts, err = s.mem.alloc(8 * parts * pieces); err != nil {
		return err
	}
	if s.place, err = s.mem.alloc(4 * s.n); err != nil {
		return err
	}
	block := kernels.Split{Items: s.n, Keys: uint64(s.keys), KeyWidth: uint64(key), Parts: parts,
		Counts: uint64(s.counts), Place: uint64(s.place), First: s.first}
	if err := s.launches("hz_split_count", kernels.Bytes(&block), pieces); err != nil {
		return err
	}
	if err := s.scan(s.counts, parts*pieces); err != nil {
		return err
	}
	if err := s.launches("hz_split_places", kernels.Bytes(&block), pieces); err != nil {
		return err
	}
	for c, from := range [columns]device.Addr{s.keys, s.values, s.ops, 0} {
		if widths[c] == 0 {
			continue
		}
		if s.split[c], err = s.mem.alloc(s.n * uint64(widths[c])); err != nil {
			return err
		}
		block.From, block.To, block.Width = uint64(from), uint64(s.split[c]), uint64(widths[c])
		if err := s.launches("hz_split_move", kernels.Bytes(&block), s.n); err != nil {
			return err
		}
	}
	return nil
}

// launches adds a launch to the partition.
func (s *sender) launches(kernel string, block []byte, n uint64) error {
	launch, err := prepared(&s.mem, kernel, block, n)
	s.steps = append(s.steps, launch)
	return err
}

// prepared returns a launch of one of the engine's own kernels that can be repeated.
func prepared(mem *memory, kernel string, block []byte, n uint64) (func() error, error) {
	at, err := mem.alloc(uint64(len(block)))
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(mem.dev.Write(at, block), mem.dev.Prepare(kernel)); err != nil {
		return nil, err
	}
	return func() error {
		if n == 0 {
			return nil
		}
		return mem.dev.Launch(kernel, at, at, n)
	}, nil
}

// scan replaces numbers by the sums of those before them (kernels/scan.h).
func (s *sender) scan(at device.Addr, items uint64) error {
	pieces := (items + kernels.ScanPiece - 1) / kernels.ScanPiece
	sums, err := s.mem.alloc(8 * pieces)
	if err != nil {
		return err
	}
	block := kernels.Scan{Items: items, Number: uint64(at), Width: 8, Stride: 8, Sum: uint64(sums),
		Place: uint64(at), PlaceWidth: 8, PlaceStride: 8}
	if err := s.launches("hz_scan_sums", kernels.Bytes(&block), pieces*kernels.Warp); err != nil {
		return err
	}
	if pieces > 1 {
		if err := s.scan(sums, pieces); err != nil {
			return err
		}
	}
	return s.launches("hz_scan_places", kernels.Bytes(&block), pieces*kernels.Warp)
}

// partition splits the share.
func (s *sender) partition() error {
	for _, step := range s.steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// measure reads where the operations of each owner begin.
func (s *sender) measure() error {
	parts := len(s.lands)
	pieces := (s.n + kernels.SplitPiece - 1) / kernels.SplitPiece
	var raw [8]byte
	for q := 0; q < parts && s.n > 0; q++ {
		if err := s.mem.dev.Read(raw[:], s.counts+device.Addr(8*uint64(q)*pieces)); err != nil {
			return err
		}
		s.starts[q] = binary.LittleEndian.Uint64(raw[:])
	}
	return nil
}

func (s *sender) size(owner int) uint64 { return s.starts[owner+1] - s.starts[owner] }

// land takes memory at the owners for a batch that was split, the first time.
func (in *Input) land() error {
	r := in.routes
	if r.owned != nil {
		return nil
	}
	for _, s := range r.from {
		if err := s.measure(); err != nil {
			return err
		}
	}
	for q, at := range in.shares {
		o := &Input{Op: in.Op, Digest: in.Digest, pair: in.pair, mixed: in.mixed, base: in.base}
		for _, s := range r.from {
			s.lands[q] = o.N
			o.N += s.size(q)
		}
		o.shares = divided(0, o.N, []device.Device{at.mem.dev})
		r.owned = append(r.owned, o)
		if err := o.alloc(in.widths()); err != nil {
			in.routes = nil
			return cmp.Or(r.release(), fmt.Errorf("batch of %d %s, of which a device owns %d: %w", in.N, in.Op, o.N, err))
		}
	}
	return nil
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

// gather lists what an owner copies from all parts: its operations.
func (in *Input) gather(owner int) (list []device.Copy) {
	o := in.routes.owned[owner]
	for p, s := range in.routes.from {
		for c, at := range o.columns() {
			list = copied(list, p, *at, s.lands[owner], s.split[c], s.starts[owner], s.size(owner), in.widths()[c])
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
	for _, o := range in.routes.owned {
		if err := o.results(status); err != nil {
			return err
		}
	}
	for c, width := range in.answerWidths(status) {
		for _, s := range in.routes.from {
			if width == 0 || s.back[c] != 0 {
				continue
			}
			at, err := s.mem.alloc(s.n * uint64(width))
			if err != nil {
				return err
			}
			block := kernels.Split{Place: uint64(s.place), From: uint64(at), To: uint64(s.answers()[c]), Width: uint64(width)}
			if s.fetch[c], err = prepared(&s.mem, "hz_split_fetch", kernels.Bytes(&block), s.n); err != nil {
				return err
			}
			s.back[c] = at
		}
	}
	return nil
}

// fetchBack lists what a part copies from all owners: the answers for its share.
func (in *Input) fetchBack(part int, status bool) (list []device.Copy) {
	s := in.routes.from[part]
	for c, width := range in.answerWidths(status) {
		for q, o := range in.routes.owned {
			list = copied(list, q, s.back[c], s.starts[q], o.shares[0].answers()[c], s.lands[q], s.size(q), width)
		}
	}
	return list
}

// order puts the answers that a part copied into the order of the batch.
func (in *Input) order(part int, status bool) error {
	for c, width := range in.answerWidths(status) {
		if width == 0 {
			continue
		}
		if err := in.routes.from[part].fetch[c](); err != nil {
			return err
		}
	}
	return nil
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
