package tui

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// drawExpanded draws the selected scheme with all that is known of it, and the others in a
// line each, as far as there is room.
func (t *lanes) drawExpanded(a area) {
	s := t.sc.scheme()
	texts, ops := aboutScheme(s), t.operations(s)
	n := len(t.sc.order)
	others := min(n-1, max(2, a.h-len(texts)-len(ops)-4))
	if others < n-1 {
		a = a.rows(0, a.h-1)
	}
	from, to := visible(n, others+1, t.sc.place())
	h := a.h - (to - from)
	y := 0
	for _, scheme := range t.sc.order[from:to] {
		t.drawLane(a.rows(y, 1), scheme)
		y++
		if scheme == t.sc.selected {
			t.drawDetails(a.part(3, y, a.w-4, h), ops, texts)
			y += h
		}
	}
	if others < n-1 {
		a.h++
		scrollMarks(a, from, n-to)
	}
}

// drawDetails draws a scheme's operations, what else is known of it, and in the room that is left
// its rate.
func (t *lanes) drawDetails(a area, ops []row, texts []detail) {
	columns := place(t.operationColumns(), a.w)
	drawHead(a, columns)
	y := 1
	for i := range ops {
		for _, p := range columns {
			p.draw(a.part(p.x, y, p.w, 1), normal, &ops[i])
		}
		y++
	}
	for _, d := range texts {
		if y == a.h-1 {
			a.text(0, y, bold|accent, "▾ more, in a taller terminal")
			return
		}
		a.text(0, y, d.style, a.c.fit(d.text, a.w))
		y++
	}
	if left := a.rows(y+1, a.h-y-2); left.h >= 6 {
		alone := *t.sc
		alone.order = []int{t.sc.selected}
		drawChart(left, &alone)
	}
}

// operations are a row for each operation that the scheme did, and one for all.
func (t *lanes) operations(s *live.Scheme) (list []row) {
	for i := range s.Ops {
		if s.Ops[i].Batches > 0 {
			list = append(list, row{t.sc.selected, s, &s.Ops[i], t.sc.Ops[i]})
		}
	}
	if len(list) != 1 {
		list = append(list, row{t.sc.selected, s, &s.All, "all"})
	}
	return list
}

// operationColumns are the columns of the operations of one scheme.
func (t *lanes) operationColumns() []column[*row] {
	text := func(title string, rank, w int, of func(*live.Op) string) column[*row] {
		return column[*row]{titles: []string{title}, rank: rank, least: w, number: true,
			draw: func(a area, st style, r *row) { a.right(a.w, 0, st, of(r.op)) }}
	}
	rate := func(v float64) string { return number(v, t.rates) }
	list := []column[*row]{
		{titles: []string{"operation"}, rank: 0, least: 9, draw: func(a area, st style, r *row) { a.text(0, 0, st, a.c.fit(r.name, a.w)) }},
		text("batches", 6, 7, func(o *live.Op) string { return count(o.Batches) }),
		text("Mop/s now", 5, 9, func(o *live.Op) string { return rate(o.Now) }),
		text("mean", 1, 7, func(o *live.Op) string { return rate(o.Mean) }),
		text("time", 4, 5, func(o *live.Op) string { return fmt.Sprintf("%.0f %%", 100*o.Share) }),
		text("failed", 2, 6, func(o *live.Op) string { return count(o.Failed) }),
		text("absent", 7, 6, func(o *live.Op) string { return count(o.Missing) }),
		text("p50", 3, 7, func(o *live.Op) string { return span(o.Times.P50) }),
		text("p99", 3, 7, func(o *live.Op) string { return span(o.Times.P99) }),
		text("p99.9", 8, 7, func(o *live.Op) string { return span(o.Times.P999) }),
		text("most", 8, 7, func(o *live.Op) string { return span(o.Times.Most) }),
	}
	if t.sc.Rate > 0 {
		list = append(list, text("responses p50", 4, 13, func(o *live.Op) string { return span(o.Responses.P50) }),
			text("p99", 4, 7, func(o *live.Op) string { return span(o.Responses.P99) }))
	}
	return list
}

// detail is a line about a scheme.
type detail struct {
	style style
	text  string
}

// aboutScheme are the lines about a scheme: what went wrong, its size, counters, notes,
// parameters.
func aboutScheme(s *live.Scheme) (list []detail) {
	if s.State != live.Working {
		st, text := standing(s)
		list = append(list, detail{st, text})
	}
	list = append(list, detail{normal, fmt.Sprintf("%s pairs, capacity %s, load factor %.3f, %s, %s bytes per key",
		count(s.Size), count(s.Capacity), s.Load, memory(float64(s.Bytes)), number(bytesPerKey(s), 1))})
	if len(s.PerOp) > 0 {
		text := "counted for each operation: "
		for i, name := range slices.Sorted(maps.Keys(s.PerOp)) {
			if i > 0 {
				text += ", "
			}
			text += name + " " + short(s.PerOp[name])
		}
		list = append(list, detail{normal, text})
	}
	for _, note := range s.Notes {
		list = append(list, detail{warn, note})
	}
	for _, p := range parameters(s.Name) {
		list = append(list, detail{faint, fmt.Sprintf("%-12s %-10s %s", p[0], p[1], p[2])})
	}
	return list
}
