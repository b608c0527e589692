package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/digest"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Run carries out a batch. Errors are of the machine or of the caller; failed operations are in the counts.
func (t *Table) Run(in *Input) (Sample, error) { return t.spec.run(in, t.carryOut) }

// run carries out a batch, whole or in chunks, and concludes it.
func (spec *Spec) run(in *Input, once func(*Input) (Sample, error)) (Sample, error) {
	var sums kernels.Digest // of results
	if in.chunks != nil {
		return in.inChunks(spec, once)
	}
	s, err := once(in)
	if err == nil {
		err = spec.addResults(&sums, in, false)
	}
	if err == nil {
		err = spec.conclude(&s, in, &sums)
	}
	return s, err
}

// carryOut carries out a batch without a look at what it gave as a whole.
func (t *Table) carryOut(in *Input) (Sample, error) {
	if t.hung != nil {
		return Sample{}, t.hung
	}
	if err := t.spec.fits(in); err != nil {
		return Sample{}, err
	}
	if err := in.results(t.spec.Results); err != nil {
		return Sample{}, err
	}
	s := newSample(in)
	t.sample, t.conduct = &s, in.conduct
	defer func() { t.conduct = nil }()
	defer t.batch.release()
	err := t.phases(in)
	if err == nil {
		err = cmp.Or(t.arrive(), t.book()) // a host side may have done nothing
	}
	in.busy = in.busy || t.hung != nil
	s.Size, s.Load = t.size, t.Load()
	return s, err
}

// fits refuses a batch of other pairs.
func (spec *Spec) fits(in *Input) error {
	if in.pair != spec.Shape.Pair {
		return fmt.Errorf("scheme %s: a batch of %v pairs on a table of %v", spec.Config.Name, in.pair, spec.Shape.Pair)
	}
	return nil
}

func newSample(in *Input) Sample {
	return Sample{Op: in.Op, N: in.N, Input: in.Digest, Counts: schemes.NewCounts()}
}

// conclude checks that a batch is complete, and digests its results.
func (spec *Spec) conclude(s *Sample, in *Input, sums *kernels.Digest) error {
	if err := spec.complete(s, in); err != nil {
		return err
	}
	s.noteRepeats(spec.Config, in)
	if spec.Results {
		s.Result = digest.Finish("result/"+in.Op+s.listDigests(), in.N, sums)
	}
	return nil
}

// phases runs a batch in one launch, or a mixed one in as many as the scheme needs.
func (t *Table) phases(in *Input) error {
	if t.spec.Results {
		if err := in.blank(); err != nil {
			return err
		}
	}
	list := t.spec.phases(in.Op, in.mixed)
	for _, p := range list {
		if len(list) > 1 {
			t.sample.Phases = append(t.sample.Phases, strings.Join(p.ops, "+"))
		}
		for _, op := range p.ops {
			if err := Supports(t.spec.Config, op); err != nil {
				return err
			}
		}
		if err := t.phase(in, in.block(p.kernel, p.ops, t.spec.Results), p.ops); err != nil {
			return err
		}
	}
	return nil
}

type phase struct {
	kernel string
	ops    []string
}

// phases lists the launches of a batch. Each would read all of it, so those without operations are left out.
func (spec *Spec) phases(op string, mixed []string) []phase {
	if op != Mix {
		return []phase{{op, []string{op}}}
	}
	var list []phase
	shared := -1
	for _, op := range Keyed {
		if !spec.Config.Caps.Has(op) || mixed != nil && !slices.Contains(mixed, op) {
			continue
		}
		switch {
		case !slices.Contains(spec.Config.Caps.Concurrent, op):
			list = append(list, phase{op, []string{op}})
		case shared < 0:
			shared = len(list)
			list = append(list, phase{Mix, []string{op}})
		default:
			list[shared].ops = append(list[shared].ops, op)
		}
	}
	return list
}

var outcomes = kernels.Outcomes[1:] // of operations that took part

func (spec *Spec) complete(s *Sample, in *Input) error {
	var counted uint64
	for _, outcome := range outcomes {
		counted += s.Counts.Get(outcome)
	}
	if counted == in.N {
		return nil
	}
	if in.Op != Mix {
		return spec.disagree(fmt.Errorf("%d operations were counted of %d", counted, in.N))
	}
	ops := slices.Concat(lists.Map(spec.phases(in.Op, in.mixed), func(p phase) []string { return p.ops })...)
	others := "the scheme has no others"
	if in.mixed != nil {
		others = "the batch was said to have no others"
	}
	return fmt.Errorf("scheme %s: a mixed batch of %d operations, of which %d are one of %s: %s",
		spec.Config.Name, in.N, counted, strings.Join(ops, ", "), others)
}

