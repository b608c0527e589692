package tui

import (
	"fmt"
	"math"
	"time"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// drawCompare draws the rates of all schemes over time, or over the load factor, with a
// legend of what they are now.
func drawCompare(a area, sc *scene) {
	if noneShown(a, sc) {
		return
	}
	a.text(1, 0, bold, a.c.fit(compareTitle(sc), a.w-2))
	a = a.rows(1, a.h-1)
	entries := len(sc.order)
	if a.w >= 100 {
		w := min(max(46, a.w/4), 60)
		drawLegend(a.part(a.w-w, 0, w, a.h), sc, 1)
		drawChart(a.part(0, 0, a.w-w-1, a.h), sc)
		return
	}
	columns := max(1, a.w/38)
	h := min((entries+columns-1)/columns, max(1, a.h/3))
	drawLegend(a.rows(a.h-h, h), sc, columns)
	drawChart(a.rows(0, a.h-h), sc)
}

func compareTitle(sc *scene) string {
	over := "over time, " + windowText(sc.View.Window)
	if sc.byLoad {
		over = "over the load factor"
	}
	more := ""
	if !sc.raw && sc.byLoad {
		more = ", means"
	} else if !sc.raw {
		more = ", means over " + span((sc.end()-sc.Begin)/smoothing)
	}
	if sc.zoom {
		more += ", not from zero"
	}
	return fmt.Sprintf("Mop/s of %s, %s%s", opText(sc.View.Op), over, more)
}

// legendHead is whether there is room for a line with titles above the legend.
func legendHead(columns int) int { return max(0, 2-columns) }

// drawLegend draws what the letters stand for, with values.
func drawLegend(a area, sc *scene, columns int) {
	t := &lanes{sc: sc, w: a.w/columns - 1, rates: ratePlaces(sc)}
	t.placed = place(t.legendColumns(), t.w)
	if legendHead(columns) > 0 {
		drawHead(a, t.placed)
		a = a.rows(1, a.h-1)
	}
	if len(sc.order) > a.h*columns {
		defer func(all area) { scrollMarks(all, 0, len(sc.order)-(all.h-1)*columns) }(a)
		a = a.rows(0, a.h-1)
	}
	per := max(a.h, 1)
	from, to := visible(len(sc.order), a.h*columns, max(sc.place(), 0))
	for i, scheme := range sc.order[from:to] {
		t.drawLegendLine(a.part(i/per*(t.w+1), i%per, t.w, 1), scheme)
	}
}

func (t *lanes) legendColumns() []column[*row] {
	return []column[*row]{
		{titles: []string{"   scheme"}, rank: 0, least: 9, want: min(t.longest(), 24), grows: true, draw: func(a area, st style, r *row) { drawName(a, st, t.sc, r) }},
		{titles: []string{"now"}, rank: 1, least: 6, number: true, draw: t.rate(func(o *live.Op) float64 { return o.Now }, bold)},
		{titles: []string{"mean"}, rank: extra, least: 6, number: true, draw: t.rate(func(o *live.Op) float64 { return o.Mean }, normal)},
		{titles: []string{"vs " + t.against(), "difference"}, rank: 2, least: 13, want: verdictWidth, draw: drawVerdict},
	}
}

func (t *lanes) drawLegendLine(a area, scheme int) {
	a.clickable(scheme, "")
	if scheme == t.sc.selected {
		a = a.marked(chosen)
	}
	s := &t.sc.Schemes[scheme]
	r := &row{index: scheme, scheme: s, op: t.sc.of(s)}
	if s.State != live.Working {
		t.drawIdle(a, r)
		return
	}
	for _, p := range t.placed {
		p.draw(a.part(p.x, 0, p.w, 1), normal, r)
	}
}

func ratePlaces(sc *scene) int {
	most := 0.0
	for _, i := range sc.order {
		if mean := sc.of(&sc.Schemes[i]).Mean; mean > most {
			most = mean
		}
	}
	return decimals(most)
}

// Room around a chart: for the numbers at its left, the letters at its right, and the
// axis below.
const (
	leftOf  = 8
	rightOf = 4
	below   = 2
)

func drawChart(a area, sc *scene) {
	inner := a.part(leftOf, 0, a.w-leftOf-rightOf, a.h-below)
	if inner.w < 8 || inner.h < 2 {
		return
	}
	lines := make([][]float64, len(sc.Schemes))
	low, high := math.Inf(1), math.Inf(-1)
	for _, i := range sc.order {
		if lines[i] = smooth(series(sc, i), 2*inner.w); sc.raw {
			lines[i] = rates(series(sc, i), 2*inner.w)
		}
		for _, v := range lines[i] {
			if !math.IsNaN(v) {
				low, high = math.Min(low, v), math.Max(high, v)
			}
		}
		bridged(lines[i])
	}
	drawXAxis(a, inner, sc)
	if high < low {
		inner.text(2, inner.h/2, faint, "nothing measured yet")
		return
	}
	if low, high = scale(low, high, sc.zoom); high > low {
		drawYAxis(a, inner, low, high)
		drawLines(a, newPlot(inner, low, high), sc, lines)
	}
}

func series(sc *scene, scheme int) []live.Bin {
	if op := sc.of(&sc.Schemes[scheme]); sc.byLoad {
		return op.ByLoad
	} else {
		return sc.overTime(op.Series)
	}
}

// scale is the range of an axis: from zero, unless only where there is something.
func scale(low, high float64, zoom bool) (from, to float64) {
	if !zoom {
		return 0, high * 1.02
	}
	room := math.Max((high-low)*0.05, high*0.005)
	return math.Max(0, low-room), high + room
}

func drawYAxis(a, inner area, low, high float64) {
	list, places := ticks(low, high, max(2, inner.h/4))
	for y := range inner.h {
		a.put(leftOf-1, y, frame, "│")
	}
	rows := newPlotRows(inner.h, low, high)
	for _, v := range list {
		y := rows(v)
		for x := range inner.w {
			if x%2 == 0 {
				inner.put(x, y, frame, "·")
			}
		}
		a.put(leftOf-1, y, frame, "┤")
		a.right(leftOf-2, y, faint, number(v, places))
	}
}

// newPlotRows gives the row of a value.
func newPlotRows(h int, low, high float64) func(float64) int {
	p := &plot{area: area{h: h}, low: low, high: high}
	return func(v float64) int { return p.level(v) / 4 }
}

func drawXAxis(a, inner area, sc *scene) {
	y := inner.h
	a.fill(leftOf-1, y, inner.w+1, frame, "─")
	a.put(leftOf-1, y, frame, "└")
	if sc.byLoad {
		list, places := ticks(sc.LoadFrom, sc.LoadTo, inner.w/12)
		for _, v := range list {
			drawTick(a, leftOf+int((v-sc.LoadFrom)/(sc.LoadTo-sc.LoadFrom)*float64(inner.w-1)+0.5), y, number(v, max(places, 1)))
		}
		return
	}
	end := sc.end()
	span := end - sc.Begin
	if span <= 0 {
		return
	}
	step := timeStep(span, inner.w/12)
	for t := (sc.Begin + step - 1) / step * step; t <= end; t += step {
		drawTick(a, leftOf+int(float64(t-sc.Begin)/float64(span)*float64(inner.w-1)+0.5), y, clock(t.Round(time.Second)))
	}
}

func drawTick(a area, x, y int, text string) {
	a.put(x, y, frame, "┴")
	if at := x - len(text)/2; at+len(text) <= a.w {
		a.text(max(at, 0), y+1, faint, text)
	}
}

// drawLines draws the schemes' lines, the selected one above all, with their letters on them and
// at their ends: colours alone would not tell them apart.
func drawLines(a area, p *plot, sc *scene, lines [][]float64) {
	order := append([]int(nil), sc.order...)
	for i, scheme := range order {
		if scheme == sc.selected {
			order = append(append(order[:i:i], order[i+1:]...), scheme)
			break
		}
	}
	for _, scheme := range order {
		st := schemeStyle(scheme)
		if scheme == sc.selected {
			st |= bold
		}
		p.line(lines[scheme], st, mark(scheme))
	}
	p.draw()
	used := make([]int, p.h)
	for i, scheme := range order {
		drawMarks(a, p, lines[scheme], scheme, i, len(order), used)
	}
}

// drawMarks draws a scheme's letter on its line, at places where others have none, and at
// its end.
func drawMarks(a area, p *plot, values []float64, scheme, i, of int, used []int) {
	period := max(24, 3*of)
	st := bold | schemeStyle(scheme)
	for x := (i + 1) * period / (of + 1); x < p.w; x += period {
		if v := values[2*x]; !math.IsNaN(v) && of > 1 {
			p.put(x, p.level(v)/4, st, mark(scheme))
		}
	}
	for x := len(values) - 1; x >= 0; x-- {
		if v := values[x]; !math.IsNaN(v) {
			y := p.level(v) / 4
			if used[y] < rightOf-1 {
				a.put(leftOf+x/2+2+used[y], y, st, mark(scheme))
			}
			used[y]++
			return
		}
	}
}
