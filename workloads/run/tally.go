package run

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
)

// Prepare is the name of the phase before the stages.
const Prepare = "prepare"

// work is what some batches did.
type work struct {
	batches, n, completed uint64
	service               time.Duration
}

func (w *work) add(more work) {
	w.batches += more.batches
	w.n += more.n
	w.completed += more.completed
	w.service += more.service
}

// tally adds up the batches of one operation in one phase, on one scheme.
type tally struct {
	phase, op string
	work

	counts schemes.Counts
	runs   series // batches, in seconds for each operation
	batch  series // batches, in seconds
	keys   string // of the first batch
	phases []string
	notes  Notes
	input  Chain
	result Chain
	last   engine.Sample

	policy    engine.Policy // of the phase
	settles   bool          // a run is an event, otherwise a batch
	rehearsed bool          // seen and result are from the rehearsal
	event     work          // of the event in progress
	each      work          // of an event; the one that completed the fewest, as they do the same

	seen     schemes.Counts // by instrumented kernels
	seenN    uint64
	response series // of an open loop, in seconds
	late     uint64
	lag      time.Duration // the longest
	behind   uint64
	rate     float64
}

func newTally(phase, op string) *tally {
	return &tally{phase: phase, op: op, counts: schemes.NewCounts(), seen: schemes.NewCounts()}
}

func (t *tally) add(s engine.Sample) {
	done := work{1, s.N, s.Completed(), s.Service}
	t.work.add(done)
	t.event.add(done)
	t.counts.Add(s.Counts)
	t.phases = union(t.phases, s.Phases...)
	for _, note := range s.Notes {
		t.notes.Add(note)
	}
	if !t.settles || t.runs.count == 0 {
		t.input.Add(s.Input)
	}
	t.last = s
	if !t.settles {
		t.endEvent()
	}
}

// endEvent ends a run: an event of a stage that settles, otherwise a batch.
func (t *tally) endEvent() {
	e := t.event
	if e.n == 0 && e.service == 0 {
		return
	}
	t.batch.add(e.service.Seconds())
	t.runs.add(e.service.Seconds() / float64(max(e.n, 1)))
	if t.runs.count > 1 {
		e.completed = min(e.completed, t.each.completed)
	}
	t.each, t.event = e, work{}
}

func (t *tally) respond(a arrival, took time.Duration) {
	t.response.add(took.Seconds())
	if a.lag > 0 {
		t.late++
		t.lag = max(t.lag, a.lag)
	}
}

// union adds texts that the list lacks.
func union(list []string, more ...string) []string {
	for _, text := range more {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// mops is the rate of completed operations: in the median event of a stage that settles, otherwise in all
// their device time. It is 0 if the clock is too coarse for the batch.
func (t *tally) mops() float64 {
	completed, seconds := t.completed, t.service.Seconds()
	if t.settles && t.batch.count > 0 {
		completed, seconds = t.each.completed, t.policy.Summarize(t.batch.kept).Median
	}
	if seconds <= 0 {
		return 0
	}
	return float64(completed) / seconds / 1e6
}

func total(all []*tally) *tally {
	sum := newTally("", "")
	for _, t := range all {
		sum.work.add(t.work)
		sum.counts.Add(t.counts)
		sum.seen.Add(t.seen)
		sum.seenN += t.seenN
		sum.late += t.late
		sum.lag = max(sum.lag, t.lag)
		sum.behind += t.behind
		sum.runs.kept = append(sum.runs.kept, t.runs.kept...)
		sum.response.kept = append(sum.response.kept, t.response.kept...)
	}
	return sum
}

func (t *tally) perOp() map[string]float64 {
	if t.seenN == 0 {
		return nil
	}
	return t.seen.PerOp(t.seenN)
}

// lengths is a gauge of the operations by how many probes they took, if probes were counted.
func (t *tally) lengths() (schemes.Reading, bool) {
	r := schemes.Reading{Name: "probes of " + t.op, Help: "operations of this phase by how many probes they took", Unit: "operations"}
	for i, name := range kernels.Lengths {
		r.Bars = append(r.Bars, schemes.Bar{Label: schemes.LengthLabels[i], Value: float64(t.seen.Get(name))})
	}
	return r, t.seen.Get("probes") > 0
}

// maxSeries bounds a series: of more numbers, every second is kept, then every fourth, ...
const maxSeries = 10_000

// series is numbers in the order in which they came.
type series struct {
	kept   []float64
	stride int
	count  int
}

func (s *series) add(x float64) {
	s.stride = max(s.stride, 1)
	if s.count%s.stride == 0 {
		s.kept = append(s.kept, x)
	}
	s.count++
	if len(s.kept) < maxSeries {
		return
	}
	for i := range maxSeries / 2 {
		s.kept[i] = s.kept[2*i]
	}
	s.kept = s.kept[:maxSeries/2]
	s.stride *= 2
}

// quantile is the smallest number that at least that part of the numbers does not exceed.
func (s *series) quantile(part float64) float64 {
	if len(s.kept) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s.kept))
	return sorted[max(0, int(math.Ceil(part*float64(len(sorted))))-1)]
}

// Chain is the digest of a sequence of digests. That of a single digest is the digest itself.
type Chain struct {
	count  int
	first  string
	all    *xxh3.Hasher
	broken bool // one was missing
}

// Add takes the next digest. If one is empty, so is the digest of the sequence.
func (c *Chain) Add(digest string) {
	if c.count++; c.count == 1 {
		c.first, c.all = digest, xxh3.New()
	}
	c.broken = c.broken || digest == ""
	fmt.Fprintln(c.all, digest)
}

// String is the digest of the sequence so far.
func (c *Chain) String() string {
	switch {
	case c.broken:
		return ""
	case c.count < 2:
		return c.first
	}
	return fmt.Sprintf("%x", c.all.Sum128().Bytes())
}
