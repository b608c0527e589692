package engine

import (
	"cmp"
	"fmt"
	"math/bits"
	"strings"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/digest"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/schemes"
)

// Mix is the operation of a batch whose operations differ.
const Mix = schemes.MixOp

// Batch is an operation on keys, with values where it takes them. With the operation Mix,
// Ops are indices into kernels.Ops.
type Batch struct {
	Op     string
	Keys   Stream
	Values Stream
	Ops    Stream
	Mixed  []string // the operations in Ops, in any order; none: any

	// An operation on the whole table has no streams; a resize has a capacity.
	Capacity uint64
}

// MaxBatch bounds a batch, so that sizes in bytes do not overflow.
const MaxBatch = 1 << 56

// Len is the number of operations.
func (b Batch) Len() uint64 {
	if b.Keys == nil {
		return 0
	}
	return b.Keys.Len()
}

// Input is a batch in device memory, which may run on any number of that device's tables in turn. Each part of a device
// has a share of it; a device without parts has all.
type Input struct {
	Op     string
	N      uint64
	Digest string

	pair     schemes.Pair
	mixed    []string
	size     uint64  // a resize: the capacity asked for
	repeats  repeats // of inserts
	shares   []*share
	chunks   *chunks     // nil: the shares are in device memory
	base     uint64      // of a chunk: its first operation
	routes   *routes     // of several shares, after the first run
	numbers  device.Addr // on a shard: the numbers of its operations in the batch, 4 bytes each
	cuts     []uint64    // on a shard: where the operations of each stage begin, and all end
	pipeline pipeline    // on a shard: moves its operations there (pipeline.go); nil: they are there
	busy     bool        // a kernel that hangs still uses it
}

// share is a range of a batch in the memory of one device.
type share struct {
	mem    memory
	first  uint64 // operation of the batch, or of the chunk
	from   uint64 // and its number in the whole batch
	n      uint64
	keys   device.Addr
	values device.Addr
	ops    device.Addr
	out    device.Addr // results go here
	status device.Addr
	left   [2]device.Addr // and rejected pairs
}

// divided splits n operations from number `from` on into ranges, one for each part of a device.
func divided(from, n uint64, parts []device.Device) (shares []*share) {
	count := uint64(len(parts))
	for i, dev := range parts {
		first := n * uint64(i) / count
		shares = append(shares, &share{mem: memory{dev: dev}, first: first, from: from + first, n: n*uint64(i+1)/count - first})
	}
	return shares
}

// Keyed lists the operations on keys, which mixed batches consist of.
var Keyed = kernels.OpsOf(kernels.OnKeys)

func (b Batch) check() error {
	op := kernels.Op(b.Op)
	switch op.Kind {
	case kernels.OnTable:
		return nil
	case kernels.OnKeys, kernels.Mixed:
	default:
		return nearest.Unknown("operation of a batch", b.Op, kernels.OpsOf(kernels.OnKeys, kernels.Mixed, kernels.OnTable))
	}
	if b.Keys == nil {
		return fmt.Errorf("a batch of %s without keys", b.Op)
	}
	if b.Keys.Len() > MaxBatch {
		return fmt.Errorf("a batch of %d %s: at most %d operations", b.Keys.Len(), b.Op, uint64(MaxBatch))
	}
	for what, s := range map[string]Stream{"values": b.Values, "ops": b.Ops} {
		if s != nil && s.Len() != b.Keys.Len() {
			return fmt.Errorf("a batch of %s has %d keys and %d %s: they must be as many", b.Op, b.Keys.Len(), s.Len(), what)
		}
	}
	if op.Value && b.Values == nil {
		return fmt.Errorf("a batch of %s without values", b.Op)
	}
	if (b.Op == Mix) != (b.Ops != nil) {
		return fmt.Errorf("a batch of %s: a stream of operations goes with mix, and with nothing else", b.Op)
	}
	return nil
}

func (in *Input) load(b Batch, cache *Cache) error {
	err := in.eachShare(func(_ int, s *share) error { return s.load(b, in.pair, cache) })
	if err != nil {
		return fmt.Errorf("batch of %d %s: %w", in.N, in.Op, err)
	}
	return nil
}

// eachShare calls f for all shares in parallel, since each is on a device of its own, and returns the first error.
func (in *Input) eachShare(f func(i int, s *share) error) error {
	if len(in.shares) == 1 {
		return f(0, in.shares[0])
	}
	return cmp.Or(atOnce(len(in.shares), func(i int) error { return f(i, in.shares[i]) })...)
}

