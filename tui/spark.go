package tui

import (
	"math"
	"slices"
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

// smoothing is the part of a chart that its points are means over.
const smoothing = 20

// smooth are the rates of a series in so many bins, each over a twentieth of all: of a series
// with noise, which of two is higher would not be seen otherwise. At the ends it is over less.
func smooth(bins []live.Bin, n int) []float64 {
	values := rates(bins, n)
	first, last := len(bins), -1
	sums := make([]live.Bin, len(bins)+1)
	for i, b := range bins {
		sums[i+1] = live.Bin{Completed: sums[i].Completed + b.Completed, Service: sums[i].Service + b.Service}
		if b.Service > 0 {
			first, last = min(first, i), i
		}
	}
	reach := max(1, len(bins)/smoothing/2)
	for i := range values {
		from, to := i*len(bins)/n, max(i*len(bins)/n+1, (i+1)*len(bins)/n)
		if values[i] = math.NaN(); to > first && from <= last {
			from, to = max(0, from-reach), min(len(bins), to+reach)
			values[i] = live.Bin{Completed: sums[to].Completed - sums[from].Completed, Service: sums[to].Service - sums[from].Service}.Mops()
		}
	}
	return values
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

// usual is the most that values are, but for one in twenty: what is drawn of them is not to
// be flat because of a few.
func usual(values []float64) float64 {
	list := make([]float64, 0, len(values))
	for _, v := range values {
		if !math.IsNaN(v) {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return math.Min(list[len(list)-1], 1.1*list[len(list)*19/20])
}

// drawSpark draws a bar for each value, over the whole height of the area. A bar that would
// be higher has a pointed end.
func drawSpark(a area, st style, values []float64, low, high float64) {
	bridged(values)
	for x, v := range values {
		if math.IsNaN(v) || !(high > low) {
			continue
		}
		level := max(1, int(math.Min(math.Round((v-low)/(high-low)*float64(8*a.h)), 1e6)))
		if level > 8*a.h {
			a.put(x, 0, st, "▴")
		}
		for y := a.h - 1; y >= 0 && level > 0; y-- {
			if y > 0 || level <= 8 {
				a.put(x, y, st, eighths[min(level, 8)])
			}
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
