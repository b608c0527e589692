package tui

import (
	"math"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// rates are the rates of a series in n bins, each a mean that reaches so many bins further;
// NaN before the first batch, after the last, and where nothing was done.
func rates(bins []live.Bin, n, reach int) []float64 {
	values, sums := make([]float64, n), make([]live.Bin, len(bins)+1)
	first, last := len(bins), -1
	for i, b := range bins {
		sums[i+1] = live.Bin{Completed: sums[i].Completed + b.Completed, Service: sums[i].Service + b.Service}
		if b.Service > 0 {
			first, last = min(first, i), i
		}
	}
	for i := range values {
		from, to := i*len(bins)/n, max(i*len(bins)/n+1, (i+1)*len(bins)/n)
		if values[i] = math.NaN(); to > first && from <= last {
			a, b := sums[max(0, from-reach)], sums[min(len(bins), to+reach)]
			values[i] = live.Bin{Completed: b.Completed - a.Completed, Service: b.Service - a.Service}.Mops()
		}
	}
	return values
}

// smoothing is the part of a chart over which its points are means, so that noise does not
// hide which of two series is higher.
const smoothing = 20

// bridge fills the gaps that are only batches further apart than bins, with the value before.
// Longer gaps stay, and so do those at the ends.
func bridge(values []float64) {
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

// usual is a little above the 95th percentile: a few outliers do not flatten a sparkline.
func usual(values []float64) float64 {
	list := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return math.Min(list[len(list)-1], 1.1*list[len(list)*19/20])
}

// drawSpark draws a bar for each value. A bar that would be higher than the area has a pointed
// end.
func drawSpark(a area, st style, values []float64, low, high float64) {
	bridge(values)
	for x, v := range values {
		if math.IsNaN(v) || !(high > low) {
			continue
		}
		part := (v - low) / (high - low)
		drawBarUp(a, x, a.h, a.h, st, max(part, 1e-9))
		if math.Round(part*float64(8*a.h)) > float64(8*a.h) {
			a.put(x, 0, st, "▴")
		}
	}
}

// drawBarUp draws a bar from line bottom up: a part of the height, or a little if it is above 0.
func drawBarUp(a area, x, bottom, height int, st style, part float64) {
	level := int(math.Round(math.Min(part, 1) * float64(8*height)))
	if part > 0 {
		level = max(level, 1)
	}
	for ; level > 0; level -= 8 {
		bottom--
		a.put(x, bottom, st, eighths[min(level, 8)])
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
