package live

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// lane is what is known of a scheme.
type lane struct {
	name  string
	state SchemeState
	why   string
	ops   []*operation // by number; nil: it did none of these
	all   *operation

	load     float64
	size     uint64
	capacity uint64
	bytes    int64
	gauges   []schemes.Reading

	// Of the phase:
	notes    notes
	input    run.Chain
	outcomes outcomes
	counts   schemes.Counts
	counted  uint64 // operations
}

func newLane(name string) *lane { return &lane{name: name, all: newOperation()} }

// begin begins a point or a phase.
func (l *lane) begin() {
	for _, o := range append(l.ops, l.all) {
		o.begin()
	}
	l.notes, l.input, l.outcomes.count = notes{}, run.Chain{}, 0
	l.counts, l.counted = make(schemes.Counts, len(kernels.Counters)), 0
}

// add takes a batch that was heard of at a time.
func (l *lane) add(at time.Duration, op int, e run.Measured) {
	for len(l.ops) <= op {
		l.ops = append(l.ops, nil)
	}
	if l.ops[op] == nil {
		l.ops[op] = newOperation()
	}
	s := e.Sample
	l.load, l.size, l.capacity, l.bytes = s.Load, s.Size, e.Capacity, e.Bytes
	l.ops[op].add(at, e)
	l.all.add(at, e)
	if slices.Contains(schemes.TableOps, s.Op) {
		return // it has no input, and others may have no need of it
	}
	l.input.Add(s.Input)
	if !e.Warmup {
		l.outcomes.add(op, xxh3.HashString(s.Input), s.Completed(), s.Service.Seconds())
		l.counts.Add(s.Counts)
		l.counted += s.N
	}
}

// operation is what is known of an operation of a scheme: its totals of the phase, and
// series of all the run.
type operation struct {
	batches, n, completed, failed, missing uint64
	service                                time.Duration

	latest    Bin // the last batch of the phase
	times     *times
	responses *times // nil: it was never in an open loop
	series    *series
}

func newOperation() *operation { return &operation{times: newTimes(), series: newSeries()} }

func (o *operation) begin() {
	if o == nil {
		return
	}
	o.times.reset()
	o.responses.reset()
	*o = operation{times: o.times, responses: o.responses, series: o.series}
}

func (o *operation) add(at time.Duration, e run.Measured) {
	s := e.Sample
	o.latest = Bin{s.Completed(), s.Service}
	o.series.add(at, s.Load, o.latest)
	if e.Warmup {
		return
	}
	o.batches++
	o.n += s.N
	o.completed += s.Completed()
	o.failed += s.Counts.Get("failed")
	o.missing += s.Counts.Get("missing")
	o.service += s.Service
	o.times.add(s.Service)
	if e.Response > 0 {
		if o.responses == nil {
			o.responses = newTimes()
		}
		o.responses.add(e.Response)
	}
}

// lately is how far back the present rate looks. Where batches are longer than that, or
// many schemes take turns, it is that of the last one.
const lately = time.Second

func (o *operation) now(at time.Duration) float64 {
	if o.latest == (Bin{}) {
		return math.NaN()
	}
	if recent := o.series.recent(at, lately); recent.Service > 0 {
		return recent.Mops()
	}
	return o.latest.Mops()
}

func (o *operation) mean() float64 {
	if o.service <= 0 {
		return math.NaN()
	}
	return Bin{o.completed, o.service}.Mops()
}

func failedText(op string, n uint64) string {
	return fmt.Sprintf("%s: %d found no room", op, n)
}

func thresholdText(t results.Threshold) string {
	return fmt.Sprintf("the threshold %s does not hold: it has %v", t.Condition, t.Value)
}
