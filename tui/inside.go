package tui

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/live"
)

// drawInside draws the gauges of the selected scheme's table, and the counters of instrumented
// kernels.
func drawInside(a area, sc *scene) {
	s := sc.scheme()
	if noneShown(a, sc) || s == nil {
		return
	}
	x := a.text(1, 0, bold|accent, "◂ ")
	x = a.text(x, 0, bold|schemeStyle(sc.selected), mark(sc.selected)+" "+fit(s.Name, a.w-24))
	a.text(x, 0, bold|accent, " ▸")
	a.right(a.w-1, 0, faint, fmt.Sprintf("scheme %d of %d", max(sc.place(), 0)+1, len(sc.order)))
	if st, text := standing(s); s.State != live.Working {
		a.part(0, 1, a.w-1, 1).text(1, 0, st, text)
	}
	cards := cardsOf(s.Gauges, s.PerOp)
	body := a.rows(2, a.h-2)
	if len(cards) == 0 && s.State != live.Failed {
		for i, line := range wrap(nothingInside(sc), a.w-2, body.h) {
			body.text(1, i, faint, line)
		}
		return
	}
	from, total := sc.scroll[onInside], fitCards(cards, body)
	if all := body; total > body.h {
		body = body.rows(0, body.h-1)
		scrollMarks(all, min(from, total-body.h), total-body.h-from)
	}
	from = clamp(from, 0, total-body.h)
	layCards(cards, body.w, func(c *card, x, y, w int) { drawCard(body, c, x, y-from, w, schemeStyle(sc.selected)) })
}

func nothingInside(sc *scene) string {
	return "no gauges were read yet: they are read between batches" + either(sc.Counted, "", ". Probes and other counters need --count.")
}

func extentInside(a area, sc *scene) (lines, seen int) {
	s := sc.scheme()
	if s == nil {
		return 0, a.h
	}
	body := a.rows(2, a.h-2)
	return fitCards(cardsOf(s.Gauges, s.PerOp), body), body.h
}

// card is a gauge as it is drawn, or several of a single number.
type card struct {
	title, help string
	bars        []schemes.Bar
	numbers     bool    // of different kinds, without a common scale
	columns     bool    // many bars, which stand side by side
	tall        int     // lines of the chart with columns
	most        float64 // of the bars
	label       int     // width
}

// cardsOf are the cards of a scheme: single numbers, then charts, then counters.
func cardsOf(gauges []schemes.Reading, perOp map[string]float64) (list []*card) {
	single, counted := &card{title: "numbers", numbers: true}, &card{title: "counted for each operation", numbers: true}
	for _, g := range gauges {
		title := g.Name
		if g.Unit != "" && g.Unit != g.Name {
			title += ", " + g.Unit
		}
		if len(g.Bars) == 1 {
			b := g.Bars[0]
			b.Label = title
			single.bars = append(single.bars, b)
			continue
		}
		list = append(list, &card{title: title, help: g.Help, bars: g.Bars, columns: len(g.Bars) > mostRows})
	}
	for _, name := range slices.Sorted(maps.Keys(perOp)) {
		counted.bars = append(counted.bars, schemes.Bar{Label: name, Value: perOp[name]})
	}
	if single.bars != nil {
		list = append([]*card{single}, list...)
	}
	if counted.bars != nil {
		list = append(list, counted)
	}
	for _, c := range list {
		for _, b := range c.bars {
			c.most, c.label = max(c.most, b.Value, b.Of), max(c.label, len(b.Label))
		}
	}
	return list
}

// mostRows is how many bars are drawn one below the other; more stand side by side.
const mostRows = 12

// height is the lines of a card, with an empty one below.
func (c *card) height() int {
	h := len(c.bars) + 2
	if c.columns {
		h = c.tall + 4
	}
	if c.help != "" {
		h++
	}
	return h
}

const (
	cardWidth = 46
	leastTall = 5
	mostTall  = 14
)

// fitCards makes charts as tall as all cards have room for, and returns the lines they take.
func fitCards(cards []*card, body area) (total int) {
	for tall := mostTall; tall >= leastTall; tall-- {
		for _, c := range cards {
			c.tall = tall
		}
		if total = layCards(cards, body.w, func(*card, int, int, int) {}); total <= body.h {
			break
		}
	}
	return total
}

// layCards gives each card its place, in columns of about the same height, and returns the
// height of the highest column.
func layCards(cards []*card, w int, at func(c *card, x, y, w int)) int {
	heights := make([]int, clamp(len(cards), 1, max(w/cardWidth, 1)))
	wide := w / len(heights)
	for _, c := range cards {
		column := slices.Index(heights, slices.Min(heights))
		at(c, column*wide, heights[column], wide-2)
		heights[column] += c.height()
	}
	return slices.Max(heights)
}
