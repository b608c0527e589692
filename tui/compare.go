package tui

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/live"
)

func drawCompare(a area, sc *scene) {
	heading := loadTitle(sc)
	if !sc.byLoad {
		means := either(sc.raw, "", ", means over "+span((sc.end()-sc.Begin)/smoothing))
		heading = fmt.Sprintf("Mop/s of %s, over time, %s%s", opText(sc.View.Op), windowText(sc.View.Window), means)
	}
	a.part(0, 0, a.w-1, 1).text(1, 0, bold, heading+either(sc.zoom, ", not from zero", ""))
	a = a.rows(1, a.h-1)
	if a.w >= 100 {
		w := clamp(a.w/4, 46, 60)
		drawLegend(a.part(a.w-w, 0, w, a.h), sc, 1)
		drawChart(a.part(0, 0, a.w-w-1, a.h), sc)
		return
	}
	columns := max(1, a.w/either(sc.failing(), 52, 38))
	h := (len(sc.order)+columns-1)/columns + either(columns == 1, 1, 0)
	h = min(h, max(1, a.h/3))
	drawLegend(a.rows(a.h-h, h), sc, columns)
	drawChart(a.rows(0, a.h-h), sc)
}

// drawLegend draws the letters of the schemes with their rates. A single column has titles.
func drawLegend(a area, sc *scene, columns int) {
	t := newLanes(sc, a.w/columns-1, 1)
	name := t.schemeColumn("   scheme", 9, 24)
	name.grows = true
	overTime := []column[*row]{t.rateColumn(1, 6, bold, now, "now"), t.rateColumn(extra, 6, normal, mean, "mean"), t.verdictColumn()}
	legend := either(sc.byLoad, t.spotColumns(), overTime)
	t.placed = place(slices.Concat([]column[*row]{name}, legend, t.failures()), t.w)
	if columns == 1 {
		drawHead(a, t.placed)
		a = a.rows(1, a.h-1)
	}
	if len(sc.order) > a.h*columns {
		scrollMarks(a, 0, len(sc.order)-(a.h-1)*columns)
		a = a.rows(0, a.h-1)
	}
	per := max(a.h, 1)
	from, to := visible(len(sc.order), a.h*columns, max(sc.place(), 0))
	for i, scheme := range sc.order[from:to] {
		t.drawLane(a.part(i/per*(t.w+1), i%per, t.w, 1), scheme)
	}
}

// failures returns a column that is never dropped, if inserts failed.
func (t *lanes) failures() []column[*row] {
	if !t.sc.failing() {
		return nil
	}
	return []column[*row]{{titles: []string{""}, least: 13, draw: func(a area, _ style, r *row) {
		if n := r.scheme.Failed; n > 0 {
			a.text(0, 0, bold|bad, count(n)+" "+failedTitle)
		}
	}}}
}

// smoothing divides a chart: a point is a mean over one part, so that noise does not hide which rate is higher.
const smoothing = 20

// Room around a chart: numbers to the left, letters to the right, the axis below.
const (
	leftOf  = 8
	rightOf = 4
	below   = 2
)

// curve is the rates of a scheme in a chart.
type curve struct {
	scheme int
	style  style
	line   []float64 // at each dot from left to right; NaN is a gap
	points []point   // that it joins
}

func (sc *scene) newCurve(scheme, dots int) curve {
	c := curve{scheme: scheme, style: schemeStyle(scheme) | either(scheme == sc.selected, bold, 0)}
	if sc.byLoad {
		c.points = sc.points(sc.Schemes[scheme].ByLoad, dots)
		c.line = joined(c.points, dots)
		return c
	}
	bins := sc.overTime(sc.row(scheme).op.Series)
	c.line = rates(bins, dots, either(sc.raw, 0, max(1, len(bins)/smoothing/2)))
	bridge(c.line)
	return c
}

func drawChart(a area, sc *scene) {
	inner := a.part(leftOf, 0, a.w-leftOf-rightOf, a.h-below)
	if inner.w < 8 || inner.h < 2 {
		return
	}
	var curves []curve
	bounds := make([]float64, 0, 2*inner.w*len(sc.order))
	order := slices.Clone(sc.order)
	if i := sc.place(); i >= 0 { // the selected one is drawn last
		order = append(slices.Delete(order, i, i+1), sc.selected)
	}
	for _, scheme := range order {
		c := sc.newCurve(scheme, 2*inner.w)
		curves, bounds = append(curves, c), append(bounds, c.line...)
		for _, p := range c.points {
			bounds = append(bounds, p.low(), p.high())
		}
	}
	a.fill(leftOf-1, inner.h, inner.w+1, frame, "─")
	a.put(leftOf-1, inner.h, frame, "└")
	if sc.byLoad {
		low, high := sc.loads()
		list, places := ticks(low, high, inner.w/12)
		for _, v := range list {
			drawTickAt(a, inner, (v-low)/(high-low), number(v, max(places, 1)))
		}
	} else {
		drawTimeAxis(a, inner, sc)
	}
	low, high := axis(sc.zoom, bounds)
	if !(high > low) {
		inner.text(2, inner.h/2, faint, "nothing measured yet")
		return
	}
	p := &plot{inner, low, high, make([]dots, inner.w*inner.h)}
	drawYAxis(a, p)
	drawCurves(a, p, curves)
}

