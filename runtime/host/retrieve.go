package host

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
)

// Retrieving writes the pairs of each key side by side. The keys are looked up first. Sums of the numbers of pairs
// are the places where they go, and the total is known before memory is taken for them. If there is too little, the
// engine retrieves fewer keys at a time.

// retrieve is the host side of retrieve for schemes with find_all, and for those with find and unique keys.
func retrieve(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	all := t.Config().Caps.Has("find_all")
	look := b
	look.Op = "find"
	if all {
		look.Op = "find_all"
	}
	return Retrieve(t, look, func(done schemes.Result) (schemes.Result, error) {
		if all {
			return t.Launch(done.Batch)
		}
		matches := kernels.Scan{Batch: done.Batch.Block, Width: uint64(t.Pair().Value), Stride: uint64(t.Pair().AnswerBytes())}
		return Nothing(b), t.Own("hz_matches", kernels.Bytes(&matches), b.N)
	})
}

// Retrieve looks up the keys of a batch by its operation. Then write is to put the values of operation i to FoundOf and
// FoundValues from FoundAt[i] on. Answers of find_all are the numbers of pairs; of find, each key found has one.
func Retrieve(t schemes.Table, look schemes.Batch, write func(schemes.Result) (schemes.Result, error)) (schemes.Result, error) {
	if look.N == 0 {
		return Nothing(look), nil
	}
	if needsOutcomes(look) {
		var err error
		if look, err = Remembered(t, look); err != nil {
			return Nothing(look), err
		}
	}
	done, err := t.Launch(look)
	if err != nil {
		return done, err
	}
	found, err := roomFor(t, &done.Batch)
	if err != nil {
		return done, err
	}
	more, err := write(done)
	work := slices.Clone(done.Counts)
	work.Add(more.Counts)
	done.Counts.SetWork(work)
	done.Counts.Set("found", found)
	return done, err
}

// needsOutcomes reports whether answers alone do not say how many pairs each key of a batch has.
func needsOutcomes(b schemes.Batch) bool { return b.Block.Ops != 0 || !kernels.Op(b.Op).Lists() }

// roomFor finds the places for the pairs that a batch has found, and takes memory for them.
func roomFor(t schemes.Table, b *schemes.Batch) (found uint64, err error) {
	at, err := t.ScratchUnset(int64(8 * b.N))
	if err != nil {
		return 0, err
	}
	sizes := kernels.Scan{Items: b.N, Place: uint64(at), PlaceWidth: 8, PlaceStride: 8, Batch: b.Block}
	if kernels.Op(b.Op).Lists() {
		sizes.Number, sizes.Stride = b.Block.Out, uint64(t.Pair().AnswerBytes())
		sizes.Width = min(8, sizes.Stride)
	}
	if !needsOutcomes(*b) {
		sizes.Batch = kernels.Batch{}
	}
	if sizes.Sum, err = Sums(t, b.N); err != nil {
		return 0, err
	}
	if found, err = Places(t, sizes); err != nil {
		return 0, err
	}
	of, err := t.ScratchUnset(int64(4 * found))
	if err != nil {
		return 0, tooMany(t, b.N, found, err)
	}
	values, err := t.ScratchUnset(int64(found) * int64(t.Pair().Value))
	if err != nil {
		return 0, tooMany(t, b.N, found, err)
	}
	b.Block.FoundAt, b.Block.FoundOf, b.Block.FoundValues, b.Block.FoundLimit = uint64(at), uint64(of), uint64(values), found
	return found, nil
}

func tooMany(t schemes.Table, keys, found uint64, err error) error {
	bytes := found * uint64(4+t.Pair().Value)
	return fmt.Errorf("retrieve of %d keys gives %d pairs, which take %d bytes: %w; hint: a smaller table leaves more memory",
		keys, found, bytes, err)
}

// Sums takes memory for Places: a number for each piece of the items, for each piece of those, and so on.
func Sums(t schemes.Table, items uint64) (uint64, error) {
	total := uint64(0)
	for pieces := piecesOf(items); ; pieces = piecesOf(pieces) {
		if total += pieces; pieces <= 1 {
			at, err := t.ScratchUnset(int64(8 * total))
			return uint64(at), err
		}
	}
}

func piecesOf(items uint64) uint64 { return (items + kernels.ScanPiece - 1) / kernels.ScanPiece }

// Places writes the sum of the sizes before each item, and returns the sum of all (kernels/scan.h).
func Places(t schemes.Table, s kernels.Scan) (total uint64, err error) {
	pieces := piecesOf(s.Items)
	if err := t.Own("hz_scan_sums", kernels.Bytes(&s), pieces*kernels.Warp); err != nil {
		return 0, err
	}
	if pieces > 1 {
		total, err = Places(t, kernels.Scan{Items: pieces, Number: s.Sum, Width: 8, Stride: 8,
			Place: s.Sum, PlaceWidth: 8, PlaceStride: 8, Sum: s.Sum + 8*pieces})
	} else {
		total, err = onlySum(t, s.Sum)
	}
	if err != nil {
		return 0, err
	}
	return total, t.Own("hz_scan_places", kernels.Bytes(&s), pieces*kernels.Warp)
}

func onlySum(t schemes.Table, at uint64) (uint64, error) {
	sum, err := Read[uint64](t, at, 1)
	return sum[0], err
}
