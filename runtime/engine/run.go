package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchmath"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/digest"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Run carries out a batch, in chunks if it is too large. Errors are of the machine or of the caller; failed operations
// are in the counts.
func (t *Table) Run(in *Input) (Sample, error) {
	if in.chunks != nil {
		return t.runChunks(in)
	}
	var sums kernels.Digest // of results
	s, err := t.run(in)
	if err == nil {
		err = t.spec.addResults(&sums, in, false)
	}
	if err == nil {
		err = t.spec.conclude(&s, in, &sums)
	}
	return s, err
}

// run carries out a batch or a chunk of one in five steps.
func (t *Table) run(in *Input) (Sample, error) {
	p, err := t.plan(in)
	if err == nil && t.combinesFirst(in) {
		if s, err := t.combineFirst(&p); s != nil || err != nil {
			return *cmp.Or(s, &Sample{}), err
		}
	}
	if err == nil {
		err = t.load(&p)
	}
	if err != nil {
		return Sample{}, err
	}
	done, err := t.launch(&p)
	err = cmp.Or(t.verify(in, done, err != nil), err)
	return t.account(&p, done), err
}

// plan is how a batch is carried out.
type plan struct {
	in      *Input
	phases  []phase
	inputs  []*Input  // of each shard
	sharing *Sharing  // nil on one device
	moves   *transfer // nil if every shard has its operations
	notes   []string  // of what is unusual
}

// phase is a launch of a scheme's operation or a call of its host side.
type phase struct {
	kernel string
	ops    []string
}

// plan refuses a batch that the table cannot carry out.
func (t *Table) plan(in *Input) (p plan, err error) {
	if err := t.hanging(); err != nil {
		return p, err
	}
	if in.pair != t.spec.Shape.Pair {
		return p, fmt.Errorf("scheme %s: a batch of %v pairs on a table of %v", t.spec.Config.Name, in.pair, t.spec.Shape.Pair)
	}
	p = plan{in: in, phases: t.spec.phases(in.Op, in.mixed), inputs: []*Input{in}}
	for _, phase := range p.phases {
		if err := lists.Each(phase.ops, func(op string) error { return Supports(t.spec.Config, op) }); err != nil {
			return p, err
		}
	}
	if t.several() {
		p.sharing = &Sharing{}
	}
	return p, nil
}

// load takes memory for the results and, on several devices, gives each shard its operations.
func (t *Table) load(p *plan) error {
	if err := p.in.results(t.spec.Results); err != nil || !t.several() {
		return err
	}
	if kernels.Op(p.in.Op).Kind == kernels.OnTable {
		p.inputs = lists.Map(t.parts, func(dev device.Device) *Input {
			size := shardSize(p.in.size, len(t.parts))
			return &Input{Op: p.in.Op, pair: p.in.pair, size: size, shares: divided(0, 0, []device.Device{dev})}
		})
		return nil
	}
	return t.loadShards(p)
}

// launch runs the batch on every shard.
func (t *Table) launch(p *plan) ([]*result, error) {
	if !t.several() {
		r := t.shard.run(p.in, p.phases)
		return []*result{r}, r.err
	}
	done := lists.Map(p.inputs, func(in *Input) *result { return &result{sample: newSample(in)} }) // one that panics leaves it
	err := t.together(func(q int) error {
		done[q] = t.shards[q].run(p.inputs[q], p.phases)
		if err := done[q].err; err != nil && p.moves != nil {
			p.moves.traffic.Fail(err)
		}
		return done[q].err
	})
	return t.gather(p, done, err)
}

// result is what a shard, or the whole table, gave for a batch.
type result struct {
	sample Sample
	phases []phaseResult
	err    error
}

// run carries out a batch on a shard.
func (t *shard) run(in *Input, phases []phase) *result {
	r := &result{sample: newSample(in)}
	t.sample, t.pipeline = &r.sample, in.pipeline
	defer func() { t.pipeline = nil }()
	defer t.batch.release()
	if t.spec.Results {
		r.err = in.blank()
	}
	for _, p := range phases {
		if r.err == nil {
			r.err = t.runPhase(in, p, r)
		}
	}
	if r.err == nil {
		r.err = cmp.Or(t.fetch(), t.book()) // a host side may have done nothing
	}
	in.busy = in.busy || t.hung != nil
	return r
}

