package tui

import (
	"math"
	"time"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// rates are the rates of a series in so many bins, which it may have more or fewer of; NaN where
// nothing was done.
func rates(bins []live.Bin, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		sum := live.Bin{}
		from := i * len(bins) / n
		for _, b := range bins[from:max(min(from+1, len(bins)), (i+1)*len(bins)/n)] {
			sum.Completed += b.Completed
			sum.Service += b.Service
		}
		if list[i] = math.NaN(); sum.Service > 0 {
			list[i] = sum.Mops()
		}
	}
	return list
}

// bridged has values in the gaps that come from batches being further apart than bins: the
// value before. A longer stretch in which nothing was done stays empty, and so does what comes
// after the last value.
func bridged(values []float64) {
	done, first, last := 0, len(values), 0
	for i, v := range values {
		if !math.IsNaN(v) {
			done, first, last = done+1, min(first, i), i
		}
	}
	longest := 3*(last-first)/max(done, 1) + 1
	for i := first + 1; i < last; i++ {
		next := i
		for math.IsNaN(values[next]) {
			next++
		}
		for fill := next-i <= longest; i < next; i++ {
			if fill {
				values[i] = values[i-1]
			}
		}
	}
}

// bounds are the least and the most value, a little apart.
func bounds(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) {
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	if low > high {
		return 0, 1
	}
	if spread := high * 0.02; high-low < spread {
		low, high = low-spread, high+spread
	}
	return math.Max(0, low-(high-low)*0.1), high
}

// drawSpark draws a bar for each value, over the whole height of the area.
func drawSpark(a area, st style, values []float64, low, high float64) {
	bridged(values)
	for x, v := range values {
		if math.IsNaN(v) || !(high > low) {
			continue
		}
		level := int(math.Round((v - low) / (high - low) * float64(8*a.h)))
		level = min(max(level, 1), 8*a.h)
		for y := a.h - 1; y >= 0 && level > 0; y-- {
			a.put(x, y, st, eighths[min(level, 8)])
			level -= 8
		}
	}
}

// timeStep is a round step between ticks of a time axis.
func timeStep(span time.Duration, ticks int) time.Duration {
	for _, s := range []time.Duration{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200} {
		if s *= time.Second; span/s <= time.Duration(max(ticks, 1)) {
			return s
		}
	}
	return 24 * time.Hour
}