func drawYAxis(a area, p *plot) {
	list, places := ticks(p.low, p.high, max(2, p.h/4))
	for y := range p.h {
		a.put(leftOf-1, y, frame, "│")
	}
	for _, v := range list {
		y := p.level(v) / 4
		for x := range p.w {
			p.put(x, y, frame, [...]string{"·", " "}[x%2])
		}
		a.put(leftOf-1, y, frame, "┤")
		a.right(leftOf-2, y, faint, number(v, places))
	}
}

func drawTimeAxis(a, inner area, sc *scene) {
	span := sc.end() - sc.Begin
	if span <= 0 {
		return
	}
	step := 24 * time.Hour
	for _, s := range []time.Duration{43200, 14400, 7200, 3600, 1800, 900, 600, 300, 120, 60, 30, 15, 10, 5, 2, 1} {
		if s *= time.Second; span/s <= time.Duration(max(inner.w/12, 1)) {
			step = s
		}
	}
	for t := (sc.Begin + step - 1) / step * step; t <= sc.end(); t += step {
		drawTickAt(a, inner, float64(t-sc.Begin)/float64(span), clock(t.Round(time.Second)))
	}
}

// drawTickAt draws a number at a part of the x axis.
func drawTickAt(a, inner area, part float64, text string) {
	drawTick(a, leftOf+int(part*float64(inner.w-1)+0.5), inner.h, text)
}

func drawTick(a area, x, y int, text string) {
	a.put(x, y, frame, "┴")
	if at := x - len(text)/2; at+len(text) <= a.w {
		a.text(max(at, 0), y+1, faint, text)
	}
}

// drawCurves draws lines and intervals, and letters, which tell schemes apart without colors: at points if these are few.
func drawCurves(a area, p *plot, curves []curve) {
	for _, c := range curves {
		p.line(c.line, c.style, mark(c.scheme))
		for _, at := range c.points {
			p.column(at.x, p.level(at.high()), p.level(at.low()), c.style, mark(c.scheme))
		}
	}
	p.draw()
	used := make([]int, p.h)
	for i, c := range curves {
		few := c.points != nil && len(c.points) <= p.w/4
		if !few {
			period := max(24, 3*len(curves)) // letters stand on the line where others have none
			for x := (i + 1) * period / (len(curves) + 1); x < p.w; x += period {
				if v := c.line[2*x]; !math.IsNaN(v) && len(curves) > 1 {
					p.put(x, p.level(v)/4, bold|schemeStyle(c.scheme), mark(c.scheme))
				}
			}
		}
		for _, at := range c.points {
			if few || at.Failed {
				p.put(at.x/2, p.level(at.Mops())/4, bold|either(at.Failed, bad, schemeStyle(c.scheme)), either(at.Failed, "!", mark(c.scheme)))
			}
		}
		drawEnd(a, p, c, used)
	}
}

// drawEnd draws a scheme's letter at the end of its line, beside those that are used in each row.
func drawEnd(a area, p *plot, c curve, used []int) {
	for x, v := range slices.Backward(c.line) {
		if math.IsNaN(v) {
			continue
		}
		y := p.level(v) / 4
		if used[y] < rightOf-1 {
			a.put(leftOf+x/2+2+used[y], y, bold|schemeStyle(c.scheme), mark(c.scheme))
		}
		used[y]++
		return
	}
}

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
	failed := slices.ContainsFunc(sc.spots(), func(s live.Spot) bool { return s.Failed })
	return text + either(failed, ", ! after failed inserts", "")
}

// spots are those of all schemes that are shown.
func (sc *scene) spots() []live.Spot {
	return slices.Concat(lists.Map(sc.order, func(i int) []live.Spot { return sc.Schemes[i].ByLoad })...)
}

// loads returns the load factors between which all spots lie, with some room.
func (sc *scene) loads() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range sc.spots() {
		low, high = min(low, s.Load()), max(high, s.Load())
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
	values := slices.Repeat([]float64{math.NaN()}, dots)
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
