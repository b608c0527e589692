package engine

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// Operations that list all pairs of a key may list more than memory holds. Such a batch is cut in two, and its halves
// again, so that each piece fits; a piece is digested before its memory is used for the next. Digests and the results for
// the oracle are those of one piece.

// listed are the values that the operations of a phase listed.
type listed struct {
	found
	base   uint64   // the first operation of the chunk
	keep   bool     // keep the values
	of     []uint64 // the operations that the values in given belong to
	given  []uint64
	pieces int
	most   uint64 // operations in a piece

	numbers  device.Addr   // on a shard: the numbers of its operations in the batch
	renaming time.Duration // how long it took to replace its own numbers by them
}

// Listed are the values that operations listed.
type Listed struct {
	Of     []uint64 // by value: its operation in the batch
	Values []uint64
}

func (l *Listed) add(base uint64, of, values []uint64) {
	for _, i := range of {
		l.Of = append(l.Of, base+i)
	}
	l.Values = append(l.Values, values...)
}

// Sort orders values by operation, and those of one operation by value: the order in which a table lists them depends on
// the scheme and on timing.
func (l *Listed) Sort() {
	type row struct{ of, value uint64 }
	rows := make([]row, len(l.Of))
	for i := range rows {
		rows[i] = row{l.Of[i], l.Values[i]}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(a.value, b.value)) })
	for i, r := range rows {
		l.Of[i], l.Values[i] = r.of, r.value
	}
}

// inPieces carries out operations from `first` on, at once or one half after the other.
func (t *shard) inPieces(op schemes.HostOp, b schemes.Batch, first uint64, list *listed) (schemes.Result, error) {
	t.current = b
	held := len(t.batch.held)
	done, err := op(t, b)
	if err == nil {
		list.pieces, list.most = list.pieces+1, max(list.most, b.N)
		return done, cmp.Or(list.add(t, done, first), t.batch.releaseAfter(held))
	}
	if err := t.batch.releaseAfter(held); err != nil {
		return done, err
	}
	if !errors.Is(err, schemes.ErrNoMemory) || b.N < 2 {
		return done, err
	}
	half := b
	half.N = b.N / 2
	if done, err = t.inPieces(op, half, first, list); err != nil {
		return done, err
	}
	more, err := t.inPieces(op, b.Rest(t.Pair(), half.N), first+half.N, list)
	done.Counts.Add(more.Counts)
	return done, err
}

// add adds the values that operations from `first` on listed.
func (l *listed) add(t *shard, done schemes.Result, first uint64) error {
	b, pair := done.Batch.Block, t.Pair()
	n := min(done.Counts.Get("found"), b.FoundLimit) // for which there was room
	if n == 0 || b.FoundOf == 0 {
		return nil
	}
	if l.numbers != 0 { // of the batch, in place of those on the shard, which count from first
		var block kernels.Split
		block.Column[0] = kernels.SplitColumn{Here: b.FoundOf, Away: uint64(l.numbers) + 4*first, Width: 4}
		took, err := t.dev.Time(func() error { return runOwn(t.dev, "hz_split_rename", nil, kernels.Bytes(&block), n) })
		if l.renaming += took; err != nil {
			return err
		}
		first = 0
	}
	l.values += n
	l.sums.First = l.base + first
	of, values := part{device.Addr(b.FoundOf), 4}, part{device.Addr(b.FoundValues), pair.Value}
	if t.spec.Results {
		if err := addUp(t.dev, n, &l.sums, of, values); err != nil {
			return err
		}
	}
	if !l.keep {
		return nil
	}
	r := reader{dev: t.dev}
	for _, i := range r.numbers(of.at, n, of.width) {
		l.of = append(l.of, first+i)
	}
	_, given := r.pairs([2]device.Addr{0, values.at}, n, pair)
	l.given = append(l.given, given...)
	return r.err
}
