package engine

import (
	"bytes"
	"fmt"
	"sync"

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

func (spec *Spec) disagree(err error) error {
	if err == nil {
		return nil
	}
	return &VerifyError{spec.Config.Name, err}
}

// phaseResult is what a phase of a batch gave besides outcomes and answers.
type phaseResult struct {
	ops                  []string
	counts               schemes.Counts
	leftKeys, leftValues []uint64 // rejected pairs
	listed
	partly bool // operations without an outcome were not carried out
}

// addPhase adds the results of a phase on a shard.
func (t *shard) addPhase(r *result, done schemes.Result, list *listed, ops []string) error {
	p := phaseResult{ops: ops, counts: done.Counts, listed: *list}
	from, block := reader{dev: t.dev}, done.Batch.Block
	if t.spec.Verify {
		left := [2]device.Addr{device.Addr(block.PairKeys), device.Addr(block.PairValues)}
		p.leftKeys, p.leftValues = from.pairs(left, done.Counts.Get("pairs"), t.Pair())
	}
	r.phases = append(r.phases, p)
	return from.err
}

// byPhase adds up each phase on all shards.
func byPhase(done []*result) (list []phaseResult) {
	if len(done) == 1 {
		return done[0].phases
	}
	for _, r := range done {
		for i, p := range r.phases {
			if i == len(list) {
				list = append(list, phaseResult{ops: p.ops, counts: schemes.NewCounts()})
			}
			list[i].add(p)
		}
	}
	return list
}

// add adds the same phase on another shard.
func (p *phaseResult) add(more phaseResult) {
	p.counts.Add(more.counts)
	p.leftKeys, p.leftValues = append(p.leftKeys, more.leftKeys...), append(p.leftValues, more.leftValues...)
	p.foundOf, p.foundValues = merged(p, &more)
	p.found.add(more.found)
}

// merged merges values found by the numbers of their operations; each list keeps its order.
func merged(a, b *phaseResult) (of, values []uint64) {
	for i, j := 0, 0; i < len(a.foundOf) || j < len(b.foundOf); {
		if j == len(b.foundOf) || i < len(a.foundOf) && a.foundOf[i] <= b.foundOf[j] {
			of, values = append(of, a.foundOf[i]), append(values, a.foundValues[i])
			i++
		} else {
			of, values = append(of, b.foundOf[j]), append(values, b.foundValues[j])
			j++
		}
	}
	return of, values
}

// verify compares the results of a phase with the oracle.
func (spec *Spec) verify(o *oracle, in *Input, p phaseResult) error {
	if kernels.Op(in.Op).Kind == kernels.OnTable {
		return nil // nothing may have changed, which Contents shows
	}
	return o.timed(func() error {
		a := answersPool.Get().(*answers)
		defer func() { keep(&answersPool, a, len(a.keys)) }()
		if err := a.read(in, p); err != nil {
			return err
		}
		return spec.disagree(o.apply(p.ops, a))
	})
}

// answersPool has the memory of answers for the next batch.
var answersPool = sync.Pool{New: func() any { return &answers{} }}

// keep puts memory for n operations into a pool, unless they are many: gigabytes are not held for the next batch.
func keep(pool *sync.Pool, memory any, n int) {
	if n <= 1<<22 {
		pool.Put(memory)
	}
}

// read reads the operations of a batch and their results.
func (a *answers) read(in *Input, p phaseResult) error {
	pair := in.pair
	a.pair, a.phaseResult, a.keys, a.values, a.out, a.outcomes, a.ops = pair, p, a.keys[:0], a.values[:0], a.out[:0], a.outcomes[:0], a.ops[:0]
	r := in.each(in.N, func(r *reader, s *share) {
		a.keys = r.numbers(a.keys, s.keys, s.n, pair.Key)
		if pair.Value > 0 {
			a.values = r.numbers(a.values, s.values, s.n, pair.Value)
		}
		a.out = r.numbers(a.out, s.out, s.n, pair.AnswerBytes())
		a.outcomes, a.ops = r.bytes(a.outcomes, s.status, s.n), r.bytes(a.ops, s.ops, s.n)
	})
	if r.err != nil {
		return r.err
	}
	if len(a.ops) == 0 {
		a.ops = append(a.ops, bytes.Repeat([]byte{byte(kernels.OpNumber(p.ops[0]))}, int(in.N))...)
	}
	part := selected(p.ops)
	return inPieces(len(a.ops), func(_ int, of span) error {
		for i := of.from; i < of.to; i++ {
			if part>>a.ops[i]&1 == 0 || p.partly && a.outcomes[i] == 0 {
				a.outcomes[i] = notAsked
			}
		}
		return nil
	})
}

func outcomeName(number byte) string { return named(kernels.Outcomes, number) }
func opName(number byte) string      { return named(kernels.Ops, number) }

func named(list []string, number byte) string {
	if int(number) < len(list) {
		return list[number]
	}
	return fmt.Sprintf("number %d", number)
}

// Given is the outcome of an operation, and its answer if it has one.
type Given struct {
	Outcome string
	Value   uint64
}

// Given returns what each operation gave in the last run on a table with results.
func (in *Input) Given() ([]Given, error) {
	outcomes, values, err := in.outcomes(true)
	list := make([]Given, len(outcomes))
	for i, outcome := range outcomes {
		list[i] = Given{outcomeName(outcome), values[i]}
	}
	return list, err
}

// recount counts the pairs of a shard and checks their number.
func (t *shard) recount() (uint64, error) {
	t.sample = &Sample{}
	n, err := t.counted()
	if err == nil && n != t.size {
		err = t.spec.disagree(fmt.Errorf("the table holds %d pairs, and %d were inserted and not erased", n, t.size))
	}
	return n, err
}

// contents exports a shard, checks its size, and adds its pairs to the sums of a digest.
func (t *shard) contents(sums *kernels.Digest) (c Contents, err error) {
	defer t.batch.release()
	if c.N, err = t.recount(); err != nil {
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
