package record

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// This file decides how much of a batch's outcome its input determines: the operations of a batch run at
// once, so answers and tables may depend on timing where several are on one key.

// Check is the way a replay compares an outcome with the recorded one. The greater of two demands less.
type Check string

// The checks, strictest first.
const (
	CheckDigest Check = ""       // the same outcome and value for every key
	CheckCounts Check = "counts" // the same number of each outcome; values may differ
	CheckLegal  Check = "legal"  // anything that is legal
)

func (c Check) check() error {
	if !slices.Contains([]Check{CheckDigest, CheckCounts, CheckLegal}, c) {
		return fmt.Errorf("check is %s, allowed are %s and %s", nearest.Quoted(string(c)), CheckCounts, CheckLegal)
	}
	return nil
}

// mostJudged bounds the recordings that are verified by default: an oracle remembers every key.
const mostJudged = 1 << 20

// WantsOracle reports whether a replay should be verified: it has batches that only an
// oracle can check, and is small enough for that number of schemes.
func (r *Recording) WantsOracle(schemes int) bool {
	legal := false
	for _, l := range r.lines {
		legal = legal || l.Batch != nil && l.Batch.Check == CheckLegal
	}
	return legal && r.Operations <= mostJudged/uint64(max(1, schemes))
}

// certainty is the check of a batch, and how certain the table is afterwards: its pairs, its
// keys though not their values, or neither.
type certainty struct{ batch, table Check }

var (
	certain   = certainty{CheckDigest, CheckDigest}
	uncertain = certainty{CheckLegal, CheckLegal}
)

// after returns the certainty of the next batch on the same table.
func (c certainty) after(s engine.Sample, b engine.Batch, in *engine.Input) (certainty, error) {
	if s.HandsBack() || c.table == CheckLegal {
		return uncertain, nil
	}
	if b.Keys == nil {
		return certainty{c.table, c.table}, nil
	}
	is, err := conflicts(b, in)
	if slices.ContainsFunc(kindsOf(b), kernels.Operation.Looks) {
		is.batch = max(is.batch, c.table)
	}
	is.table = max(is.table, c.table)
	return is, err
}

func kindsOf(b engine.Batch) []kernels.Operation {
	names := []string{b.Op}
	if b.Op == engine.Mix {
		names = b.Mixed
		if names == nil {
			names = engine.Keyed
		}
	}
	return lists.Map(names, kernels.Op)
}

// onOneKey is the certainty of such operations on one key; sameValue: all writes have one value.
func onOneKey(kinds []kernels.Operation, sameValue bool) certainty {
	every := func(is func(kernels.Operation) bool) bool {
		return !slices.ContainsFunc(kinds, func(op kernels.Operation) bool { return !is(op) })
	}
	table := lists.Either(sameValue, CheckDigest, CheckCounts)
	combines := func(op kernels.Operation) bool { return op.Combines() && op.Becomes == kinds[0].Becomes }
	switch {
	case every(kernels.Operation.Looks), len(kinds) == 1 && kinds[0].Order == kernels.AnyOrder, every(combines):
		return certain
	case len(kinds) == 1 && kinds[0].Order == kernels.LastStays:
		return certainty{CheckDigest, table}
	case every(func(op kernels.Operation) bool { return !op.Adds && op.Removes == kernels.RemovesNone }):
		return certainty{CheckCounts, table}
	}
	return uncertain
}

// mostLooked bounds the batches whose keys are compared. In larger ones the worst is assumed.
const mostLooked = 1 << 22

// conflicts is the certainty of a batch alone.
func conflicts(b engine.Batch, in *engine.Input) (certainty, error) {
	worst := onOneKey(kindsOf(b), false)
	if s, ok := b.Keys.(stream.Stream); ok && s.Distinct(in.Pair().EmptyKey()) {
		return certain, nil
	}
	if worst == certain || in.N > mostLooked {
		return worst, nil
	}
	c, err := in.Columns()
	if err != nil {
		return certain, err
	}
	is, list := certain, accesses(c, kernels.OpNumber(b.Op))
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].key == list[0].key {
			n++
		}
		some := conflict(list[:n])
		is, list = certainty{max(is.batch, some.batch), max(is.table, some.table)}, list[n:]
	}
	return is, nil
}

// access is an operation on a key.
type access struct {
	key, value uint64
	op         int
}

// accesses lists the operations of a batch, sorted by key.
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

// conflict is the certainty of operations on one key.
func conflict(list []access) certainty {
	if len(list) == 1 {
		return certain
	}
	var kinds []kernels.Operation
	seen := [256]bool{}
	var written []uint64
	for _, a := range list {
		if a.op >= len(kernels.Operations) {
			return uncertain
		}
		op := kernels.Operations[a.op]
		if !seen[a.op] {
			seen[a.op], kinds = true, append(kinds, op)
		}
		if op.Value {
			written = append(written, a.value)
		}
	}
	return onOneKey(kinds, len(slices.Compact(written)) <= 1)
}
