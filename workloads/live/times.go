package live

import (
	"math"
	"slices"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hashzoo/hashzoo/runtime/results"
)

// Times have two digits, from a tenth of a microsecond to a day, the longest batch.
const (
	shortest = 100 * time.Nanosecond
	longest  = 24 * time.Hour
	digits   = 2

	stepsPerDecade = 20 // of a distribution
)

var stepEnds = func() (ends []time.Duration) {
	for i := 0; ; i++ {
		end := float64(shortest) * math.Pow(10, float64(i)/stepsPerDecade)
		ends = append(ends, time.Duration(math.Round(end)))
		if ends[i] >= longest {
			return ends
		}
	}
}()

type times struct {
	exact       *hdr.Histogram
	steps       []uint64
	least, most time.Duration
}

func newTimes() *times {
	return &times{exact: hdr.New(int64(shortest), int64(longest), digits), steps: make([]uint64, len(stepEnds))}
}

func (t *times) add(d time.Duration) {
	if t.exact.TotalCount() == 0 {
		t.least = d
	}
	t.least, t.most = min(t.least, d), max(t.most, d)
	d = min(max(d, 0), longest)
	_ = t.exact.RecordValue(int64(d)) // in range
	t.steps[step(d)]++
}

// step is the first step that ends at d or later.
func step(d time.Duration) int {
	i, _ := slices.BinarySearch(stepEnds, d)
	return i
}

func (t *times) reset() {
	if t.exact.TotalCount() > 0 {
		t.exact.Reset()
		clear(t.steps)
		t.least, t.most = 0, 0
	}
}

// show returns the present distribution. The histogram's rounding stays within the least and the most.
func (t *times) show() Times {
	count := uint64(t.exact.TotalCount())
	if count == 0 {
		return Times{}
	}
	at := func(part float64) time.Duration {
		if !results.Enough(part, count) {
			return 0
		}
		return min(max(time.Duration(t.exact.ValueAtPercentile(100*part)), t.least), t.most)
	}
	shown := Times{Count: count, Least: t.least, P50: at(0.5), P99: at(0.99), P999: at(0.999), Most: t.most}
	first, last := step(min(max(t.least, 0), longest)), step(min(max(t.most, 0), longest))
	shown.Steps = make([]Step, 0, last-first+1)
	for i := first; i <= last; i++ {
		shown.Steps = append(shown.Steps, Step{stepEnds[i], t.steps[i]})
	}
	return shown
}
