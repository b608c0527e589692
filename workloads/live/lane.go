package live

import (
	"math"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

type lane struct {
	Scheme              // without the fields that depend on the view, and those that follow
	ops    []*operation // as Snapshot.Ops
	all    *operation
	curves []curve // as Snapshot.Curves

	// Of the phase:
	notes    notes
	input    run.Chain
	outcomes outcomes
	counted  engine.Sample // the sum of the batches that count
}

func (l *lane) begin() {
	for _, o := range append(l.ops, l.all) {
		o.begin()
	}
	l.notes, l.input, l.outcomes.count, l.counted = notes{}, run.Chain{}, 0, engine.Sample{}
}

func (l *lane) add(at time.Duration, op int, e run.Measured) {
	s := e.Sample
	l.Failed += s.Counts.Get("failed")
	l.Load, l.Size, l.Capacity, l.Bytes = s.Load, s.Size, e.Capacity, e.Bytes
	l.ops[op].add(at, e)
	l.all.add(at, e)
	if slices.Contains(schemes.TableOps, s.Op) {
		return // no input, and other schemes may not need it
	}
	l.input.Add(s.Input)
	if !e.Warmup {
		l.outcomes.count++
		l.outcomes.last[l.outcomes.count%comparedBatches] = outcome{op, s.Input, s.Service.Seconds() / float64(s.Completed())}
		l.counted.Add(s)
	}
}

// operation is an operation of a scheme: its totals in the phase, and its series in the run.
type operation struct {
	Totals
	latest    Bin     // the last batch of the phase
	hits      float64 // as Op.HitsNow
	times     *times
	paces     *times // for a million operations, of each batch
	responses *times // in open loops
	series    *series
}

func newOperation() *operation {
	return &operation{hits: math.NaN(), times: newTimes(), paces: newTimes(), responses: newTimes(), series: newSeries()}
}

func (o *operation) begin() {
	for _, t := range []*times{o.times, o.paces, o.responses} {
		t.reset()
	}
	*o = operation{hits: math.NaN(), times: o.times, paces: o.paces, responses: o.responses, series: o.series}
}

func (o *operation) add(at time.Duration, e run.Measured) {
	s := e.Sample
	o.latest = Bin{s.Completed(), s.Service}
	o.series.add(at, o.latest)
	hits, misses := s.Hits()
	if hits+misses > 0 {
		o.hits = float64(hits) / float64(hits+misses)
	}
	if e.Warmup {
		return
	}
	o.Lookups += hits + misses
	o.Hits += hits
	o.Batches++
	o.N += s.N
	o.Completed += s.Completed()
	o.Failed += s.Counts.Get("failed")
	o.Missing += s.Counts.Get("missing")
	o.Evicted += s.Counts.Get("evicted")
	o.Service += s.Service
	o.times.add(s.Service)
	if n := s.Completed(); n > 0 {
		o.paces.add(time.Duration(min(float64(s.Service)*1e6/float64(n), float64(longest))))
	}
	if e.Response > 0 {
		o.responses.add(e.Response)
	}
}

const lately = time.Second // how far back the present rate looks; without a batch then, it is that of the last

// comparedBatches is how many batches verdicts are based on: enough to know the noise, few enough that a change shows soon.
const comparedBatches = 256

// outcome is a measured batch of a scheme, to compare with another scheme's.
type outcome struct {
	op    int
	input string  // its digest
	each  float64 // seconds for each completed operation
}

type outcomes struct {
	last  [comparedBatches]outcome
	count uint64
}

// verdict compares the k-th batch of both schemes, for every k. Batches alternate, so a
// disturbance longer than a batch affects both. Batches that completed nothing do not count.
func (o *outcomes) verdict(base *outcomes, op int) Verdict {
	var ratios []float64
	oldest := max(o.count, base.count, comparedBatches) - comparedBatches + 1
	for k := oldest; k <= min(o.count, base.count); k++ {
		a, b := o.last[k%comparedBatches], base.last[k%comparedBatches]
		if op >= 0 && a.op != op && b.op != op {
			continue
		}
		if a.op != b.op || a.input != b.input {
			return Verdict{None: OtherInput}
		}
		if ratio := b.each / a.each; ratio > 0 && !math.IsInf(ratio, 0) {
			ratios = append(ratios, ratio)
		}
	}
	if len(ratios) == 0 {
		return Verdict{}
	}
	e := analysis.Paired(ratios) // the rule of package analysis
	return Verdict{Kind: e.Verdict(analysis.Least), Ratio: e.Ratio, Noise: (e.High - e.Low) / 2, Pairs: len(ratios)}
}
