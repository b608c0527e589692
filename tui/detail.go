package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/live"
)

// drawExpanded draws everything about the selected scheme, and the others in a line each as
// far as there is room.
func (t *lanes) drawExpanded(a area) {
	r, n := t.sc.row(t.sc.selected), len(t.sc.order)
	texts, ops := aboutScheme(r.scheme), t.sc.operations(r)
	if len(ops) != 1 {
		ops = append(ops, row{r.index, r.scheme, &r.scheme.All, "all"})
	}
	others := min(n-1, max(2, a.h-len(texts)-len(ops)-4))
	body := a
	if others < n-1 {
		body = a.rows(0, a.h-1)
	}
	from, to := visible(n, others+1, t.sc.place())
	h := body.h - (to - from)
	y := 0
	for _, scheme := range t.sc.order[from:to] {
		t.drawLane(body.rows(y, 1), scheme)
		y++
		if scheme == t.sc.selected {
			t.drawDetails(body.part(3, y, a.w-4, h), ops, texts)
			y += h
		}
	}
	if others < n-1 {
		scrollMarks(a, from, n-to)
	}
}

// drawDetails draws a scheme's operations, the lines about it, and in the room that is left a
// chart of its rate.
func (t *lanes) drawDetails(a area, ops []row, texts []detail) {
	columns := place(t.operationColumns(), a.w)
	drawHead(a, columns)
	y := 1
	for i := range ops {
		drawRow(a, y, columns, normal, &ops[i])
		y++
	}
	for _, d := range texts {
		if y == a.h-1 {
			a.text(0, y, bold|accent, "▾ more, in a taller terminal")
			return
		}
		a.text(0, y, d.style, d.text)
		y++
	}
	if left := a.rows(y+1, a.h-y-2); left.h >= 6 {
		alone := *t.sc
		alone.order = []int{t.sc.selected}
		drawChart(left, &alone)
	}
}

func (t *lanes) operationColumns() []column[*row] {
	times := func(title string, rank, w int, of func(*live.Op) time.Duration) column[*row] {
		return figures(title, rank, w, func(r *row) string { return span(of(r.op)) })
	}
	list := []column[*row]{
		{titles: []string{"operation"}, rank: 0, least: 9, text: func(st style, r *row) (style, string) { return st, r.name }},
		figures("batches", 6, 7, func(r *row) string { return count(r.op.Batches) }),
		figures("Mop/s now", 5, 9, func(r *row) string { return number(r.op.Now, t.rates) }),
		figures("mean", 1, 7, func(r *row) string { return number(r.op.Mean, t.rates) }),
		figures("time", 4, 5, func(r *row) string { return fmt.Sprintf("%.0f %%", 100*r.op.Share) }),
		figures("failed", 2, 6, func(r *row) string { return count(r.op.Failed) }),
		figures("absent", 7, 6, func(r *row) string { return count(r.op.Missing) }),
		times("p50", 3, 7, func(o *live.Op) time.Duration { return o.Times.P50 }),
		times("p99", 3, 7, func(o *live.Op) time.Duration { return o.Times.P99 }),
		times("p99.9", 8, 7, func(o *live.Op) time.Duration { return o.Times.P999 }),
		times("most", 8, 7, func(o *live.Op) time.Duration { return o.Times.Most }),
	}
	if t.sc.Rate > 0 {
		list = append(list, times("responses p50", 4, 13, func(o *live.Op) time.Duration { return o.Responses.P50 }),
			times("p99", 4, 7, func(o *live.Op) time.Duration { return o.Responses.P99 }))
	}
	return list
}

type detail struct {
	style style
	text  string
}

// aboutScheme are the lines about a scheme: its failure, size, counters, notes, parameters.
func aboutScheme(s *live.Scheme) (list []detail) {
	if s.State != live.Working {
		st, text := standing(s)
		list = append(list, detail{st, text})
	}
	list = append(list, detail{normal, fmt.Sprintf("%s pairs, capacity %s, load factor %.3f, %s, %s bytes per key",
		count(s.Size), count(s.Capacity), s.Load, memory(float64(s.Bytes)), number(bytesPerKey(s), 1))})
	var counted []string
	for _, name := range slices.Sorted(maps.Keys(s.PerOp)) {
		counted = append(counted, name+" "+short(s.PerOp[name]))
	}
	if len(counted) > 0 {
		list = append(list, detail{normal, "counted for each operation: " + strings.Join(counted, ", ")})
	}
	for _, note := range s.Notes {
		list = append(list, detail{warn, note})
	}
	return append(list, parameters(s.Name)...)
}

func parameters(name string) (list []detail) {
	config, err := schemes.Parse(name)
	if err != nil {
		return nil
	}
	values := config.Settings()
	for _, p := range config.Params {
		list = append(list, detail{faint, fmt.Sprintf("%-12s %-10s %s", p.Name, values[p.Name], p.Help)})
	}
	return list
}
