package run

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/schemes"
)

// Prepare is the name of the phase before the stages.
const Prepare = "prepare"

// tally adds up the batches of one operation in one phase, on one scheme.
type tally struct {
	phase, op string
	batches   uint64
	all       engine.Sample // of all batches

	chunk  uint64 // operations of the smallest chunks of batches; 0: all were in one piece
	runs   series // batches, in seconds for each completed operation
	batch  series // batches, in seconds
	keys   string // of the first batch
	phases []string
	notes  Notes
	input  Chain
	result Chain

	capacity uint64 // of the table after the last batch
	bytes    int64  // of the table after the last batch

	policy    engine.Policy // of the phase
	lossy     bool          // inserts into the table had found no room
	settles   bool          // a run is an event, otherwise a batch
	rehearsed bool          // seen and result are from the rehearsal
	event     engine.Sample // the event in progress
	each      engine.Sample // the last event; all do the same
	fewest    uint64        // operations that an event completed

	seen     schemes.Counts // by instrumented kernels
	seenN    uint64
	response series // of an open loop, in seconds
	late     uint64
	lag      time.Duration // the longest
	behind   uint64
	rate     float64
}

func newTally(phase, op string) *tally {
	return &tally{phase: phase, op: op, all: noBatch(), event: noBatch(), seen: schemes.NewCounts()}
}

// noBatch is a sum without batches.
func noBatch() engine.Sample { return engine.Sample{Counts: schemes.NewCounts()} }

func (t *tally) add(s engine.Sample) {
	t.batches++
	t.all.Add(s)
	t.event.Add(s)
	if s.Chunk > 0 && (t.chunk == 0 || s.Chunk < t.chunk) {
		t.chunk = s.Chunk
	}
	t.phases = lists.Add(t.phases, s.Phases...)
	for _, note := range s.Notes {
		t.notes.Add(note)
	}
	if !t.settles || t.runs.count == 0 {
		t.input.Add(s.Input)
	}
	if !t.settles {
		t.endEvent()
	}
}

// endEvent ends a run: an event of a stage that settles, otherwise a batch.
func (t *tally) endEvent() {
	e := t.event
	if e.N == 0 && e.Service == 0 {
		return
	}
	t.batch.add(e.Service.Seconds())
	t.runs.add(e.Service.Seconds() / float64(max(e.Completed(), 1)))
	t.fewest = lists.Either(t.runs.count == 1, e.Completed(), min(t.fewest, e.Completed()))
	t.each, t.event = e, noBatch()
}

// mops is the rate of completed operations in the median batch, or event of a stage that
// settles. It is 0 if the clock is too coarse for the batch.
func (t *tally) mops() float64 {
	each := t.policy.Summarize(t.runs.kept).Median
	return lists.Either(t.all.Completed() == 0 || !(each > 0), 0, 1/each/1e6)
}

func total(all []*tally) *tally {
	sum := newTally("", "")
	for _, t := range all {
		sum.batches += t.batches
		sum.all.Add(t.all)
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
	return lists.Either(t.seenN == 0, nil, t.seen.PerOp(t.seenN))
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

// Notes merges notes that differ only in numbers, with the range of each number and how often they came.
type Notes struct{ kinds []*kindOfNote }

type kindOfNote struct {
	words       []string // around the numbers
	least, most []string // of each number, as the scheme writes it
	times       uint64
}

// numbers are those that stand by themselves: bytes 12 and 0.5, not k8v8 or 0x12.
var numbers = regexp.MustCompile(`\b\d+(\.\d+)?\b`)

// Add takes a note of a batch. It returns its kind, counted from 0 in order of appearance.
func (n *Notes) Add(note string) (kind int) {
	words, values := numbers.Split(note, -1), numbers.FindAllString(note, -1)
	kind = slices.IndexFunc(n.kinds, func(k *kindOfNote) bool { return slices.Equal(k.words, words) })
	if kind < 0 {
		kind = len(n.kinds)
		n.kinds = append(n.kinds, &kindOfNote{words, slices.Clone(values), slices.Clone(values), 0})
	}
	k := n.kinds[kind]
	k.times++
	for i, v := range values {
		k.least[i] = slices.MinFunc([]string{k.least[i], v}, byNumber)
		k.most[i] = slices.MaxFunc([]string{k.most[i], v}, byNumber)
	}
	return kind
}

func byNumber(a, b string) int {
	x, _ := number.Parse(a) // too large is infinite
	y, _ := number.Parse(b)
	return cmp.Compare(x, y)
}

// Kind returns the merged note of a kind.
func (n *Notes) Kind(kind int) string { return n.kinds[kind].String() }

// Texts returns the notes, one of each kind.
func (n *Notes) Texts() []string { return lists.Map(n.kinds, (*kindOfNote).String) }

// String has a range for each number that varied.
func (k *kindOfNote) String() string {
	text := k.words[0]
	for i, word := range k.words[1:] {
		if text += k.least[i]; k.least[i] != k.most[i] {
			text += " to " + k.most[i]
		}
		text += word
	}
	return lists.Either(k.times == 1, text, fmt.Sprintf("%s (%d times)", text, k.times))
}
