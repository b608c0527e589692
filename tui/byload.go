package tui

import (
	"fmt"
	"math"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/live"
)

// point is the measured batches at one load factor, or at those in a part of the chart.
type point struct {
	live.Spot
	x int // of the dots of the chart
}

// low and high are the 95 percent interval of the rate. It has none if a single batch was measured, and one that would
// fill the chart is not drawn.
func (p point) low() float64  { return p.Mops() / (1 + p.noise()) }
func (p point) high() float64 { return p.Mops() / (1 - p.noise()) }

func (p point) noise() float64 {
	noise := p.Noise()
	return either(noise <= results.MaxNoise, noise, 0)
}

func loadTitle(sc *scene) string {
	if sc.Curve < 0 {
		return "Mop/s over the load factor"
	}
	text := fmt.Sprintf("Mop/s of %s, over the load factor, 95 %% intervals", sc.Curves[sc.Curve])
	for _, i := range sc.order {
		for _, s := range sc.Schemes[i].ByLoad {
			if s.Failed {
				return text + ", ! after failed inserts"
			}
		}
	}
	return text
}

// loads returns the load factors between which all spots lie, with some room.
func (sc *scene) loads() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, i := range sc.order {
		for _, s := range sc.Schemes[i].ByLoad {
			low, high = min(low, s.Load()), max(high, s.Load())
		}
	}
	room := max(0.02*(high-low), 0.005)
	return max(low-room, 0), high + room
}

// points places spots in a chart that many dots wide. Where they are close, a point takes those of a part of the
// chart, unless all are to be shown.
func (sc *scene) points(spots []live.Spot, dots int) (list []point) {
	low, high := sc.loads()
	at := func(s live.Spot) float64 { return (s.Load() - low) / (high - low) }
	parts := either(sc.raw || len(spots) <= 2*smoothing, dots, smoothing)
	for i, s := range spots {
		if i > 0 && int(at(s)*float64(parts)) == int(at(spots[i-1])*float64(parts)) {
			list[len(list)-1].Add(s)
		} else {
			list = append(list, point{Spot: s})
		}
	}
	for i := range list {
		list[i].x = clamp(int(at(list[i].Spot)*float64(dots)), 0, dots-1)
	}
	return list
}

// joined returns a value for each dot from the first point to the last, on straight lines between points.
func joined(list []point, dots int) []float64 {
	values := make([]float64, dots)
	for x := range values {
		values[x] = math.NaN()
	}
	for i, p := range list {
		values[p.x] = p.Mops()
		from := list[max(i-1, 0)]
		for x := from.x + 1; x < p.x; x++ {
			part := float64(x-from.x) / float64(p.x-from.x)
			values[x] = from.Mops() + part*(p.Mops()-from.Mops())
		}
	}
	return values
}

// spotColumns are the rate at the highest load factor that was measured.
func (t *lanes) spotColumns() []column[*row] {
	last := func(text func(point) string) func(*row) string {
		return func(r *row) string {
			if n := len(r.scheme.ByLoad); n > 0 {
				return text(point{Spot: r.scheme.ByLoad[n-1]})
			}
			return "-"
		}
	}
	return []column[*row]{
		figures("Mop/s", 1, 7, last(func(p point) string { return results.RateText(p.Mops()) })),
		figures("±", 2, 6, last(func(p point) string {
			noise := p.Noise() // NaN of a single batch
			return either(noise <= results.MaxNoise, fmt.Sprintf("±%.0f %%", math.Ceil(100*noise-1e-9)), "±  ?")
		})),
		figures("load", 3, 7, last(func(p point) string { return fmt.Sprintf("at %.2f", p.Load()) })),
	}
}
