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

// A series has bins of time of several widths: narrow ones for the last minutes, wide ones for the whole run. The
// widest double when all are used, so a series takes the same memory however long the run is.

const kept = 2048 // bins of each width

// widths are the widths of bins, each a multiple of the one before.
var widths = [...]time.Duration{50 * time.Millisecond, 200 * time.Millisecond, 800 * time.Millisecond, 3200 * time.Millisecond}

const widest = len(widths) - 1 // the level that covers the whole run

// series is the work done over time.
type series struct {
	levels [len(widths)]level
}

// level is the bins of one width. Bin i, at index i modulo kept, begins at i times the width.
type level struct {
	width time.Duration
	next  int64 // the first bin that is not in use
	bins  [kept]Bin
}

func newSeries() *series {
	s := &series{}
	for i, width := range widths {
		s.levels[i].width = width
	}
	return s
}

func (s *series) add(at time.Duration, b Bin) {
	s.fold(at)
	for i := range s.levels {
		s.levels[i].add(at, b)
	}
}

// fold doubles the widest bins until they reach that time.
func (s *series) fold(at time.Duration) {
	l := &s.levels[widest]
	for int64(at/l.width) >= kept {
		for i := range kept / 2 {
			l.bins[i] = l.bins[2*i]
			l.bins[i].add(l.bins[2*i+1])
		}
		clear(l.bins[kept/2:])
		l.width *= 2
		l.next = (l.next + 1) / 2
	}
}

func (l *level) add(at time.Duration, b Bin) {
	i := int64(at / l.width)
	if i < l.next-kept {
		return // too old
	}
	for n := max(l.next, i+1-kept); n <= i; n++ {
		l.bins[n%kept] = Bin{}
	}
	l.next = max(l.next, i+1)
	l.bins[i%kept].add(b)
}

// sum adds up the bins from one time to another, both multiples of the width.
func (l *level) sum(from, to time.Duration) (all Bin) {
	first, end := int64(from/l.width), int64(to/l.width)
	for i := max(first, l.next-kept, 0); i < min(end, l.next); i++ {
		all.add(l.bins[i%kept])
	}
	return all
}

func (b *Bin) add(more Bin) {
	b.Completed += more.Completed
	b.Service += more.Service
}

// frame is the time that a view shows. Its bins begin at multiples of their width, so past bins do not change.
type frame struct {
	level      int
	begin, bin time.Duration
	columns    int
}

func (f frame) end() time.Duration { return f.begin + time.Duration(f.columns)*f.bin }

// framed returns the frame of a view at that time.
func framed(v View, now time.Duration) frame {
	f := frame{columns: min(max(v.Columns, 1), kept)}
	for ; f.level < widest; f.level++ {
		if f.fit(v.Window, widths[f.level], now); now-f.begin < (kept-1)*widths[f.level] {
			return f
		}
	}
	width := widths[widest]
	for now/width >= kept {
		width *= 2
	}
	f.fit(v.Window, width, now)
	return f
}

// fit shows this much time until now, or the whole run, in bins of a multiple of a width.
func (f *frame) fit(window, width, now time.Duration) {
	if window <= 0 {
		for f.begin, f.bin = 0, width; now >= f.end(); f.bin *= 2 {
		}
		return
	}
	each := (window + time.Duration(f.columns) - 1) / time.Duration(f.columns)
	f.bin = (each + width - 1) / width * width
	f.begin = max(0, (now/f.bin+1-time.Duration(f.columns))*f.bin)
}

func (s *series) show(f frame, now time.Duration, into []Bin) {
	s.fold(now)
	l := &s.levels[f.level]
	for i := range into {
		from := f.begin + time.Duration(i)*f.bin
		into[i] = l.sum(from, from+f.bin)
	}
}