func newSample(in *Input) Sample {
	return Sample{Op: in.Op, N: in.N, Input: in.Digest, Counts: schemes.NewCounts()}
}

// runPhase carries out one phase of a batch, and adds its results.
func (t *shard) runPhase(in *Input, p phase, r *result) error {
	b := in.block(p.kernel, p.ops, t.spec.Results)
	if err := t.allocFound(&b, p.ops); err != nil {
		return err
	}
	op, host := t.spec.Config.Host[b.Op]
	if !host {
		op = schemes.Table.Launch
	}
	before, reseeds := t.size, t.reseeds // a rebuild empties the table on the way
	list := &listed{base: in.base, numbers: in.numbers, keep: t.spec.Verify || t.spec.Keep}
	t.launched = launchTotals{}
	done, err := t.carryOut(op, b, list)
	if err != nil {
		return err
	}
	t.sample.Counts.Add(done.Counts)
	t.taken += done.Counts.Get("added")
	t.size = before + done.Counts.Gained()
	if t.reseeds != reseeds || host && anyOf(p.ops, func(op kernels.Operation) bool { return op.Adds }) {
		if err := t.settle(in.N, b.Block, done.Counts); err != nil {
			return err
		}
	}
	if host && t.spec.Verify {
		if err := t.checkSize(b.Op, done); err != nil {
			return err
		}
	}
	return t.addPhase(r, done, list, p.ops)
}

// carryOut calls an operation while device work counts as service time, and adds the values that it lists.
func (t *shard) carryOut(op schemes.HostOp, b schemes.Batch, list *listed) (schemes.Result, error) {
	t.inBatch, t.current = true, b
	defer func() { t.inBatch = false }()
	if kernels.Op(b.Op).Composed() {
		done, err := t.inPieces(op, b, 0, list)
		if err == nil && list.pieces > 1 {
			t.Note(fmt.Sprintf("%s gave its pairs in %d pieces, for up to %d keys each, as memory allowed", b.Op, list.pieces, list.most))
		}
		return done, err
	}
	done, err := op(t, b)
	if err != nil {
		return done, err
	}
	return done, list.add(t, done, 0)
}

// verify asks the oracle about the results. After a failure, operations without an outcome were not carried out.
func (t *Table) verify(in *Input, done []*result, failed bool) error {
	if t.oracle == nil || t.hanging() != nil {
		return nil
	}
	for _, r := range byPhase(done) {
		r.partly = failed
		if err := t.spec.verify(t.oracle, in, r); err != nil {
			return err
		}
	}
	return nil
}

// account adds up the counts, times and notes of the shards.
func (t *Table) account(p *plan, done []*result) Sample {
	s := done[0].sample
	if t.several() {
		s = p.sharing.add(newSample(p.in), done)
		if launch := t.spec.Launch; launch > 0 && p.in.N > launch {
			s.Notes = append([]string{notCut + " on several devices"}, s.Notes...)
		}
	}
	s.Notes = append(s.Notes, p.notes...)
	if len(p.phases) > 1 {
		s.Phases = lists.Map(p.phases, phase.String)
	}
	for _, r := range byPhase(done) {
		s.found = append(s.found, r.found)
		s.leftKeys, s.leftValues = r.leftKeys, r.leftValues
		if t.spec.Keep {
			s.Listed.add(p.in.base, r.foundOf, r.foundValues)
		}
	}
	s.Size, s.Load = t.Size(), t.Load()
	return s
}

func (p phase) String() string { return strings.Join(p.ops, "+") }

// conclude checks that a batch is complete, and digests its results.
func (spec *Spec) conclude(s *Sample, in *Input, sums *kernels.Digest) error {
	if err := spec.complete(s, in); err != nil {
		return err
	}
	s.noteRepeats(spec.Config, in)
	if spec.Results {
		what := "result/" + in.Op
		for _, f := range s.found { // by phase
			if f.values > 0 {
				what += "/" + digest.Finish("found", f.values, &f.sums)
			}
		}
		s.Result = digest.Finish(what, in.N, sums)
	}
	return nil
}

