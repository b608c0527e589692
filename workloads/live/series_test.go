package live

import (
	"slices"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/must"

	"pgregory.net/rapid"
)

// The bins of every view sum up the batches of their times, and none is lost.
func TestSeriesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, now := newSeries(), time.Duration(0)
		heard := map[time.Duration]Bin{}
		step := rapid.SampledFrom([]time.Duration{ms, 70 * ms, 3 * time.Second, 9 * time.Minute, 5 * time.Hour}).Draw(t, "step")
		var all Bin
		for range rapid.IntRange(1, 60).Draw(t, "batches") {
			now += time.Duration(rapid.Int64Range(0, int64(step)).Draw(t, "pause"))
			b := Bin{uint64(rapid.IntRange(1, 1000).Draw(t, "n")), time.Duration(rapid.IntRange(1, 1000).Draw(t, "ns"))}
			s.add(now, b)
			at := heard[now]
			at.add(b)
			heard[now] = at
			all.add(b)
		}
		now += time.Duration(rapid.Int64Range(0, int64(step)).Draw(t, "later"))
		window := time.Duration(rapid.Int64Range(0, int64(2*time.Hour)).Draw(t, "window"))
		columns := rapid.IntRange(1, 3000).Draw(t, "columns")
		for _, v := range []View{{Columns: columns}, {Columns: columns, Window: window}} {
			f := framed(v, now)
			must.Need(t, f.begin%f.bin == 0 && f.end() > now && (v.Window != 0 || f.begin == 0), "%+v at %v: %+v", v, now, f)
			bins := make([]Bin, f.columns)
			s.show(f, now, bins)
			want := make([]Bin, f.columns)
			for at, b := range heard {
				if at >= f.begin {
					want[(at-f.begin)/f.bin].add(b)
				}
			}
			for i := range bins {
				must.Need(t, bins[i] == want[i], "%+v at %v: %+v: bin %d has %+v instead of %+v", v, now, f, i, bins[i], want[i])
			}
			must.Need(t, v.Window != 0 || total(bins) == all, "%+v instead of %+v", total(bins), all)
		}
	})
}

// Past bins move, but do not change.
func TestBinsMove(t *testing.T) {
	s := newSeries()
	for at := time.Duration(0); at < time.Minute; at += 13 * ms {
		s.add(at, Bin{1, 1})
	}
	v := View{Window: 30 * time.Second, Columns: 40}
	before, after := framed(v, time.Minute), framed(v, time.Minute+2*time.Second)
	must.Need(t, before.bin == after.bin && before.bin == 750*ms && (after.begin-before.begin)%before.bin == 0, "%+v, then %+v", before, after)
	a, b := make([]Bin, 40), make([]Bin, 40)
	s.show(before, time.Minute, a)
	s.show(after, time.Minute+2*time.Second, b)
	moved := int((after.begin - before.begin) / before.bin)
	for i := range 40 - moved {
		must.Match(t, a[i+moved], b[i], i)
	}
}

// A window is not much longer than requested.
func TestWindows(t *testing.T) {
	for _, window := range []time.Duration{30 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour} {
		for _, columns := range []int{20, 60, 200} {
			f := framed(View{Window: window, Columns: columns}, 3*time.Hour)
			shown := f.end() - f.begin
			must.Hold(t, shown >= window && shown <= window*3/2, "%v in %d columns: %v", window, columns, shown)
		}
	}
}

// Each time is in one step; quantiles are within a percent.
func TestTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Int64Range(0, int64(time.Minute)), 1, 200).Draw(t, "times")
		all := newTimes()
		for _, d := range list {
			all.add(time.Duration(d))
		}
		slices.Sort(list)
		got := all.show()
		must.Need(t, got.Count == uint64(len(list)) && got.Least == time.Duration(list[0]) && got.Most == time.Duration(list[len(list)-1]), "%+v of %v", got, list)
		if p50 := list[(len(list)+1)/2-1]; len(list) > 1 && (float64(got.P50) < 0.98*float64(p50)-100 || float64(got.P50) > 1.02*float64(p50)+100) {
			t.Fatalf("median %v instead of %v", got.P50, p50)
		}
		from, count := time.Duration(-1), uint64(0)
		for _, s := range got.Steps {
			in := uint64(0)
			for _, d := range list {
				if from < time.Duration(d) && time.Duration(d) <= s.UpTo {
					in++
				}
			}
			must.Need(t, in == s.Count, "step to %v has %d instead of %d", s.UpTo, s.Count, in)
			from, count = s.UpTo, count+s.Count
		}
		must.Need(t, count == got.Count, "%d of %d are in a step", count, got.Count)
		all.reset()
		again := all.show()
		must.Need(t, again.Count == 0 && again.Steps == nil, "after a reset: %+v", again)
	})
}

// A percentile takes enough times: 99.9 percent of ten batches is not shown.
func TestPercentilesTakeEnoughTimes(t *testing.T) {
	all, added := newTimes(), uint64(0)
	for _, count := range []uint64{1, 2, 99, 100, 999, 1000} {
		for ; added < count; added++ {
			all.add(time.Millisecond)
		}
		got := all.show()
		if got.P50 > 0 != (count >= 2) || got.P99 > 0 != (count >= 100) || got.P999 > 0 != (count >= 1000) {
			t.Errorf("of %d batches: %v %v %v", count, got.P50, got.P99, got.P999)
		}
	}
}
