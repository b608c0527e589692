package tui

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	numbers "github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/live"
)

// drawOverview draws a lane for each scheme, as tall as fits, or one line each and the selected one expanded.
func drawOverview(a area, sc *scene) {
	body := a.rows(1, a.h-1)
	t := overview(sc, a.w, either(sc.expanded, 1, body.h/len(sc.order)))
	var rest *lanes
	if !sc.expanded {
		t, rest = t.split(body.h)
	}
	t.scale(a)
	drawHead(a, t.placed)
	switch {
	case sc.expanded && sc.place() >= 0:
		t.drawExpanded(body)
	case rest != nil:
		h := 1 + len(sc.order)
		t.draw(body.rows(0, body.h-h))
		drawHead(body.rows(body.h-h, 1), rest.placed)
		rest.draw(body.rows(body.h-h+1, h-1))
	default:
		t.draw(body)
	}
}

// overview returns the lanes with the columns that fit, of that height if it is of use.
func overview(sc *scene, w, h int) *lanes {
	tallest := max(12, len(sc.Ops)+3) // a line for each operation, and room for a chart
	t := newLanes(sc, w, clamp(h, 1, tallest))
	t.ops = true
	t.placed = place(t.columns(), t.w)
	return t
}

// split returns a second table with the columns that the lanes lack, if there is room below them, and makes room.
func (t *lanes) split(height int) (first, rest *lanes) {
	n := len(t.sc.order)
	low := overview(t.sc, t.w, (height-n-1)/n)
	if lacking := low.lacking(); lacking != nil && height-n-1 >= n*either(t.h >= t.full(), t.full(), 1) {
		rest = newLanes(t.sc, t.w, 1)
		rest.placed, rest.brief = place(lacking, t.w), true
		return low, rest
	}
	return t, nil
}

// lacking returns the first column and those that have no place; nil if these are all a luxury.
func (t *lanes) lacking() (list []column[*row]) {
	matter := false
	for i, c := range t.columns() {
		placed := slices.ContainsFunc(t.placed, func(other column[*row]) bool { return slices.Equal(other.titles, c.titles) })
		if i == 0 || !placed && !c.grows {
			list, matter = append(list, c), matter || i > 0 && c.rank < extra
		}
	}
	return either(matter, list, nil)
}

// scale finds the common scale of all sparklines at their width.
func (t *lanes) scale(a area) {
	i := slices.IndexFunc(t.placed, func(c column[*row]) bool { return c.grows })
	if i < 0 {
		return
	}
	c := &t.placed[i]
	for _, scheme := range t.sc.order {
		t.peak = math.Max(t.peak, usual(rates(t.sc.overTime(t.sc.row(scheme).op.Series), c.w*fine(a.c, t.lines()), 0)))
	}
	of := either(t.sc.zoom, ", each by itself", ", 0 to "+short(t.peak)+" Mop/s")
	c.titles = append([]string{windowText(t.sc.View.Window) + of}, c.titles...)
}

// noneShown reports whether no scheme is shown, and says so.
func noneShown(a area, sc *scene) bool {
	if len(sc.order) > 0 {
		return false
	}
	why := either(len(sc.Schemes) == 0, "no schemes yet", "no scheme has "+sc.filter+" in its name: esc shows all")
	a.part(0, 0, a.w-1, 1).text(1, 0, faint, why)
	return true
}

func (t *lanes) drawExpanded(a area) {
	r, n := t.sc.row(t.sc.selected), len(t.sc.order)
	texts, ops := aboutScheme(r.scheme), t.sc.operations(r)
	if len(ops) != 1 {
		ops = append(ops, row{r.index, r.scheme, &r.scheme.All, "all"})
	}
	others := min(n-1, max(2, a.h-len(texts)-len(ops)-4))
	from, to := visible(n, others+1, t.sc.place())
	body := a
	if others < n-1 {
		scrollMarks(a, from, n-to)
		body = a.rows(0, a.h-1)
	}
	h, y := body.h-(to-from), 0
	for _, scheme := range t.sc.order[from:to] {
		t.drawLane(body.rows(y, 1), scheme)
		y++
		if scheme == t.sc.selected {
			t.drawDetails(body.part(3, y, a.w-4, h), ops, texts)
			y += h
		}
	}
}

func (t *lanes) drawDetails(a area, ops []row, texts pieces) {
	columns := place(t.operationColumns(), a.w)
	drawHead(a, columns)
	for i := range ops {
		drawRow(a.rows(1+i, 1), columns, normal, &ops[i])
	}
	y := 1 + len(ops)
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
	list := []column[*row]{
		texts("operation", 0, 9, 0, func(r *row) string { return r.name }),
		figures("batches", 6, 7, func(r *row) string { return count(r.op.Batches) }),
		t.rateColumn(5, 7, normal, now, "Mop/s now", "Mop/s"),
		t.rateColumn(1, 7, normal, mean, "mean"),
		t.rateColumn(6, 7, normal, median, "median"),
		figures("time", 4, 5, func(r *row) string { return fmt.Sprintf("%.0f %%", 100*r.op.Share) }),
		figures("failed", 2, 6, func(r *row) string { return count(r.op.Failed) }),
		figures("absent", 7, 6, func(r *row) string { return count(r.op.Missing) }),
		figures("hits", 4, 7, func(r *row) string { return percent(float64(r.op.Hits) / float64(r.op.Lookups)) }),
		figures("evicted", 7, 7, func(r *row) string { return count(r.op.Evicted) }),
		timeColumn("p50", 3, service, p50),
		timeColumn("p99", 3, service, p99),
		timeColumn("p99.9", 8, service, p999),
		timeColumn("most", 8, service, most),
	}
	if t.sc.Rate > 0 {
		list = append(list, timeColumn("responses p50", 4, responses, p50), timeColumn("p99", 4, responses, p99))
	}
	return list
}

func aboutScheme(s *live.Scheme) (list pieces) {
	st, text := standing(s)
	list.add(s.State != live.Working, 0, st, "%s", text)
	list.add(true, 0, normal, "%s pairs, capacity %s, load factor %.3f, %s, %s bytes per key",
		count(s.Size), count(s.Capacity), s.Load, numbers.Bytes(s.Bytes), number(bytesPerKey(s), 1))
	counted := lists.Map(slices.Sorted(maps.Keys(s.PerOp)), func(name string) string { return name + " " + short(s.PerOp[name]) })
	list.add(counted != nil, 0, normal, "counted for each operation: %s", strings.Join(counted, ", "))
	for _, note := range s.Notes {
		list.add(true, 0, warn, "%s", note)
	}
	config, err := schemes.Parse(s.Name)
	if err != nil { // a recording may have schemes that this program does not know
		return list
	}
	for _, p := range config.Params {
		list.add(true, 0, faint, "%-12s %-10s %s", p.Name, config.Settings()[p.Name], p.Help)
	}
	return list
}