// survey digests a batch and counts its repeated keys. One that is carried out in chunks is generated for that.
func (in *Input) survey() error {
	sums := kernels.Digest{Positional: 1}
	inputs := func(s *share) []part { return []part{{s.keys, in.pair.Key}, {s.values, in.pair.Value}, {s.ops, 1}} }
	keys := newSeen(in.devices()[0], in.pair.Key, in.N)
	defer keys.mem.release()
	counts := kernels.Op(in.Op).Blind() && len(in.devices()) == 1
	for part, err := range in.parts(in.N) {
		if err != nil {
			return err
		}
		if err := part.addUp(&sums, inputs); err != nil {
			return err
		}
		if s := part.shares[0]; counts {
			if err := keys.add(s.keys, s.n); err != nil {
				return err
			}
		}
	}
	if counts {
		in.repeats = keys.repeats()
	}
	what := "input/" + in.Op + lists.Either(in.size > 0, fmt.Sprintf(" to %d", in.size), "")
	in.Digest = digest.Finish(what, in.N, &sums)
	return nil
}

// addUp adds parallel arrays of all shares to the sums of a digest.
func (in *Input) addUp(sums *kernels.Digest, parts func(*share) []part) error {
	each := make([]kernels.Digest, len(in.shares))
	err := in.eachShare(func(i int, s *share) error {
		if each[i].Positional = sums.Positional; sums.Positional != 0 {
			each[i].First = s.from
		}
		return addUp(s.mem.dev, s.n, &each[i], parts(s)...)
	})
	for i := range each {
		addSums(sums, &each[i])
	}
	return err
}

func (in *Input) devices() []device.Device {
	if in.chunks != nil {
		return in.chunks.cache.parts
	}
	return lists.Map(in.shares, func(s *share) device.Device { return s.mem.dev })
}

func (s *share) load(b Batch, pair schemes.Pair, cache *Cache) (err error) {
	if s.keys, err = s.fill(b.Keys, pair.Key, cache); err != nil {
		return err
	}
	if s.values, err = s.fill(b.Values, pair.Value, cache); err != nil {
		return err
	}
	s.ops, err = s.fill(b.Ops, 1, cache)
	return err
}

// fill allocates the share's range of a stream's numbers and generates or copies them.
func (s *share) fill(from Stream, width int, cache *Cache) (device.Addr, error) {
	if from == nil || width == 0 {
		return 0, nil
	}
	bytes := s.n * uint64(width)
	at, err := s.mem.alloc(bytes)
	if err != nil {
		return 0, err
	}
	generated, ok := from.(Generated)
	if !ok {
		return at, s.mem.dev.Write(at, from.(hosted).bytes(width)[s.from*uint64(width):][:bytes])
	}
	program, err := generated.ProgramWith(func(name string, numbers []uint64) (uint64, error) {
		return cache.place(s.mem.dev, name, numbers)
	})
	if err != nil {
		return 0, err
	}
	fill := kernels.Fill{Out: uint64(at), First: s.from, Width: uint64(width)}
	return at, runOwn(s.mem.dev, "hz_generate", kernels.Bytes(&program), kernels.Bytes(&fill), s.n)
}

// results makes room for outcomes and answers the first time it is needed.
func (in *Input) results(status bool) error {
	return lists.Each(in.shares, func(s *share) error { return s.results(status, in.Op, in.pair) })
}

func (s *share) results(status bool, op string, pair schemes.Pair) error {
	room := func(at *device.Addr, needed bool, width int) error {
		if *at != 0 || !needed {
			return nil
		}
		bytes := s.n * uint64(width)
		var err error
		if *at, err = s.mem.alloc(bytes); err != nil {
			return err
		}
		return s.mem.dev.Set(*at, 0, int64(bytes)) // makes its pages: otherwise the first batch that writes there would pay for them
	}
	leaving := kernels.Op(op).HandsBack()
	return cmp.Or(room(&s.out, true, pair.AnswerBytes()), room(&s.status, status, 1),
		room(&s.left[0], leaving, pair.Key), room(&s.left[1], leaving, pair.Value))
}

// blank clears the results of an earlier run, because some operations have none.
func (in *Input) blank() error {
	return lists.Each(in.shares, func(s *share) error {
		return cmp.Or(s.mem.dev.Set(s.status, 0, int64(s.n)), s.mem.dev.Set(s.out, 0, int64(s.n)*int64(in.pair.AnswerBytes())))
	})
}

