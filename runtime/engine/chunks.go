package engine

import (
	"cmp"
	"iter"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// A batch whose arrays do not fit beside the tables is carried out in chunks: the input of each is generated, used and
// dropped. Service times are added up, and so are digests, which are sums over operations. A mixed batch that is
// several phases on a scheme runs each phase on all chunks before the next one, as it would in one piece.

// chunks describe a batch whose arrays are not kept.
type chunks struct {
	of    Batch
	cache *Cache
	size  uint64 // operations in each but the last
}

// parts iterates over a batch in device memory: itself, or one chunk after the other, each until the next one. Those
// from operation `end` on are skipped.
func (in *Input) parts(end uint64) iter.Seq2[*Input, error] {
	return func(yield func(*Input, error) bool) {
		if in.chunks == nil {
			yield(in, nil)
			return
		}
		for first := uint64(0); first < min(in.N, end); first += in.chunks.size {
			part, err := in.chunk(first)
			if err != nil {
				yield(nil, err)
				return
			}
			goOn := yield(part, nil)
			in.busy = in.busy || part.busy
			if err := part.Release(); err != nil && goOn {
				yield(nil, err)
				return
			}
			if !goOn {
				return
			}
		}
	}
}

// chunk loads the operations from `first` on.
func (in *Input) chunk(first uint64) (*Input, error) {
	c := in.chunks
	part := &Input{Op: in.Op, N: min(c.size, in.N-first), Digest: in.Digest, pair: in.pair, mixed: in.mixed, base: first}
	part.shares = divided(first, part.N, c.cache.parts)
	err := part.load(c.of, c.cache)
	if err = cmp.Or(err, c.cache.shrink(c.cache.keep)); err != nil {
		return nil, cmp.Or(part.Release(), err)
	}
	return part, nil
}

// runChunks carries out each phase of a batch on all chunks.
func (t *Table) runChunks(in *Input) (Sample, error) {
	s, sums := newSample(in), kernels.Digest{}
	s.Chunk = in.chunks.size
	list := t.spec.phases(in.Op, in.mixed)
	for i, p := range list {
		if len(list) > 1 {
			s.Phases = append(s.Phases, p.String())
		}
		s.found = append(s.found, found{})
		for part, err := range in.parts(in.N) {
			if err != nil {
				return s, err
			}
			if in.Op == Mix {
				part.mixed = p.ops
			}
			done, err := t.run(part)
			s.take(done)
			if err != nil {
				return s, err
			}
			if err := t.spec.addResults(&sums, part, i > 0); err != nil {
				return s, err
			}
		}
	}
	return s, t.spec.conclude(&s, in, &sums)
}

// take adds the sample of a phase on a chunk.
func (s *Sample) take(done Sample) {
	done.N = 0 // that of the batch is known
	s.Add(done)
	s.Notes = append(s.Notes, done.Notes...)
	s.Listed.add(0, done.Listed.Of, done.Listed.Values)
	for _, f := range done.found {
		s.found[len(s.found)-1].add(f)
	}
}

// found counts and digests the values that a phase listed.
type found struct {
	values uint64
	sums   kernels.Digest
}

func (f *found) add(more found) {
	f.values += more.values
	addSums(&f.sums, &more.sums)
}

// addSums adds sums over the same arrays.
func addSums(sums, more *kernels.Digest) {
	for i, at := range more.Part {
		if at != 0 {
			sums.Part[i], sums.PartWidth[i] = at, more.PartWidth[i]
		}
	}
	for i := range sums.Sum {
		sums.Sum[i] += more.Sum[i]
	}
}

// addResults adds outcomes and answers to the sums of a digest, without their order, since any of several operations on
// one key may be first. After a further phase, operations that were not in it are in the sums already: blanks are
// subtracted for them, and for those that were blank in earlier phases and that this one carried out.
func (spec *Spec) addResults(sums *kernels.Digest, in *Input, further bool) error {
	if !spec.Results {
		return nil
	}
	if err := in.addUp(sums, in.resultParts); err != nil || !further {
		return err
	}
	var blanks kernels.Digest
	if err := cmp.Or(in.blank(), in.addUp(&blanks, in.resultParts)); err != nil {
		return err
	}
	for i := range sums.Sum {
		sums.Sum[i] -= blanks.Sum[i]
	}
	return nil
}

func (in *Input) resultParts(s *share) []part {
	width := lists.Either(in.answered(), in.pair.AnswerBytes(), 0)
	return []part{{s.keys, in.pair.Key}, {s.ops, 1}, {s.status, 1}, {s.out, width}}
}

// The share of the memory beside the tables that one batch may take; a larger one is carried out in chunks that take
// less, so that the scratch memory of host sides fits as well.
const (
	batchShare = 2
	chunkShare = 8
)

// leastChunk and most of its multiples keep all workers and warps busy.
const leastChunk = 1 << 16

// mostChunks bounds a batch: one of more chunks is a mistake, such as a number with some zeroes too many.
const mostChunks = 1 << 12

// unchecked is a size in bytes that is not compared with the free memory.
const unchecked = 1 << 24

// Chunked is the policy for carrying out batches in chunks.
type Chunked struct {
	AsNeeded bool   // batches that would take too much of the free memory
	Most     uint64 // operations of a chunk; 0: as memory allows
}

// chunkSize is the number of operations of a batch that are carried out at a time: all, if they fit.
func (c *Cache) chunkSize(pair schemes.Pair, b Batch) (uint64, error) {
	each := b.item(pair).bytes()
	if len(c.parts) > 1 {
		each = divideUp(2*each, c.memories) // the shards have copies, and each part has a share of the batch
	}
	n := b.Len()
	all := lists.Either(c.chunked.Most > 0, min(n, c.chunked.Most), n)
	if !c.chunked.AsNeeded || all*each < unchecked {
		return all, nil
	}
	free, err := c.dev.Free()
	if err == nil && all*each > uint64(free)/batchShare {
		c.dropUnused()
		free, err = c.dev.Free()
	}
	if err != nil || all*each <= uint64(free)/batchShare {
		return all, err
	}
	size := min(all, max(uint64(free)/chunkShare/each&^(leastChunk-1), leastChunk))
	if n/size > mostChunks {
		return n, nil // which fails for lack of memory
	}
	return size, nil
}
