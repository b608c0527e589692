package tui

import (
	"math"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// drawOverview draws a lane for each scheme: as tall as there is room for all, and of one
// line where there are many. The selected one can be expanded.
func drawOverview(a area, sc *scene) {
	if noneShown(a, sc) {
		return
	}
	body, n := a.rows(1, a.h-1), len(sc.order)
	t := &lanes{sc: sc, w: a.w, h: min(max(body.h/n, 1), tallest(sc)), times: timesOf(sc)}
	if sc.expanded {
		t.h = 1
	}
	t.measure()
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

// noneShown says so if there is nothing to draw.
func noneShown(a area, sc *scene) bool {
	switch {
	case len(sc.order) > 0:
		return false
	case len(sc.Schemes) > 0:
		a.text(1, 0, faint, a.c.fit("no scheme has "+sc.filter+" in its name: esc shows all", a.w-2))
	default:
		a.text(1, 0, faint, "no schemes yet")
	}
	return true
}

// scrolled is the part of n things, of h lines each, that has room if number i is to be seen,
// and where it is drawn: above a line that says how many more there are, if not all have room.
func scrolled(a area, n, h, i int) (body area, from, to int) {
	if n*h > a.h {
		body = a.rows(0, a.h-1)
	} else {
		body = a
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

// row is what a line of the table is about: a scheme, or one of its operations.
type row struct {
	index  int
	scheme *live.Scheme
	op     *live.Op
	name   string // of the operation; empty: the scheme itself
}

// lanes is the table of the overview: its columns, and what the figures in a column have
// in common.
type lanes struct {
	sc     *scene
	w, h   int // of a lane
	placed []placed[*row]
	rates  int     // decimals
	peak   float64 // of the rates in sparklines
	times  timeFormat
}

// measure finds what the figures have in common, and room for the columns.
func (t *lanes) measure() {
	sc, most := t.sc, 0.0
	for _, i := range sc.order {
		s := &sc.Schemes[i]
		if mean := sc.of(s).Mean; mean > most {
			most = mean
		}
	}
	t.rates = decimals(most)
	t.placed = place(t.columns(), t.w)
	t.scale()
}

// scale finds the scale that all sparklines have, now that it is known how wide they are.
func (t *lanes) scale() {
	for i := range t.placed {
		p := &t.placed[i]
		if !p.grows {
			continue
		}
		for _, scheme := range t.sc.order {
			t.peak = math.Max(t.peak, usual(rates(t.sc.overTime(t.sc.of(&t.sc.Schemes[scheme]).Series), p.w)))
		}
		p.titles = append([]string{t.sparkTitle()}, p.titles...)
	}
}

// tallest is how tall a lane is at most: a line for each operation if there are several,
// and room for a chart.
func tallest(sc *scene) int { return max(8, len(sc.Ops)+3) }

// drawLane draws a scheme: its line, then as there is room its operations, and a note.
func (t *lanes) drawLane(a area, scheme int) {
	s := &t.sc.Schemes[scheme]
	a.clickable(scheme, "")
	if scheme == t.sc.selected {
		a = a.marked(chosen)
	}
	r := &row{index: scheme, scheme: s, op: t.sc.of(s)}
	if s.State != live.Working {
		t.drawIdle(a, r)
		return
	}
	for _, p := range t.placed {
		h := 1
		if p.grows {
			h = max(1, a.h-apart(a.h))
		}
		p.draw(a.part(p.x, 0, p.w, h), normal, r)
	}
	used := t.drawOps(a, r)
	if n := len(s.Notes); n > 0 && used < a.h-apart(a.h) {
		a.text(3, used, faint, a.c.fit(s.Notes[n-1], a.w/2))
	}
}

// apart is how many lines are empty below a lane of so many.
func apart(h int) int { return min(h/3, 1) }

// drawOps draws a line for each operation that the scheme did, and returns where they end.
func (t *lanes) drawOps(a area, r *row) int {
	y, did := 1, 0
	for i := range r.scheme.Ops {
		if r.scheme.Ops[i].Batches > 0 {
			did++
		}
	}
	if did < 2 || y+did > a.h-apart(a.h) { // all of them or none: some would look like all
		return y
	}
	for i := range r.scheme.Ops {
		if r.scheme.Ops[i].Batches == 0 {
			continue
		}
		line := &row{r.index, r.scheme, &r.scheme.Ops[i], t.sc.Ops[i]}
		for _, p := range t.placed {
			if !p.grows {
				p.draw(a.part(p.x, y, p.w, 1), faint, line)
			}
		}
		y++
	}
	return y
}

// drawIdle draws a scheme that does not work: why.
func (t *lanes) drawIdle(a area, r *row) {
	name := t.placed[0]
	name.draw(a.part(name.x, 0, name.w, 1), normal, r)
	st, text := standing(r.scheme)
	x := name.w + gap
	for i, line := range wrap(a.c, text, a.w-x-1, a.h) {
		a.text(x, i, st, line)
	}
}

// standing says what has become of a scheme that does not work.
func standing(s *live.Scheme) (style, string) {
	switch s.State {
	case live.Out:
		return faint, "left out: " + s.Why
	case live.Failed:
		return bold | bad, "FAILED: " + s.Why
	}
	return faint, "waits for its table"
}

// wrap breaks a text into lines, at spaces where it can. What is left after the last line
// is cut.
func wrap(c *canvas, text string, w, most int) (lines []string) {
	for w > 0 && text != "" && len(lines) < most {
		if c.width(text) <= w || len(lines) == most-1 {
			return append(lines, c.fit(text, w))
		}
		n, end, space := 0, 0, 0
		for end < len(text) {
			glyph, width := c.first(text[end:])
			if n += width; n > w {
				break
			}
			if end += len(glyph); glyph == " " {
				space = end
			}
		}
		if space > 0 && text[end] != ' ' {
			end = space
		}
		if end == 0 {
			return lines
		}
		lines = append(lines, text[:end])
		text = text[end:]
		for len(text) > 0 && text[0] == ' ' {
			text = text[1:]
		}
	}
	return lines
}
