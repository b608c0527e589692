package tui

import (
	"fmt"
	"math"
	"time"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// drawLatency draws the times of batches on one logarithmic axis; in an open loop, also their response times.
func drawLatency(a area, sc *scene) {
	more := either(sc.Rate > 0, "; responses: from when each was due", "")
	a.part(0, 0, a.w-1, 1).text(1, 0, bold, "service times of batches, "+opText(sc.View.Op)+more)
	body := a.rows(2, a.h-4)
	l := newLatency(sc, newLanes(sc, a.w-1, clamp(body.h/len(sc.order), either(sc.Rate > 0, 2, 1), 12)))
	drawHead(a.rows(1, 1), l.placed)
	l.draw(body)
	for _, c := range l.placed {
		if c.grows {
			l.drawAxis(a.part(c.x, a.h-2, c.w, 2))
		}
	}
}

type latency struct {
	*lanes
	least, most time.Duration
}

func newLatency(sc *scene, t *lanes) *latency {
	l := &latency{lanes: t, least: math.MaxInt64}
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
	wide := clamp(t.w/5, 16, 35)
	l.placed = place([]column[*row]{
		{titles: []string{""}, least: wide, draw: l.drawName},
		{titles: []string{""}, rank: 1, least: 28, grows: true, draw: l.drawTimes},
		l.figureColumn("batches", 2, func(t *live.Times) string { return count(t.Count) }),
		l.figureColumn("p50", 1, p50),
		l.figureColumn("p99", 2, p99),
		l.figureColumn("p99.9", extra, p999),
		l.figureColumn("most", extra, most),
	}, t.w)
	return l
}

// responsesFrom is the first line of a lane's response times.
func (l *latency) responsesFrom() int { return either(l.sc.Rate > 0, (l.h+1)/2, l.h) }

func (l *latency) drawName(a area, st style, r *row) {
	l.lanes.drawName(a, st, r)
	a.text(3, l.responsesFrom(), faint, "responses")
}

func (l *latency) figureColumn(title string, rank int, figure func(*live.Times) string) column[*row] {
	return column[*row]{titles: []string{title}, rank: rank, least: 8, number: true, draw: func(a area, st style, r *row) {
		for y, t := range map[int]*live.Times{0: &r.op.Times, l.responsesFrom(): &r.op.Responses} {
			if t.Count > 0 {
				a.right(a.w, y, st, figure(t))
			}
		}
	}}
}

func (l *latency) drawTimes(a area, _ style, r *row) {
	half := l.responsesFrom()
	l.drawDistribution(a.rows(0, half), &r.op.Times, schemeStyle(r.index))
	l.drawDistribution(a.rows(half, a.h-half), &r.op.Responses, schemeStyle(r.index))
}

// drawDistribution draws a histogram of times; where there is room, with marks at the median and at p99.
func (l *latency) drawDistribution(a area, t *live.Times, st style) {
	if t.Count == 0 {
		a.text(0, 0, faint, "no batches yet")
		return
	}
	h := a.h
	if h >= 3 {
		h--
		a.fill(0, h, a.w, frame, "─")
		if t.P99 > 0 {
			a.text(l.at(a.w, t.P99), h, warn, "▴99")
		}
		if t.P50 > 0 {
			a.text(l.at(a.w, t.P50), h, bold|accent, "▴50")
		}
	}
	n := a.w * fine(a.c, h)
	density, most, before := make([]float64, n), 0.0, t.Least
	for _, s := range t.Steps {
		from, to := l.at(n, before), l.at(n, s.UpTo)
		for x := from; x <= to; x++ {
			density[x] += float64(s.Count) / float64(to-from+1)
			most = math.Max(most, density[x])
		}
		before = s.UpTo
	}
	for x, v := range density { // by the square root, so that outliers are seen: they matter
		density[x] = math.Sqrt(v / max(most, 1e-300))
	}
	drawBars(a, h, h, st, density)
}

// at is the one of n places on the axis where a time is.
func (l *latency) at(n int, t time.Duration) int {
	part := math.Log(float64(max(t, 1))/float64(l.least)) / math.Log(float64(l.most)/float64(l.least))
	return clamp(int(part*float64(n)), 0, n-1)
}

func (l *latency) drawAxis(a area) {
	if l.most == 0 {
		return
	}
	a.fill(0, 0, a.w, frame, "─")
	last := -100
	for decade := time.Duration(1); decade > 0 && decade <= l.most; decade *= 10 {
		for _, t := range []time.Duration{decade, 2 * decade, 5 * decade} {
			one, unit := unitFor(t)
			x, text := l.at(a.w, t), fmt.Sprintf("%d %s", t/one, unit)
			if t >= l.least && t <= l.most && x-len(text)/2 > last {
				drawTick(a, x, 0, text)
				last = x + len(text)/2 + 1
			}
		}
	}
}
