package engine

import (
	"bytes"
	"fmt"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/digest"
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

func (t *Table) disagree(err error) error { return t.spec.disagree(err) }

func (spec *Spec) disagree(err error) error {
	if err == nil {
		return nil
	}
	return &VerifyError{spec.Config.Name, err}
}

// gave is what a phase gave besides outcomes and answers.
type gave struct {
	ops                  []string
	counts               schemes.Counts
	leftKeys, leftValues []uint64 // pairs that were handed back
	foundOf              []uint64 // which operation each of foundValues belongs to
	foundValues          []uint64
	partly               bool // operations without an outcome were not carried out
}

// gave reads that of a table.
func (t *Table) gave(done schemes.Result, list *listed, ops []string) (gave, error) {
	r, pair, block := reader{dev: t.dev}, t.Pair(), done.Batch.Block
	g := gave{ops: ops, counts: done.Counts, foundOf: list.of, foundValues: list.given}
	left := [2]device.Addr{device.Addr(block.PairKeys), device.Addr(block.PairValues)}
	g.leftKeys, g.leftValues = r.pairs(left, done.Counts.Get("pairs"), pair)
	return g, r.err
}

// judge compares what a phase of a batch gave with the oracle.
func (spec *Spec) judge(o *oracle, in *Input, g gave) error {
	if kernels.Op(in.Op).Kind == kernels.OnTable {
		return nil // nothing may have changed, which Contents shows
	}
	return o.timed(func() error {
		a, err := in.answers(g)
		if err != nil {
			return err
		}
		return spec.disagree(o.apply(g.ops, a))
	})
}

// Verified is how long checks against the oracle took.
func (t *Table) Verified() time.Duration { return t.oracle.spent() }

func (in *Input) answers(g gave) (*answers, error) {
	pair, ops := in.pair, g.ops
	a := &answers{gave: g, pair: pair}
	r := in.each(in.N, func(r *reader, s *share) {
		keys, values := r.pairs([2]device.Addr{s.keys, s.values}, s.n, pair)
		a.keys, a.values = joined(a.keys, keys), joined(a.values, values)
		a.out = joined(a.out, r.numbers(s.out, s.n, pair.AnswerBytes()))
		a.outcomes, a.ops = joined(a.outcomes, r.bytes(s.status, s.n)), joined(a.ops, r.bytes(s.ops, s.n))
	})
	for i, outcome := range a.outcomes {
		if g.partly && outcome == 0 {
			a.outcomes[i] = notAsked
		}
	}
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
	if in.chunks != nil {
		return nil, fmt.Errorf("batch of %d %s: carried out in chunks, whose answers are not kept", in.N, in.Op)
	}
	list := make([]Given, 0, in.N)
	r := in.each(in.N, func(r *reader, s *share) {
		values := r.numbers(s.out, s.n, in.pair.AnswerBytes())
		for i, status := range r.bytes(s.status, s.n) {
			list = append(list, Given{outcomeName(status), values[i]})
		}
	})
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
	var sums kernels.Digest
	c, err := t.contents(&sums)
	if err != nil {
		return c, err
	}
	return c, t.spec.contain(&c, &sums, t.oracle)
}

// contain digests contents and asks the oracle, if there is one.
func (spec *Spec) contain(c *Contents, sums *kernels.Digest, o *oracle) error {
	c.Digest = digest.Finish("contents", c.N, sums)
	if o == nil {
		return nil
	}
	return o.timed(func() error { return spec.disagree(o.holds(c.Keys, c.Values)) })
}

// Recount counts the pairs of the table and checks that they are as many as were inserted and not erased.
func (t *Table) Recount() error {
	defer t.batch.release()
	_, err := t.recounted()
	return err
}

func (t *Table) recounted() (uint64, error) {
	if t.hung != nil {
		return 0, t.hung
	}
	t.sample = &Sample{}
	n, err := t.counted()
	if err == nil && n != t.size {
		err = t.disagree(fmt.Errorf("the table holds %d pairs, and %d were inserted and not erased", n, t.size))
	}
	return n, err
}

// contents exports the table, checks its size, and adds its pairs to the sums of a digest.
func (t *Table) contents(sums *kernels.Digest) (c Contents, err error) {
	defer t.batch.release()
	if c.N, err = t.recounted(); err != nil {
		return c, err
	}
	arrays, err := t.exported(c.N)
	if err != nil {
		return c, err
	}
	pair := t.spec.Shape.Pair
	err = addUp(t.dev, c.N, sums, part{arrays[0], pair.Key}, part{arrays[1], pair.Value})
	if err != nil || !t.spec.Verify && !t.spec.Keep {
		return c, err
	}
	r := reader{dev: t.dev}
	c.Keys, c.Values = r.pairs(arrays, c.N, pair)
	return c, r.err
}