// phases lists the phases of a batch. Each reads all of it, so those without operations are skipped.
func (spec *Spec) phases(op string, mixed []string) (list []phase) {
	if op != Mix {
		return []phase{{op, []string{op}}}
	}
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
	counted := lists.Sum(outcomes, s.Counts.Get)
	if counted == in.N {
		return nil
	}
	if in.Op != Mix {
		return spec.disagree(fmt.Errorf("%d operations were counted of %d", counted, in.N))
	}
	ops := slices.Concat(lists.Map(spec.phases(in.Op, in.mixed), func(p phase) []string { return p.ops })...)
	others := lists.Either(in.mixed != nil, "the batch was said to have no others", "the scheme has no others")
	return fmt.Errorf("scheme %s: a mixed batch of %d operations, of which %d are one of %s: %s",
		spec.Config.Name, in.N, counted, strings.Join(ops, ", "), others)
}

func anyOf(ops []string, is func(kernels.Operation) bool) bool {
	return slices.ContainsFunc(ops, func(op string) bool { return is(kernels.Op(op)) })
}

// allocFound takes memory for the values that operations list: enough where each pair is asked for once.
func (t *shard) allocFound(b *schemes.Batch, ops []string) error {
	if !anyOf(ops, func(op kernels.Operation) bool { return op.Answer == kernels.Values }) {
		return nil
	}
	room := b.N + t.size
	arrays, err := t.batch.arrays(schemes.Pair{Key: 4, Value: t.Pair().Value}, room)
	b.Block.FoundOf, b.Block.FoundValues, b.Block.FoundLimit = uint64(arrays[0]), uint64(arrays[1]), room
	return err
}

// launchTotals describes the launches of a phase that wrote outcomes.
type launchTotals struct {
	launches int
	failed   uint64 // operations, by the last of them
}

// settle makes the outcomes of inserts agree with the counts after the host side has repeated those that failed.
func (t *shard) settle(n uint64, b kernels.Batch, counts schemes.Counts) error {
	failed := counts.Get("failed")
	if b.Status == 0 || t.launched == (launchTotals{1, failed}) {
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

// fail marks the first operations with this outcome failed and the rest ok, and returns how many have it.
func (t *shard) fail(candidates string, first, n uint64, b kernels.Batch) (uint64, error) {
	b.Counters = uint64(t.counts)
	at, raw := t.counts+device.Addr(8*slices.Index(kernels.Counters, "failed")), make([]byte, kernels.CounterBytes)
	err := cmp.Or(t.dev.Set(t.counts, 0, kernels.CounterBytes), t.dev.Write(at, kernels.Bytes(&first)),
		runOwn(t.dev, "hz_settle_"+candidates, nil, kernels.Bytes(&b), n), t.dev.Read(raw, t.counts))
	return schemes.Counts(kernels.Counted(raw)).Get("ok"), err
}

// Note adds to the sample of the current batch.
func (t *shard) Note(event string) { t.sample.Notes = append(t.sample.Notes, event) }

// answered reports whether operations of the batch may give more than an outcome.
func (in *Input) answered() bool {
	op := kernels.Op(in.Op)
	return op.Kind == kernels.Mixed || op.Answer != kernels.NoAnswer
}

// Policy says how often to repeat a measurement: until the noise or the effort reaches a bound.
type Policy struct {
	Warmup    int           // runs that are discarded
	Least     int           // runs that are always made
	LeastTime time.Duration // of all measured runs together: see Enough
	Most      int           // runs at the most, once that is over
	Noise     float64       // the bound, relative to the median: 0.02
	MaxTime   time.Duration // of all measured runs together
}

// MostForTime is how many times as many runs as Most there are for the sake of LeastTime.
const MostForTime = 10

// Enough reports whether no further runs are needed for their number or their time. If Least is Most, that is the number.
func (p Policy) Enough(runs uint64, spent time.Duration) bool {
	short := spent < p.LeastTime && p.Least < p.Most && runs < uint64(MostForTime*p.Most)
	return runs >= uint64(p.Least) && !short
}

// Series are the results of repeating.
type Series struct {
	Median  float64
	Noise   float64 // half the width of the median's 95 percent interval, relative to it
	Settled bool    // the noise came below the bound
}

// Summarize turns the seconds of runs into a series.
func (p Policy) Summarize(runs []float64) Series {
	sample := benchmath.NewSample(slices.Clone(runs), &benchmath.DefaultThresholds)
	summary := benchmath.AssumeNothing.Summary(sample, 0.95)
	noise := (summary.Hi - summary.Lo) / 2 / summary.Center
	return Series{Median: summary.Center, Noise: noise, Settled: len(runs) >= p.Least && noise <= p.Noise}
}