// block is the batch block of a table, which has one share of a batch.
func (in *Input) block(kernel string, ops []string, status bool) schemes.Batch {
	s := in.shares[0]
	b := kernels.Batch{
		Keys: uint64(s.keys), Values: uint64(s.values), Ops: uint64(s.ops), Out: uint64(s.out),
		PairKeys: uint64(s.left[0]), PairValues: uint64(s.left[1]), PairLimit: in.N,
	}
	b.Select = selected(ops)
	if status {
		b.Status = uint64(s.status)
	}
	return schemes.Batch{Op: kernel, N: cmp.Or(in.N, in.size), Block: b}
}

func selected(ops []string) (bits uint64) {
	for _, op := range ops {
		bits |= 1 << kernels.OpNumber(op)
	}
	return bits
}

// Release frees the memory, unless a kernel that hangs still uses it.
func (in *Input) Release() error {
	if in.busy {
		return nil
	}
	return cmp.Or(append(lists.Map(in.shares, func(s *share) error { return s.mem.release() }), in.routes.release())...)
}

// part is an array of numbers in device memory. Without an address or width it is skipped.
type part struct {
	at    device.Addr
	width int
}

// addUp adds parallel arrays of n numbers to the sums of a digest, on the device so that they need not be copied.
func addUp(dev device.Device, n uint64, block *kernels.Digest, parts ...part) error {
	for i, p := range parts {
		if p.width > 0 {
			block.Part[i], block.PartWidth[i] = uint64(p.at), uint64(p.width)
		}
	}
	return runOwn(dev, digest.Kernel, nil, kernels.Bytes(block), n)
}

// A batch that inserts a key twice is a mistake on a scheme with unique keys, which few schemes notice. So repeated keys
// are counted when a batch is loaded, outside measured time: in all of a small one, and in a sample of a large one, which
// has either all copies of a key or none.

// repeats is the number of repeated keys of a batch, estimated from 1 in `sample` keys.
type repeats struct{ counted, sample uint64 }

// sampleSize is about the largest number of keys in the sample.
const sampleSize = 1 << 16

// seen is a set of the keys of a batch that are in the sample (kernels/repeats.h).
type seen struct {
	mem  memory
	set  device.Addr
	args kernels.Look
}

// newSeen is the set for a batch of n keys.
func newSeen(dev device.Device, width int, n uint64) *seen {
	sample := uint64(1) << max(0, bits.Len64(n)-bits.Len(sampleSize))
	return &seen{mem: memory{dev: dev}, args: kernels.Look{Key: uint64(width), Stride: sample, Bucket: 2 << bits.Len64(n/sample)}}
}

// add adds keys to the set, and counts those that were in it.
func (s *seen) add(keys device.Addr, n uint64) (err error) {
	dev, words := s.mem.dev, s.args.Bucket
	if s.set == 0 {
		if s.set, err = s.mem.alloc(8*words + uint64(unsafe.Sizeof(s.args))); err != nil {
			return err
		}
		if err := dev.Set(s.set, 0xff, int64(8*words)); err != nil {
			return err
		}
	}
	s.args.At, s.args.Slots = uint64(keys), n
	block := s.set + device.Addr(8*words)
	return cmp.Or(dev.Prepare("hz_repeats"), dev.Write(block, kernels.Bytes(&s.args)),
		dev.Launch("hz_repeats", s.set, block, n), dev.Read(kernels.Bytes(&s.args), block))
}

func (s *seen) repeats() repeats { return repeats{s.args.Bin[0] * s.args.Stride, s.args.Stride} }

// noteRepeats notes that keys were inserted twice into a scheme that keeps one pair of each.
func (s *Sample) noteRepeats(config schemes.Config, in *Input) {
	r := in.repeats
	if r.counted == 0 || config.Caps.Duplicates {
		return
	}
	about := lists.Either(r.sample > 1, fmt.Sprintf("about (from 1 in %d keys) ", r.sample), "")
	several := schemes.Where(func(s *schemes.Scheme) bool { return s.Caps.Duplicates })
	s.Notes = append(s.Notes, fmt.Sprintf("%s%d of %d keys were in the batch before, and this scheme keeps one pair of a key; several are kept by %s",
		about, min(r.counted, in.N), in.N, strings.Join(several, ", ")))
}
