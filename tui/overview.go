package tui

import (
	"math"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// drawOverview draws a lane for each scheme: as tall as all have room, or one line each. The
// selected one can be expanded.
func drawOverview(a area, sc *scene) {
	if noneShown(a, sc) {
		return
	}
	body, n := a.rows(1, a.h-1), len(sc.order)
	t := &lanes{sc: sc, w: a.w, h: clamp(body.h/n, 1, tallest(sc)), times: timesOf(sc), rates: ratePlaces(sc)}
	if sc.expanded {
		t.h = 1
	}
	t.placed = place(t.columns(), t.w)
	t.scale()
	drawHead(a, t.placed)
	if sc.expanded && sc.place() >= 0 {
		t.drawExpanded(body)
		return
	}
	body, from, to := scrolled(body, n, t.h, max(sc.place(), 0))
	for i, scheme := range sc.order[from:to] {
		t.drawLane(body.rows(i*t.h, t.h), scheme)
	}
}

// noneShown reports whether no scheme is shown, and says so.
func noneShown(a area, sc *scene) bool {
	if len(sc.order) > 0 {
		return false
	}
	a.part(0, 0, a.w-1, 1).text(1, 0, faint, either(len(sc.Schemes) == 0, "no schemes yet", "no scheme has "+sc.filter+" in its name: esc shows all"))
	return true
}

// scrolled returns which of n things, of h lines each, are drawn where so that number i is
// seen. If not all have room, the last line says how many more there are.
func scrolled(a area, n, h, i int) (body area, from, to int) {
	body = a
	if n*h > a.h {
		body = a.rows(0, a.h-1)
	}
	from, to = visible(n, max(1, body.h/max(h, 1)), i)
	if n*h > a.h {
		scrollMarks(a, from, n-to)
	}
	return body, from, to
}

// scrollMarks says in the last line how much more there is above and below.
func scrollMarks(a area, above, below int) {
	x := 1
	if above > 0 {
		x = a.text(x, a.h-1, bold|accent, "▴ "+count(uint64(above))+" more") + 2
	}
	if below > 0 {
		a.text(x, a.h-1, bold|accent, "▾ "+count(uint64(below))+" more")
	}
}

// row is a line of the table: a scheme, or one of its operations.
type row struct {
	index  int
	scheme *live.Scheme
	op     *live.Op
	name   string // of the operation; empty: the scheme
}

func (sc *scene) row(scheme int) *row {
	s := &sc.Schemes[scheme]
	return &row{index: scheme, scheme: s, op: sc.of(s)}
}

// lanes is the table of the overview.
type lanes struct {
	sc     *scene
	w, h   int // of a lane
	placed []column[*row]
	rates  int     // decimals of rates
	peak   float64 // of the rates in sparklines
	times  timeFormat
}

// scale finds the common scale of all sparklines, for the width they have got.
func (t *lanes) scale() {
	for i := range t.placed {
		p := &t.placed[i]
		if !p.grows {
			continue
		}
		for _, scheme := range t.sc.order {
			t.peak = math.Max(t.peak, usual(rates(t.sc.overTime(t.sc.row(scheme).op.Series), p.w, 0)))
		}
		p.titles = append([]string{t.sparkTitle()}, p.titles...)
	}
}

// tallest is the height of a lane at most: a line for each operation, and room for a chart.
func tallest(sc *scene) int { return max(8, len(sc.Ops)+3) }

// drawLane draws a scheme: its line, its operations if they have room, and its last note.
func (t *lanes) drawLane(a area, scheme int) {
	a, r := t.sc.lane(a, scheme)
	if r.scheme.State != live.Working {
		drawIdle(a, t.placed[0], r)
		return
	}
	inner := a.rows(0, a.h-min(a.h/3, 1)) // an empty line below a tall lane
	for _, p := range t.placed {
		h := 1
		if p.grows {
			h = max(1, inner.h)
		}
		p.drawCell(a.part(p.x, 0, p.w, h), normal, r)
	}
	used := t.drawOps(inner, r)
	if n := len(r.scheme.Notes); n > 0 && used < inner.h {
		a.part(3, used, a.w/2, 1).text(0, 0, faint, r.scheme.Notes[n-1])
	}
}

// lane is the area of a scheme, which can be clicked, and its row.
func (sc *scene) lane(a area, scheme int) (area, *row) {
	a.clickable(schemeAt(scheme))
	if scheme == sc.selected {
		a = a.marked(chosen)
	}
	return a, sc.row(scheme)
}

// drawOps draws a line for each operation of the scheme, and returns where they end. It draws
// all of them or none: a few would look like all.
func (t *lanes) drawOps(a area, r *row) int {
	list := t.sc.operations(r)
	if len(list) < 2 || len(list) >= a.h {
		return 1
	}
	for i := range list {
		for _, p := range t.placed {
			if !p.grows {
				p.drawCell(a.part(p.x, 1+i, p.w, 1), faint, &list[i])
			}
		}
	}
	return 1 + len(list)
}

// operations are a row for each operation that the scheme has done.
func (sc *scene) operations(r *row) (list []row) {
	for i := range r.scheme.Ops {
		if r.scheme.Ops[i].Batches > 0 {
			list = append(list, row{r.index, r.scheme, &r.scheme.Ops[i], sc.Ops[i]})
		}
	}
	return list
}

func drawIdle(a area, name column[*row], r *row) {
	name.drawCell(a.part(name.x, 0, name.w, 1), normal, r)
	st, text := standing(r.scheme)
	for i, line := range wrap(text, a.w-name.w-gap-1, a.h) {
		a.text(name.w+gap, i, st, line)
	}
}

// standing says why a scheme does not work.
func standing(s *live.Scheme) (style, string) {
	switch s.State {
	case live.Out:
		return faint, "left out: " + s.Why
	case live.Failed:
		return bold | bad, "FAILED: " + s.Why
	}
	return faint, "waits for its table"
}
