package engine

import (
	"bytes"
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// VerifyError says that a table and the oracle disagree.
type VerifyError struct {
	Scheme string
	Reason error
}

func (e *VerifyError) Error() string {
	return fmt.Sprintf("scheme %s: verification failed: %v", e.Scheme, e.Reason)
}

func (e *VerifyError) Unwrap() error { return e.Reason }

func (t *Table) disagree(err error) error {
	if err == nil {
		return nil
	}
	return &VerifyError{t.spec.Config.Name, err}
}

func (t *Table) verify(in *Input, done schemes.Result, list *listed, ops []string) error {
	if kernels.Op(in.Op).Kind == kernels.OnTable {
		return nil // nothing may have changed, which Contents shows
	}
	a, err := t.answers(in, done, list, ops)
	if err != nil {
		return err
	}
	return t.disagree(t.oracle.apply(ops, a))
}

func (t *Table) answers(in *Input, done schemes.Result, list *listed, ops []string) (*answers, error) {
	pair := t.spec.Shape.Pair
	r := reader{dev: t.dev}
	block := done.Batch.Block
	a := &answers{out: r.numbers(in.out, in.N, pair.AnswerBytes()), counts: done.Counts, pair: pair, foundOf: list.of, foundValues: list.given}
	a.keys, a.values = r.pairs([2]device.Addr{in.keys, in.values}, in.N, pair)
	left := [2]device.Addr{device.Addr(block.PairKeys), device.Addr(block.PairValues)}
	a.leftKeys, a.leftValues = r.pairs(left, done.Counts.Get("pairs"), pair)
	a.outcomes, a.ops = r.bytes(in.status, in.N), r.bytes(in.ops, in.N)
	if a.ops == nil {
		a.ops = bytes.Repeat([]byte{byte(kernels.OpNumber(ops[0]))}, int(in.N))
		return a, r.err
	}
	part := selected(ops)
	for i, op := range a.ops {
		if part>>op&1 == 0 {
			a.outcomes[i] = notAsked
		}
	}
	return a, r.err
}

func outcomeName(number byte) string { return named(kernels.Outcomes, number) }
func opName(number byte) string      { return named(kernels.Ops, number) }

func named(list []string, number byte) string {
	if int(number) < len(list) {
		return list[number]
	}
	return fmt.Sprintf("number %d", number)
}

// Given is what one operation of a batch gave: its outcome, and its answer if it has one.
type Given struct {
	Outcome string
	Value   uint64
}

// Given is what each operation gave in the last run on a table with results.
func (in *Input) Given() ([]Given, error) {
	r := reader{dev: in.mem.dev}
	list := make([]Given, in.N)
	values := r.numbers(in.out, in.N, in.pair.AnswerBytes())
	for i, status := range r.bytes(in.status, in.N) {
		list[i] = Given{outcomeName(status), values[i]}
	}
	return list, r.err
}

// Contents are the pairs in a table.
type Contents struct {
	N      uint64
	Digest string // the same for the same pairs in any order
	Keys   []uint64
	Values []uint64
}

// Contents exports and digests the table, checks its size and, if the table is verified, asks the oracle.
func (t *Table) Contents() (Contents, error) {
	if t.hung != nil {
		return Contents{}, t.hung
	}
	t.sample = &Sample{}
	defer t.batch.release()
	n, err := t.counted()
	c := Contents{N: n}
	if err != nil {
		return c, err
	}
	if c.N != t.size {
		return c, t.disagree(fmt.Errorf("the table holds %d pairs, and %d were inserted and not erased", c.N, t.size))
	}
	arrays, err := t.exported(c.N, 0)
	if err != nil {
		return c, err
	}
	pair := t.spec.Shape.Pair
	c.Digest, err = digestOf(t.dev, "contents", c.N, kernels.Digest{}, part{arrays[0], pair.Key}, part{arrays[1], pair.Value})
	if err != nil || t.oracle == nil {
		return c, err
	}
	r := reader{dev: t.dev}
	c.Keys, c.Values = r.pairs(arrays, c.N, pair)
	if r.err != nil {
		return c, r.err
	}
	return c, t.disagree(t.oracle.holds(c.Keys, c.Values))
}
