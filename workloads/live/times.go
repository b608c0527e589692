package live

import (
	"math"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/runtime/results"
)

// Times have bins a percent wide, from a tenth of a microsecond to a day, the longest batch.
const (
	shortest      = 100 * time.Nanosecond
	longest       = 24 * time.Hour
	binsPerDecade = 240
	binsPerStep   = 12 // of a distribution as shown
)

var binEnds = func() (ends []time.Duration) {
	for i := 0; ; i++ {
		end := float64(shortest) * math.Pow(10, float64(i)/binsPerDecade)
		ends = append(ends, time.Duration(math.Round(end)))
		if ends[i] >= longest && i%binsPerStep == 0 {
			return ends
		}
	}
}()

// times is a distribution of times.
type times struct {
	bins        []uint64 // as binEnds
	count       uint64
	least, most time.Duration
}

func newTimes() *times { return &times{bins: make([]uint64, len(binEnds))} }

func (t *times) add(d time.Duration) {
	if t.count == 0 {
		t.least = d
	}
	t.least, t.most = min(t.least, d), max(t.most, d)
	t.count++
	t.bins[bin(d)]++
}

// bin is the first bin that ends at d or later.
func bin(d time.Duration) int {
	i, _ := slices.BinarySearch(binEnds, min(d, longest))
	return i
}

// step is the step of a distribution that a time is in.
func step(d time.Duration) int { return (bin(d) + binsPerStep - 1) / binsPerStep }

func (t *times) reset() {
	if t.count > 0 {
		clear(t.bins)
		*t = times{bins: t.bins}
	}
}

// quantile is the time that a part of all do not exceed, within half a percent; 0: there are too few.
func (t *times) quantile(part float64) time.Duration {
	if t.count == 0 || !results.Enough(part, t.count) {
		return 0
	}
	i, left := bin(t.least), uint64(math.Ceil(part*float64(t.count)-1e-9))
	for ; left > t.bins[i]; i++ {
		left -= t.bins[i]
	}
	return min(max((binEnds[max(i-1, 0)]+binEnds[i])/2, t.least), t.most)
}

func (t *times) show() Times {
	if t.count == 0 {
		return Times{}
	}
	shown := Times{Count: t.count, Least: t.least, P50: t.quantile(0.5), P99: t.quantile(0.99), P999: t.quantile(0.999), Most: t.most}
	first, last := step(t.least), step(t.most)
	shown.Steps = make([]Step, 0, last-first+1)
	for i := first; i <= last; i++ {
		s := Step{UpTo: binEnds[i*binsPerStep]}
		for _, n := range t.bins[max((i-1)*binsPerStep+1, 0) : i*binsPerStep+1] {
			s.Count += n
		}
		shown.Steps = append(shown.Steps, s)
	}
	return shown
}
