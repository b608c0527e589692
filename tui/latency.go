package tui

import (
	"fmt"
	"math"
	"time"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// drawLatency draws for each scheme how long its batches took, on one axis of times on which
// each step is longer by the same factor, and in an open loop how long they took from when they were
// due.
func drawLatency(a area, sc *scene) {
	if noneShown(a, sc) {
		return
	}
	open := sc.Rate > 0
	title := "service times of batches, " + opText(sc.View.Op)
	if open {
		title += "; responses: from when each was due"
	}
	a.text(1, 0, bold, a.c.fit(title, a.w-2))
	l := newLatency(a, sc)
	body := a.rows(2, a.h-4)
	n, least := len(sc.order), 1
	if open {
		least = 2
	}
	h := min(max(body.h/n, least), 8)
	body, from, to := scrolled(body, n, h, max(sc.place(), 0))
	for i, scheme := range sc.order[from:to] {
		l.drawScheme(body.rows(i*h, h), scheme, open)
	}
	l.drawAxis(a.rows(a.h-2, 2))
	l.drawHead(a.rows(1, 1))
}

// latency is the axis of times, and where it is drawn.
type latency struct {
	sc          *scene
	least, most time.Duration
	x, w        int // of the distributions
	figures     int // how many figures there are at the right
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

const figureWidth = 9

func newLatency(a area, sc *scene) *latency {
	l := &latency{sc: sc, least: math.MaxInt64, x: min(max(17, a.w/5), 36)}
	l.figures = min(max((a.w-l.x-30)/(figureWidth+1), 2), len(timeFigures))
	l.w = a.w - l.x - 1 - l.figures*(figureWidth+1)
	for _, i := range sc.order {
		op := sc.of(&sc.Schemes[i])
		for _, t := range []*live.Times{&op.Times, &op.Responses} {
			if t.Count > 0 {
				l.least, l.most = min(l.least, max(t.Least, 1)), max(l.most, t.Most)
			}
		}
	}
	if l.most < 2*l.least { // never so narrow an axis that noise looks like a difference
		middle := float64(l.least) * math.Sqrt(float64(l.most)/float64(l.least))
		l.least, l.most = time.Duration(middle/math.Sqrt2), time.Duration(middle*math.Sqrt2)
	}
	return l
}

// place is where a time is on the axis.
func (l *latency) place(t time.Duration) int {
	part := math.Log(float64(max(t, 1))/float64(l.least)) / math.Log(float64(l.most)/float64(l.least))
	return min(max(int(part*float64(l.w)), 0), l.w-1)
}

func (l *latency) drawHead(a area) {
	for i, f := range timeFigures[:l.figures] {
		a.right(l.x+l.w+1+(i+1)*(figureWidth+1)-1, 0, faint, f.name)
	}
}

func (l *latency) drawScheme(a area, scheme int, open bool) {
	s := &l.sc.Schemes[scheme]
	a.clickable(scheme, "")
	if scheme == l.sc.selected {
		a = a.marked(chosen)
	}
	drawName(a.part(0, 0, l.x-1, 1), normal, l.sc, &row{index: scheme, scheme: s, op: l.sc.of(s)})
	if s.State != live.Working {
		st, text := standing(s)
		a.text(l.x, 0, st, a.c.fit(text, a.w-l.x))
		return
	}
	op := l.sc.of(s)
	if !open {
		l.drawTimes(a, &op.Times, schemeStyle(scheme))
		return
	}
	half := (a.h + 1) / 2
	a.text(3, half, faint, "responses")
	l.drawTimes(a.rows(0, half), &op.Times, schemeStyle(scheme))
	l.drawTimes(a.rows(half, a.h-half), &op.Responses, schemeStyle(scheme))
}

// drawTimes draws a distribution, with the median and p99 marked below it if there is
// room, and the figures.
func (l *latency) drawTimes(a area, t *live.Times, st style) {
	if a.h < 1 {
		return
	}
	if t.Count == 0 {
		a.text(l.x, 0, faint, "no batches yet")
		return
	}
	for i, f := range timeFigures[:l.figures] {
		a.right(l.x+l.w+1+(i+1)*(figureWidth+1)-1, 0, normal, span(f.of(t)))
	}
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

// drawDensity draws columns of which the highest is full, and the least that there is can be
// seen: the outliers are what matters.
func drawDensity(a area, st style, density []float64, most float64) {
	for x, v := range density {
		if v <= 0 {
			continue
		}
		level := max(1, int(math.Round(math.Sqrt(v/most)*float64(8*a.h))))
		for y := a.h - 1; y >= 0 && level > 0; y-- {
			a.put(x, y, st, eighths[min(level, 8)])
			level -= 8
		}
	}
}

// drawAxis draws round times below the distributions.
func (l *latency) drawAxis(a area) {
	if l.most == 0 {
		return
	}
	a.fill(l.x, 0, l.w, frame, "─")
	last := -100
	for decade := time.Duration(1); decade > 0 && decade <= l.most; decade *= 10 {
		for _, factor := range []time.Duration{1, 2, 5} {
			t := decade * factor
			if t < l.least || t > l.most {
				continue
			}
			x := l.x + l.place(t)
			if text := tickTime(t); x-len(text)/2 > last {
				drawTick(a, x, 0, text)
				last = x + len(text)/2 + 1
			}
		}
	}
}

// tickTime is a round time with its unit.
func tickTime(t time.Duration) string {
	one, unit := unitFor(t)
	return fmt.Sprintf("%d %s", t/one, unit)
}
