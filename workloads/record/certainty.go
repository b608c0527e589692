package record

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
)

// What of a batch's outcome its input determines. Operations of one batch run at once, in
// any order: where two of them are on one key and not both only look, what they give, and
// what the table holds from then on, may be up to timing.

// Check is how a replay compares what came of a batch with what was recorded.
type Check string

// The checks, from the strictest on.
const (
	CheckDigest Check = ""       // the same outcome and value for every key
	CheckCounts Check = "counts" // as many of each outcome; values may be others
	CheckLegal  Check = "legal"  // anything that is legal
)

func checkOf(l line) (Check, error) {
	c := Check(l.get("check"))
	if !slices.Contains([]Check{CheckDigest, CheckCounts, CheckLegal}, c) {
		return c, fmt.Errorf("check is %s, allowed are %s and %s", shorten(string(c)), CheckCounts, CheckLegal)
	}
	return c, nil
}

// looser is the one of two checks that demands less.
func looser(a, b Check) Check {
	order := []Check{CheckDigest, CheckCounts, CheckLegal}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// mostJudged is how many operations a recording can have whose legal outcomes are checked
// without being asked for: an oracle remembers every key, and takes its time.
const mostJudged = 1 << 20

// WantsOracle says whether a replay on so many schemes should be verified: it has batches
// that nothing but an oracle can check, and is small enough.
func (r *Recording) WantsOracle(schemes int) bool {
	legal := false
	r.each(func(_ *Point, _ *Phase, item Item) {
		legal = legal || item.Batch != nil && item.Batch.Check == CheckLegal
	})
	return legal && r.operations <= mostJudged/uint64(max(1, schemes))
}

// certainty is what is certain of a table: its pairs, its keys though not the values, or
// neither.
type certainty struct{ table Check }

// batch says how a batch is to be checked, and remembers what it leaves uncertain.
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
	if looks(b) {
		now = looser(now, c.table)
	}
	c.table = looser(c.table, after)
	return now, nil
}

// looks says whether a batch gives values of the table.
func looks(b engine.Batch) bool {
	ops := []string{b.Op}
	if b.Op == engine.Mix {
		ops = mixed(b)
	}
	return slices.Contains(ops, "find") || slices.Contains(ops, "find_all")
}

func mixed(b engine.Batch) []string {
	if b.Mixed == nil {
		return engine.Keyed
	}
	return b.Mixed
}

// mostLooked is how many operations are looked at one by one to see which of them are on
// one key; of more, the worst is taken to be the case.
const mostLooked = 1 << 22

// conflicts says what operations of the batch on one key leave uncertain of what they give,
// and of the table afterwards.
func conflicts(b engine.Batch, in *engine.Input) (now, after Check, err error) {
	ops := []string{b.Op}
	if b.Op == engine.Mix {
		ops = mixed(b)
	}
	if only(ops, "find", "find_all") || only(ops, "erase") || only(ops, "erase_all") {
		return CheckDigest, CheckDigest, nil
	}
	if s, ok := b.Keys.(interface{ Distinct(largest uint64) bool }); ok && s.Distinct(in.Pair().EmptyKey()) {
		return CheckDigest, CheckDigest, nil
	}
	if in.N > mostLooked {
		return worst(ops)
	}
	c, err := in.Columns()
	if err != nil {
		return now, after, err
	}
	list := accesses(c, slices.Index(kernels.Ops, b.Op))
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].key == list[0].key {
			n++
		}
		a, b := onOneKey(list[:n])
		now, after, list = looser(now, a), looser(after, b), list[n:]
	}
	return now, after, nil
}

// only says whether there are no operations but these.
func only(ops []string, allowed ...string) bool {
	return !slices.ContainsFunc(ops, func(op string) bool { return !slices.Contains(allowed, op) })
}

// worst is what operations on one key may leave uncertain.
func worst(ops []string) (now, after Check, err error) {
	switch {
	case only(ops, "update"), only(ops, "upsert"):
		return CheckDigest, CheckCounts, nil
	case only(ops, "find", "update"):
		return CheckCounts, CheckCounts, nil
	}
	return CheckLegal, CheckLegal, nil
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
	var ops []string
	same := true
	value, written := uint64(0), false
	for _, a := range list {
		if a.op >= len(kernels.Ops) {
			return CheckLegal, CheckLegal
		}
		op := kernels.Ops[a.op]
		if !slices.Contains(ops, op) {
			ops = append(ops, op)
		}
		if op == "update" || op == "upsert" {
			same = same && (!written || a.value == value)
			value, written = a.value, true
		}
	}
	if len(list) == 1 || only(ops, "find", "find_all") || only(ops, "erase") || only(ops, "erase_all") {
		return CheckDigest, CheckDigest
	}
	now, after, _ = worst(ops)
	if same && after == CheckCounts {
		after = CheckDigest
	}
	return now, after
}
