package record

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
)

// This file says what of a batch's outcome its input determines. The operations of one
// batch run at once, in any order: where several are on one key, what they give, and what the
// table holds afterwards, may depend on timing.

// Check is how a replay compares the outcome of a batch with the recorded one. Of two
// checks, the greater one demands less.
type Check string

// The checks, from the strictest on.
const (
	CheckDigest Check = ""       // the same outcome and value for every key
	CheckCounts Check = "counts" // as many of each outcome; values may be others
	CheckLegal  Check = "legal"  // anything that is legal
)

func (c Check) check() error {
	if !slices.Contains([]Check{CheckDigest, CheckCounts, CheckLegal}, c) {
		return fmt.Errorf("check is %s, allowed are %s and %s", shorten(string(c)), CheckCounts, CheckLegal)
	}
	return nil
}

// mostJudged bounds the recordings that are verified without being asked for: an oracle
// remembers every key, and takes its time.
const mostJudged = 1 << 20

// WantsOracle reports whether a replay should be verified: it has batches that only an
// oracle can check, and is small enough for that number of schemes.
func (r *Recording) WantsOracle(schemes int) bool {
	legal := false
	for _, l := range r.lines {
		legal = legal || l.Batch != nil && l.Batch.Check == CheckLegal
	}
	return legal && r.operations <= mostJudged/uint64(max(1, schemes))
}

// certainty is what is certain of a table: its pairs, its keys though not the values, or
// neither.
type certainty struct{ table Check }

// batch says how to check a batch, and remembers what it leaves uncertain.
func (c *certainty) batch(s engine.Sample, b engine.Batch, in *engine.Input) (Check, error) {
	if s.Counts.Get("failed") > 0 { // which ones do is up to timing, and to the scheme
		c.table = CheckLegal
	}
	if c.table == CheckLegal || b.Keys == nil {
		return c.table, nil
	}
	now, after, err := conflicts(b, in)
	if err != nil {
		return now, err
	}
	if slices.ContainsFunc(kindsOf(b), func(op kernels.Operation) bool { return op.Looks() }) {
		now = max(now, c.table)
	}
	c.table = max(c.table, after)
	return now, nil
}

// kindsOf lists the operations that a batch may have.
func kindsOf(b engine.Batch) []kernels.Operation {
	names := []string{b.Op}
	if b.Op == engine.Mix {
		names = b.Mixed
		if names == nil {
			names = engine.Keyed
		}
	}
	var list []kernels.Operation
	for _, name := range names {
		list = append(list, kernels.Op(name))
	}
	return list
}

// uncertain says what several operations of these kinds on one key leave uncertain: of what
// they give, and of the table afterwards. sameValue: those that write all write one value.
func uncertain(kinds []kernels.Operation, sameValue bool) (now, after Check) {
	every := func(is func(kernels.Operation) bool) bool {
		return !slices.ContainsFunc(kinds, func(op kernels.Operation) bool { return !is(op) })
	}
	after = CheckCounts
	if sameValue {
		after = CheckDigest
	}
	switch {
	case every(kernels.Operation.Looks), len(kinds) == 1 && kinds[0].Order == kernels.AnyOrder:
		return CheckDigest, CheckDigest
	case len(kinds) == 1 && kinds[0].Order == kernels.LastStays:
		return CheckDigest, after
	case every(func(op kernels.Operation) bool { return !op.Adds && op.Removes == kernels.RemovesNone }):
		return CheckCounts, after
	}
	return CheckLegal, CheckLegal
}

// mostLooked is how many operations are looked at one by one to see which of them are on
// one key. In larger batches the worst is assumed.
const mostLooked = 1 << 22

// conflicts says what operations of the batch on one key leave uncertain: of what they give,
// and of the table afterwards.
func conflicts(b engine.Batch, in *engine.Input) (now, after Check, err error) {
	now, after = uncertain(kindsOf(b), false)
	if now == CheckDigest && after == CheckDigest {
		return now, after, nil
	}
	if s, ok := b.Keys.(interface{ Distinct(largest uint64) bool }); ok && s.Distinct(in.Pair().EmptyKey()) {
		return CheckDigest, CheckDigest, nil
	}
	if in.N > mostLooked {
		return now, after, nil
	}
	c, err := in.Columns()
	if err != nil {
		return CheckDigest, CheckDigest, err
	}
	now, after = CheckDigest, CheckDigest
	list := accesses(c, kernels.OpNumber(b.Op))
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].key == list[0].key {
			n++
		}
		a, b := onOneKey(list[:n])
		now, after, list = max(now, a), max(after, b), list[n:]
	}
	return now, after, nil
}

// access is an operation on a key.
type access struct {
	key, value uint64
	op         int
}

// accesses are the operations of a batch, those on one key together.
func accesses(c engine.Columns, op int) []access {
	list := make([]access, c.N)
	for i := range list {
		list[i] = access{key: engine.Number(c.Keys, c.KeyWidth, i), op: op}
		if c.Values != nil {
			list[i].value = engine.Number(c.Values, c.ValueWidth, i)
		}
		if c.Ops != nil {
			list[i].op = int(c.Ops[i])
		}
	}
	slices.SortFunc(list, func(a, b access) int { return cmp.Compare(a.key, b.key) })
	return list
}

// onOneKey says what several operations on a key leave uncertain.
func onOneKey(list []access) (now, after Check) {
	if len(list) == 1 {
		return CheckDigest, CheckDigest
	}
	var kinds []kernels.Operation
	seen := [256]bool{}
	var written []uint64
	for _, a := range list {
		if a.op >= len(kernels.Operations) {
			return CheckLegal, CheckLegal
		}
		op := kernels.Operations[a.op]
		if !seen[a.op] {
			seen[a.op], kinds = true, append(kinds, op)
		}
		if op.Value {
			written = append(written, a.value)
		}
	}
	return uncertain(kinds, len(slices.Compact(written)) <= 1)
}
