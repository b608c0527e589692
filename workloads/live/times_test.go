package live

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

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
		if got.Count != uint64(len(list)) || got.Least != time.Duration(list[0]) || got.Most != time.Duration(list[len(list)-1]) {
			t.Fatalf("%+v of %v", got, list)
		}
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
			if in != s.Count {
				t.Fatalf("step to %v has %d instead of %d", s.UpTo, s.Count, in)
			}
			from, count = s.UpTo, count+s.Count
		}
		if count != got.Count {
			t.Fatalf("%d of %d are in a step", count, got.Count)
		}
		all.reset()
		if again := all.show(); again.Count != 0 || again.Steps != nil {
			t.Fatalf("after a reset: %+v", again)
		}
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
