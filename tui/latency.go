package tui

import (
	"fmt"
	"math"
	"time"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// drawLatency draws the times of each scheme's batches on one logarithmic axis; in an open
// loop, also the times from when they were due.
func drawLatency(a area, sc *scene) {
	if noneShown(a, sc) {
		return
	}
	title, least := "service times of batches, "+opText(sc.View.Op), 1
	if sc.Rate > 0 {
		title, least = title+"; responses: from when each was due", 2
	}
	a.part(0, 0, a.w-1, 1).text(1, 0, bold, title)
	l := newLatency(a, sc)
	body, n := a.rows(2, a.h-4), len(sc.order)
	h := clamp(body.h/n, least, 8)
	body, from, to := scrolled(body, n, h, max(sc.place(), 0))
	for i, scheme := range sc.order[from:to] {
		l.drawScheme(body.rows(i*h, h), scheme)
	}
	l.drawAxis(a.rows(a.h-2, 2))
	l.drawFigures(a.rows(1, 1), faint, func(f figure) string { return f.name })
}

// latency is the axis of times, and where it is drawn.
type latency struct {
	sc          *scene
	least, most time.Duration
	x, w        int // of the distributions
	figures     []figure
}

// figure is a column of times at the right.
type figure struct {
	name string
	of   func(*live.Times) time.Duration
}

var timeFigures = []figure{
	{"p50", func(t *live.Times) time.Duration { return t.P50 }},
	{"p99", func(t *live.Times) time.Duration { return t.P99 }},
	{"p99.9", func(t *live.Times) time.Duration { return t.P999 }},
	{"most", func(t *live.Times) time.Duration { return t.Most }},
}

const figureWidth = 10

func newLatency(a area, sc *scene) *latency {
	l := &latency{sc: sc, least: math.MaxInt64, x: clamp(a.w/5, 17, 36)}
	l.figures = timeFigures[:clamp((a.w-l.x-30)/figureWidth, 2, len(timeFigures))]
	l.w = a.w - l.x - 1 - len(l.figures)*figureWidth
	for _, i := range sc.order {
		op := sc.row(i).op
		for _, t := range []*live.Times{&op.Times, &op.Responses} {
			if t.Count > 0 {
				l.least, l.most = min(l.least, max(t.Least, 1)), max(l.most, t.Most)
			}
		}
	}
	if l.most < 2*l.least { // on a narrower axis, noise looks like a difference
		middle := float64(l.least) * math.Sqrt(float64(l.most)/float64(l.least))
		l.least, l.most = time.Duration(middle/math.Sqrt2), time.Duration(middle*math.Sqrt2)
	}
	return l
}

func (l *latency) place(t time.Duration) int {
	part := math.Log(float64(max(t, 1))/float64(l.least)) / math.Log(float64(l.most)/float64(l.least))
	return clamp(int(part*float64(l.w)), 0, l.w-1)
}

func (l *latency) drawFigures(a area, st style, text func(figure) string) {
	for i, f := range l.figures {
		a.right(l.x+l.w+(i+1)*figureWidth, 0, st, text(f))
	}
}

func (l *latency) drawScheme(a area, scheme int) {
	a, r := l.sc.lane(a, scheme)
	drawName(a.part(0, 0, l.x-1, 1), normal, l.sc, r)
	if r.scheme.State != live.Working {
		st, text := standing(r.scheme)
		a.text(l.x, 0, st, text)
		return
	}
	half := a.h
	if l.sc.Rate > 0 {
		half = (a.h + 1) / 2
		a.text(3, half, faint, "responses")
	}
	l.drawTimes(a.rows(0, half), &r.op.Times, schemeStyle(scheme))
	l.drawTimes(a.rows(half, a.h-half), &r.op.Responses, schemeStyle(scheme))
}

// drawTimes draws a distribution and its figures; where there is room, with marks at the
// median and at p99.
func (l *latency) drawTimes(a area, t *live.Times, st style) {
	if a.h < 1 {
		return
	}
	if t.Count == 0 {
		a.text(l.x, 0, faint, "no batches yet")
		return
	}
	l.drawFigures(a, normal, func(f figure) string { return span(f.of(t)) })
	h := a.h
	if h >= 3 {
		h--
		a.fill(l.x, h, l.w, frame, "─")
		a.text(l.x+l.place(t.P99), h, warn, "▴99")
		a.text(l.x+l.place(t.P50), h, bold|accent, "▴50")
	}
	density := make([]float64, l.w)
	before, most := t.Least, 0.0
	for _, s := range t.Steps {
		from, to := l.place(before), l.place(s.UpTo)
		for x := from; x <= to; x++ {
			density[x] += float64(s.Count) / float64(to-from+1)
			most = math.Max(most, density[x])
		}
		before = s.UpTo
	}
	drawDensity(a.part(l.x, 0, l.w, h), st, density, most)
}

// drawDensity draws columns by the square root, so that outliers are seen: they matter.
func drawDensity(a area, st style, density []float64, most float64) {
	for x, v := range density {
		drawBarUp(a, x, a.h, a.h, st, math.Sqrt(v/max(most, 1e-300)))
	}
}

func (l *latency) drawAxis(a area) {
	if l.most == 0 {
		return
	}
	a.fill(l.x, 0, l.w, frame, "─")
	last := -100
	for decade := time.Duration(1); decade > 0 && decade <= l.most; decade *= 10 {
		for _, t := range []time.Duration{decade, 2 * decade, 5 * decade} {
			one, unit := unitFor(t)
			x, text := l.x+l.place(t), fmt.Sprintf("%d %s", t/one, unit)
			if t >= l.least && t <= l.most && x-len(text)/2 > last {
				drawTick(a, x, 0, text)
				last = x + len(text)/2 + 1
			}
		}
	}
}
