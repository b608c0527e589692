package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Operations that list all pairs of a key may list more than memory holds. Such a batch is cut in two, and its halves
// again, so that each piece fits; a piece is digested before its memory is used for the next. Digests and the results for
// the oracle are those of one piece.

// listed are the values that the operations of a phase listed.
type listed struct {
	found
	base   uint64 // the first operation of the chunk
	keep   bool   // keep the values
	pieces int
	most   uint64 // operations in a piece

	foundOf     []uint64 // the operations that foundValues belong to
	foundValues []uint64

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
	rows := lists.Make(len(l.Of), func(i int) row { return row{l.Of[i], l.Values[i]} })
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
	r, from := reader{dev: t.dev}, len(l.foundOf)
	l.foundOf = r.numbers(l.foundOf, of.at, n, of.width)
	for i := from; first > 0 && i < len(l.foundOf); i++ {
		l.foundOf[i] += first
	}
	_, given := r.pairs([2]device.Addr{0, values.at}, n, pair)
	l.foundValues = append(l.foundValues, given...)
	return r.err
}

// question asks about a batch: the keys found, missed or added, or the values. Tables with equal contents give equal
// answers, in the order of the batch. Which of several operations on one key adds or erases it depends on timing, so the
// answer names the first ones.
type question struct {
	name string
	of   func(kernels.Operation) bool                  // operations that have an answer
	keys func(op kernels.Operation, outcome byte) bool // whether the answer has the key; nil: it has values
}

var isReplaced, isMissing = outcomeNumber("replaced"), outcomeNumber("missing")

var questions = []question{
	{"found", func(op kernels.Operation) bool { return op.May("missing") || op.May("replaced") },
		func(op kernels.Operation, outcome byte) bool {
			return outcome == isReplaced || outcome == isOK && !op.Adds
		}},
	{"missed", func(op kernels.Operation) bool { return op.May("missing") },
		func(_ kernels.Operation, outcome byte) bool { return outcome == isMissing }},
	{"added", func(op kernels.Operation) bool { return op.Adds },
		func(_ kernels.Operation, outcome byte) bool { return outcome == isOK || outcome == isEvicted }},
	{"values", func(op kernels.Operation) bool { return op.Answer == kernels.OneValue || op.Lists() }, nil},
}

// Questions lists the questions that Gave answers about a batch.
var Questions = lists.Map(questions, func(q question) string { return q.name })

// Gave answers one of Questions about a batch, of the last table with results that it ran on. Values found are ordered
// by their keys, and those of one key ascend.
func (in *Input) Gave(what string, listed Listed) ([]uint64, error) {
	a := questions[slices.Index(Questions, what)]
	onKeys := func(op kernels.Operation) bool { return op.Kind == kernels.OnKeys && a.of(op) }
	switch op := kernels.Op(in.Op); {
	case !onKeys(op):
		return nil, fmt.Errorf("it is for %s, and this was %s", strings.Join(kernels.OpsThat(onKeys), ", "), in.Op)
	case what == "values" && in.pair.Value == 0:
		return nil, fmt.Errorf("a table of %v has no values", in.pair)
	case what == "values":
		return in.valuesGiven(op, listed)
	}
	keys, err := in.keysThat(a.keys)
	if what == "added" {
		keys = eachOnce(keys)
	}
	return keys, err
}

// eachOnce removes all but the first of equal numbers.
func eachOnce(list []uint64) []uint64 {
	seen := make(map[uint64]bool, len(list))
	return slices.DeleteFunc(list, func(n uint64) bool {
		had := seen[n]
		seen[n] = true
		return had
	})
}

func (in *Input) valuesGiven(op kernels.Operation, listed Listed) (values []uint64, err error) {
	if op.Lists() {
		listed.Sort()
		return listed.Values, nil
	}
	outcomes, out, err := in.outcomes(true)
	for i, outcome := range outcomes {
		if outcome == isOK {
			values = append(values, out[i])
		}
	}
	return values, err
}

// outcomes reads the outcomes of the operations and, if requested, their answers.
func (in *Input) outcomes(answers bool) (outcomes []byte, out []uint64, err error) {
	if in.chunks != nil {
		return nil, nil, fmt.Errorf("the batch of %d %s was carried out in chunks, whose answers are not kept; hint: fewer keys in a batch", in.N, in.Op)
	}
	r := in.each(in.N, func(r *reader, s *share) {
		outcomes = r.bytes(outcomes, s.status, s.n)
		if answers {
			out = r.numbers(out, s.out, s.n, in.pair.AnswerBytes())
		}
	})
	return outcomes, out, r.err
}

// keysThat returns the keys of the operations with some outcomes.
func (in *Input) keysThat(have func(op kernels.Operation, outcome byte) bool) ([]uint64, error) {
	outcomes, _, err := in.outcomes(false)
	if err != nil {
		return nil, err
	}
	columns, err := in.Columns()
	if err != nil {
		return nil, err
	}
	op, list := kernels.Op(in.Op), make([]uint64, 0, len(outcomes))
	key := func(i int) uint64 { return Number(columns.Keys, columns.KeyWidth, i) }
	if op.Adds || op.Removes != kernels.RemovesNone {
		firstOnes(outcomes, key)
	}
	for i, outcome := range outcomes {
		if have(op, outcome) {
			list = append(list, key(i))
		}
	}
	return list, nil
}

// firstOnes lets the first operations on each key be those that changed the table.
func firstOnes(outcomes []byte, key func(i int) uint64) {
	changed, others := map[uint64]int{}, map[uint64]byte{}
	for i, outcome := range outcomes {
		if outcome == isOK {
			changed[key(i)]++
		}
	}
	for i, outcome := range outcomes {
		if outcome != isOK && changed[key(i)] > 0 {
			others[key(i)] = outcome
		}
	}
	if len(others) == 0 {
		return
	}
	for i := range outcomes {
		switch k := key(i); {
		case changed[k] > 0:
			changed[k]--
			outcomes[i] = isOK
		case others[k] != 0 && outcomes[i] == isOK:
			outcomes[i] = others[k]
		}
	}
}
