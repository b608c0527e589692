package tui

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/live"
)

// drawInside draws what is in the table of the selected scheme: its gauges, and what
// instrumented kernels counted.
func drawInside(a area, sc *scene) {
	s := sc.scheme()
	if noneShown(a, sc) || s == nil {
		return
	}
	x := a.text(1, 0, bold|accent, "◂ ")
	x = a.text(x, 0, bold|schemeStyle(sc.selected), mark(sc.selected)+" "+a.c.fit(s.Name, a.w-24))
	a.text(x, 0, bold|accent, " ▸")
	a.right(a.w-1, 0, faint, fmt.Sprintf("scheme %d of %d", max(sc.place(), 0)+1, len(sc.order)))
	if st, text := standing(s); s.State != live.Working {
		a.text(1, 1, st, a.c.fit(text, a.w-2))
	}
	cards := cardsOf(s.Gauges, s.PerOp)
	body := a.rows(2, a.h-2)
	if len(cards) == 0 && s.State != live.Failed {
		for i, line := range wrap(a.c, nothingInside(sc), a.w-2, body.h) {
			body.text(1, i, faint, line)
		}
		return
	}
	total := fitCards(cards, body)
	if total > body.h {
		defer func(all area) {
			scrollMarks(all, min(sc.scroll[onInside], total-body.h), max(total-body.h-sc.scroll[onInside], 0))
		}(body)
		body = body.rows(0, body.h-1)
	}
	from := min(sc.scroll[onInside], max(total-body.h, 0))
	layCards(cards, body.w, func(c *card, x, y, w int) { drawCard(body, c, x, y-from, w, schemeStyle(sc.selected)) })
}

func nothingInside(sc *scene) string {
	if sc.Counted {
		return "nothing was read yet: gauges are read between batches"
	}
	return "nothing was read yet: gauges are read between batches. Probes and other counters are there with --count."
}

func extentInside(a area, sc *scene) (lines, seen int) {
	s := sc.scheme()
	if s == nil {
		return 0, a.h
	}
	body := a.rows(2, a.h-2)
	return fitCards(cardsOf(s.Gauges, s.PerOp), body), body.h
}

// fitCards makes charts as tall as there is room for all cards, and returns how many lines they
// take.
func fitCards(cards []*card, body area) (total int) {
	lay := func(tall int) int {
		for _, c := range cards {
			c.tall = tall
		}
		return layCards(cards, body.w, func(*card, int, int, int) {})
	}
	for tall := mostTall; tall > leastTall; tall-- {
		if total = lay(tall); total <= body.h {
			return total
		}
	}
	return lay(leastTall)
}

// card is a gauge, or several of one number each, as it is drawn.
type card struct {
	title, help string
	bars        []schemes.Bar
	numbers     bool    // of different kinds, which have no common scale
	tall        int     // lines of a chart
	columns     bool    // drawn as columns side by side, since there are many
	most        float64 // of the bars
	label       int     // width
}

// cardsOf are the cards of a scheme: numbers together first, then charts, then counters.
func cardsOf(gauges []schemes.Reading, perOp map[string]float64) (list []*card) {
	numbers := &card{title: "numbers", numbers: true}
	for _, g := range gauges {
		if len(g.Bars) == 1 {
			b := g.Bars[0]
			b.Label = g.Name
			if g.Unit != "" && g.Unit != g.Name {
				b.Label += ", " + g.Unit
			}
			numbers.bars = append(numbers.bars, b)
			continue
		}
		title := g.Name
		if g.Unit != "" && g.Unit != g.Name {
			title += ", " + g.Unit
		}
		list = append(list, &card{title: title, help: g.Help, bars: g.Bars, columns: len(g.Bars) > mostRows})
	}
	if numbers.bars != nil {
		list = append([]*card{numbers}, list...)
	}
	if len(perOp) > 0 {
		c := &card{title: "counted for each operation", numbers: true}
		for _, name := range slices.Sorted(maps.Keys(perOp)) {
			c.bars = append(c.bars, schemes.Bar{Label: name, Value: perOp[name]})
		}
		list = append(list, c)
	}
	for _, c := range list {
		c.measure()
	}
	return list
}

// mostRows is how many bars are drawn one below the other; more stand side by side.
const mostRows = 12

func (c *card) measure() {
	for _, b := range c.bars {
		c.most = max(c.most, b.Value, b.Of)
		c.label = max(c.label, len(b.Label))
	}
}

// height is how many lines a card takes, with an empty one below.
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

// layCards gives each card its place, in columns of about the same height, and returns the
// height of the highest.
func layCards(cards []*card, w int, at func(c *card, x, y, w int)) int {
	heights := make([]int, max(1, min(w/cardWidth, len(cards))))
	wide := w / max(len(heights), 1)
	for _, c := range cards {
		column := 0
		for i, h := range heights {
			if h < heights[column] {
				column = i
			}
		}
		at(c, column*wide, heights[column], wide-2)
		heights[column] += c.height()
	}
	return slices.Max(heights)
}