func (t *Table) phase(in *Input, b schemes.Batch, ops []string) error {
	if err := t.makeRoom(&b, ops); err != nil {
		return err
	}
	carryOut, host := t.spec.Config.Host[b.Op]
	if !host {
		carryOut = schemes.Table.Launch
	}
	before, reseeds, list := t.size, t.reseeds, &listed{base: in.base, numbers: in.numbers, keep: t.spec.Verify || t.spec.Keep} // a rebuild empties the table on the way
	t.noted = noted{}
	done, err := t.listing(carryOut, b, list)
	if err != nil {
		return err
	}
	t.sample.Counts.Add(done.Counts)
	t.taken += done.Counts.Get("added")
	t.size = before + done.Counts.Gained()
	if t.reseeds != reseeds || host && anyOf(ops, func(op kernels.Operation) bool { return op.Adds }) {
		if err := t.settle(in.N, b.Block, done.Counts); err != nil {
			return err
		}
	}
	if host && t.spec.Verify {
		if err := t.whole(b.Op, done); err != nil {
			return err
		}
	}
	return t.heed(in, done, list, ops)
}

// judge digests the values that a phase listed, and asks the oracle.
func (t *Table) judge(in *Input, done schemes.Result, list *listed, ops []string) error {
	t.sample.found = append(t.sample.found, list.found)
	if t.spec.Keep {
		t.sample.Listed.add(list.base, list.of, list.given)
	}
	if t.oracle == nil {
		return nil
	}
	g, err := t.gave(done, list, ops)
	if err != nil {
		return err
	}
	t.sample.leftKeys, t.sample.leftValues = g.leftKeys, g.leftValues
	return t.spec.judge(t.oracle, in, g)
}

func anyOf(ops []string, is func(kernels.Operation) bool) bool {
	return slices.ContainsFunc(ops, func(op string) bool { return is(kernels.Op(op)) })
}

// makeRoom takes memory for values that a launch gives apart from its answers: enough where each pair is asked for once.
func (t *Table) makeRoom(b *schemes.Batch, ops []string) error {
	if !anyOf(ops, func(op kernels.Operation) bool { return op.Answer == kernels.Values }) {
		return nil
	}
	room := b.N + t.size
	arrays, err := t.batch.arrays(schemes.Pair{Key: 4, Value: t.Pair().Value}, room)
	b.Block.FoundOf, b.Block.FoundValues, b.Block.FoundLimit = uint64(arrays[0]), uint64(arrays[1]), room
	return err
}

// noted is what the launches of a phase wrote to its outcomes.
type noted struct {
	launches int
	failed   uint64 // operations, by the last of them
}

// settle makes the outcomes of inserts agree with the counts after the host side has repeated those that failed.
func (t *Table) settle(n uint64, b kernels.Batch, counts schemes.Counts) error {
	failed := counts.Get("failed")
	if b.Status == 0 || t.noted == (noted{1, failed}) {
		return nil
	}
	for _, candidates := range []string{"failed", "ok"} { // rather keep failures than make some
		seen, err := t.fail(candidates, failed, n, b)
		if err != nil || seen >= failed {
			return err
		}
		failed -= seen
	}
	return nil
}

// fail has the first of the operations with an outcome fail and the others be ok, and returns how many have it.
func (t *Table) fail(candidates string, first, n uint64, b kernels.Batch) (uint64, error) {
	b.Counters = uint64(t.counts)
	if err := t.dev.Set(t.counts, 0, kernels.CounterBytes); err != nil {
		return 0, err
	}
	at := t.counts + device.Addr(8*slices.Index(kernels.Counters, "failed"))
	if err := t.dev.Write(at, kernels.Bytes(&first)); err != nil {
		return 0, err
	}
	if err := runOwn(t.dev, "hz_settle_"+candidates, nil, kernels.Bytes(&b), n); err != nil {
		return 0, err
	}
	raw := make([]byte, kernels.CounterBytes)
	err := t.dev.Read(raw, t.counts)
	return schemes.Counts(kernels.Counted(raw)).Get("ok"), err
}

// Note adds to the sample of the batch that is being carried out.
func (t *Table) Note(event string) { t.sample.Notes = append(t.sample.Notes, event) }

// answered reports whether operations of the batch may give more than an outcome.
func (in *Input) answered() bool {
	op := kernels.Op(in.Op)
	return op.Kind == kernels.Mixed || op.Answer != kernels.NoAnswer
}
