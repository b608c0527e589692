package record

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// ErrDiffers means that the results of a replay differ from the recorded ones.
var ErrDiffers = errors.New("the replay differs from the recording")

// Checker is a listener that compares a replay with its recording and passes events on.
// A different input ends the run; different results do not.
type Checker struct {
	recording *Recording
	next      run.Listener
	oracle    bool
	point     *Point
	verdicts  []*Verdict
}

// Verdict says how the replay on one scheme went, at all points.
type Verdict struct {
	Scheme  string
	Batches int  // how many were compared
	Counts  int  // how many of these by counts only
	Legal   int  // how many may have any legal outcome
	Oracle  bool // an oracle has checked every outcome
	Differ  int
	First   string // the first difference

	todo   []*Batch // those that did not run yet
	failed bool     // inserts have failed since the table was emptied
}

// NewChecker makes a checker for a replay. oracle says that the run checks every outcome.
func NewChecker(r *Recording, oracle bool, next run.Listener) *Checker {
	return &Checker{recording: r, oracle: oracle, next: next}
}

// Verdicts returns the verdicts on the schemes that did something.
func (c *Checker) Verdicts() []*Verdict {
	return slices.DeleteFunc(slices.Clone(c.verdicts), func(v *Verdict) bool { return v.Batches+v.Differ == 0 })
}

// Err returns an ErrDiffers if there were differences.
func (c *Checker) Err() error {
	if v := lists.First(c.verdicts, func(v *Verdict) bool { return v.Differ > 0 }); v != nil {
		return fmt.Errorf("%w: scheme %s: %s", ErrDiffers, v.Scheme, v.First)
	}
	return nil
}

// Hear compares an event and passes it on.
func (c *Checker) Hear(e run.Event) error {
	if err := c.compare(e); err != nil {
		return err
	}
	return c.next(e)
}

func (c *Checker) compare(e run.Event) error {
	switch e := e.(type) {
	case run.PointBegan:
		c.begin(e)
	case run.Cleared:
		c.verdicts[e.Scheme].failed = false
	case run.Measured:
		return c.batch(e)
	case run.PhaseEnded:
		return c.ended(e)
	}
	return nil
}

func (c *Checker) begin(e run.PointBegan) {
	c.point = c.recording.at(e.Point.Map())
	for i, name := range e.Schemes {
		if i == len(c.verdicts) {
			c.verdicts = append(c.verdicts, &Verdict{Oracle: c.oracle})
		}
		v := c.verdicts[i]
		v.Scheme = cmp.Or(v.Scheme, name) // it may have been left out until now
		v.todo, v.failed = c.point.batches(), false
	}
}

// batch compares a batch with the next recorded one that has keys; others are up to the scheme.
func (c *Checker) batch(e run.Measured) error {
	if e.Batch.Keys == nil {
		return nil
	}
	v := c.verdicts[e.Scheme]
	next := slices.IndexFunc(v.todo, func(b *Batch) bool { return !b.wholeTable() })
	if next < 0 {
		return fmt.Errorf("a batch of %s that was not recorded", e.Sample.Op)
	}
	b := v.todo[next]
	v.todo = v.todo[next+1:]
	where := fmt.Sprintf("%v of phase %s", b, e.Phase)
	if err := c.recording.compare(b, e.Sample.Input); err != nil {
		return fmt.Errorf("scheme %s: the replay differs at %s: %w", v.Scheme, where, err)
	}
	v.failed = v.failed || e.Sample.HandsBack()
	return c.note(e.Scheme, c.result(v, e, b), where)
}

func (c *Checker) ended(e run.PhaseEnded) error {
	phase := c.point.phase(e.Name)
	if phase == nil || phase.Ended == nil {
		return nil
	}
	for scheme, contents := range e.Contents {
		difference := c.contents(c.verdicts[scheme], *phase.Ended, Contents{Pairs: contents.N, Digest: contents.Digest})
		if err := c.note(scheme, difference, "the table after "+e.Name); err != nil {
			return err
		}
	}
	return nil
}

func (c *Checker) note(scheme int, difference, where string) error {
	v := c.verdicts[scheme]
	if difference == "" {
		return nil
	}
	if v.Differ++; v.First == "" {
		v.First = fmt.Sprintf("%s%s: %s", where, c.point.At.Where(), difference)
	}
	return c.next(run.Mismatched{Scheme: scheme, Text: where + ": " + difference})
}

func (c *Checker) result(v *Verdict, e run.Measured, b *Batch) string {
	v.Batches++
	check := v.check(b.Check)
	switch counts := outcomeCounts(e.Sample); {
	case b.Result == "" && len(b.Counts) == 0, check == CheckLegal: // the engine checks that counts add up
		v.Legal++
	case !maps.Equal(counts, b.Counts):
		return fmt.Sprintf("it gave %s, recorded was %s", countsText(counts), countsText(b.Counts))
	case check == CheckCounts || b.Result == "" || e.Sample.Result == "" || !c.recording.comparable():
		v.Counts++
	case e.Sample.Result != b.Result:
		return fmt.Sprintf("its results have the digest %s, recorded was %s", e.Sample.Result, b.Result)
	}
	return ""
}

// check says how results are compared: after a failed insert, timing decides everything.
func (v *Verdict) check(recorded Check) Check { return lists.Either(v.failed, CheckLegal, recorded) }

func (c *Checker) contents(v *Verdict, want, got Contents) string {
	switch check := v.check(want.Check); {
	case check == CheckLegal:
	case got.Pairs != want.Pairs:
		return fmt.Sprintf("it has %d pairs, recorded were %d", got.Pairs, want.Pairs)
	case check == CheckDigest && c.recording.comparable() && got.Digest != want.Digest:
		return fmt.Sprintf("its contents have the digest %s, recorded was %s", got.Digest, want.Digest)
	}
	return ""
}

// String is the verdict for people.
func (v *Verdict) String() string {
	text := fmt.Sprintf("%s: %d batches compared", v.Scheme, v.Batches)
	if same := v.Batches - v.Counts - v.Legal - v.Differ; same > 0 && v.Differ == 0 {
		text += fmt.Sprintf(", %d gave exactly what was recorded", same)
	}
	if v.Counts > 0 {
		text += fmt.Sprintf(", %d the same counts of outcomes", v.Counts)
	}
	switch {
	case v.Legal > 0 && v.Oracle:
		text += fmt.Sprintf(", %d a legal outcome, where timing or the scheme decides", v.Legal)
	case v.Legal > 0:
		text += fmt.Sprintf(", %d outcomes that add up, where timing or the scheme decides; --verify checks that they are legal", v.Legal)
	}
	if v.Differ > 0 {
		text += fmt.Sprintf(", differences: %d, the first at %s", v.Differ, v.First)
	}
	return text
}

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

// conflicts is the certainty of a batch alone.
func conflicts(b engine.Batch, in *engine.Input) (certainty, error) {
	const mostLooked = 1 << 22 // operations whose keys are compared; in larger batches the worst is assumed
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
	ops := lists.Unique(lists.Map(list, func(a access) int { return a.op }))
	if slices.Max(ops) >= len(kernels.Operations) {
		return uncertain
	}
	kinds := lists.Map(ops, func(op int) kernels.Operation { return kernels.Operations[op] })
	writes := lists.Filter(list, func(a access) bool { return kernels.Operations[a.op].Value })
	return onOneKey(kinds, !slices.ContainsFunc(writes, func(a access) bool { return a.value != writes[0].value }))
}
