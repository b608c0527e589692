package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/live"
)

func drawInside(a area, sc *scene) {
	s := &sc.Schemes[sc.selected]
	x := a.text(1, 0, bold|accent, "◂ ")
	x = a.text(x, 0, bold|schemeStyle(sc.selected), mark(sc.selected)+" "+fit(s.Name, a.w-24))
	a.text(x, 0, bold|accent, " ▸")
	a.right(a.w-1, 0, faint, fmt.Sprintf("scheme %d of %d", max(sc.place(), 0)+1, len(sc.order)))
	if st, text := standing(s); s.State != live.Working {
		a.part(0, 1, a.w-1, 1).text(1, 0, st, text)
	}
	cards, body := cardsOf(s), a.rows(2, a.h-2)
	if len(cards) == 0 && s.State != live.Failed {
		text := "no gauges were read yet: they are read between batches" +
			either(sc.Counted, "", ". Probes and other counters need --count.")
		body.lines(1, 0, faint, wrap(text, a.w-2, body.h)...)
		return
	}
	total, marks := fitCards(cards, body), body
	if total > body.h {
		body = body.rows(0, body.h-1)
	}
	a.c.hidden = total - body.h
	from := clamp(sc.scroll[onInside], 0, a.c.hidden)
	scrollMarks(marks, from, a.c.hidden-from)
	layCards(cards, body.w, func(c *card, x, y, w int) { c.draw(body.part(x+1, 0, w-1, body.h), y-from, schemeStyle(sc.selected)) })
}

// card is a gauge as drawn, or all gauges that are a single number.
type card struct {
	title, help string
	bars        []schemes.Bar
	numbers     bool // of different kinds, without a common scale
	tall        int  // lines of a chart
}

func cardsOf(s *live.Scheme) (list []*card) {
	single, counted := &card{title: "numbers", numbers: true}, &card{title: "counted for each operation", numbers: true}
	list = append(list, single)
	for _, g := range s.Gauges {
		title := g.Name
		if g.Unit != "" && g.Unit != g.Name {
			title += ", " + g.Unit
		}
		if len(g.Bars) == 1 {
			single.bars = append(single.bars, schemes.Bar{Label: title, Value: g.Bars[0].Value, Of: g.Bars[0].Of})
		} else {
			list = append(list, &card{title: title, help: g.Help, bars: g.Bars})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.PerOp)) {
		counted.bars = append(counted.bars, schemes.Bar{Label: name, Value: s.PerOp[name]})
	}
	return slices.DeleteFunc(append(list, counted), func(c *card) bool { return c.numbers && c.bars == nil })
}

// columns reports whether the bars stand side by side, because there are too many for rows.
func (c *card) columns() bool { return !c.numbers && len(c.bars) > 12 }

// height is the number of lines of a card, with an empty one below.
func (c *card) height() int {
	return either(c.columns(), c.tall+2, len(c.bars)) + either(c.help == "", 2, 3)
}

// fitCards makes the charts as tall as fits, and returns how many lines all cards take.
func fitCards(cards []*card, body area) (total int) {
	const least, most = 5, 14
	for tall := most; tall >= least; tall-- {
		for _, c := range cards {
			c.tall = tall
		}
		if total = layCards(cards, body.w, func(*card, int, int, int) {}); total <= body.h {
			break
		}
	}
	return total
}

// layCards gives each card its place, in columns of similar height, and returns the largest height.
func layCards(cards []*card, w int, at func(c *card, x, y, w int)) int {
	const least = 46 // of a column
	heights := make([]int, clamp(len(cards), 1, max(w/least, 1)))
	wide := w / len(heights)
	for _, c := range cards {
		column := slices.Index(heights, slices.Min(heights))
		at(c, column*wide, heights[column], wide-2)
		heights[column] += c.height()
	}
	return slices.Max(heights)
}

// draw draws a card at line y, which may lie outside the area.
func (c *card) draw(a area, y int, st style) {
	a.text(0, y, bold, c.title)
	y++
	if c.help != "" {
		a.text(0, y, faint, c.help)
		y++
	}
	most, label := 0.0, 0
	for _, b := range c.bars {
		most, label = max(most, b.Value, b.Of), max(label, len(b.Label))
	}
	if c.columns() {
		c.drawColumns(a, y, st, most)
		return
	}
	label = min(label, a.w/2)
	for i, b := range c.bars {
		a.text(0, y+i, normal, fit(b.Label, label))
		c.drawValue(a.part(label+1, 0, a.w-label-1, a.h), y+i, st, b, most)
	}
}

// drawValue draws a number, and a bar where there is something to compare it with.
func (c *card) drawValue(a area, y int, st style, b schemes.Bar, most float64) {
	const figures = 16
	text, n := short(b.Value), max(a.w-figures-1, 0)
	if b.Of > 0 {
		text += " of " + short(b.Of)
		a.text(figures+1, y, st, meter(n, b.Value/b.Of))
	} else if !c.numbers && most > 0 {
		a.text(figures+1, y, st, strings.TrimRight(meter(n, b.Value/most), "░"))
	}
	a.right(figures, y, normal, text)
}

// drawColumns draws bars side by side. With more bars than cells, a cell shows the highest of its bars.
func (c *card) drawColumns(a area, y int, st style, most float64) {
	const left = 7
	n := len(c.bars)
	cells := min(n*max(1, (a.w-left)/n), a.w-left)
	if cells < 1 {
		return
	}
	a.right(left-1, y, faint, short(most))
	a.right(left-1, y+c.tall-1, faint, "0")
	for x := range cells {
		v := 0.0
		for _, b := range c.bars[x*n/cells : max((x+1)*n/cells, x*n/cells+1)] {
			v = max(v, b.Value)
		}
		drawBarUp(a, left+x, y+c.tall, c.tall, st, v/max(most, 1e-300))
	}
	a.fill(left, y+c.tall, cells, frame, "─")
	end := -1
	for i, b := range c.bars { // as many labels as have room
		if x := left + i*cells/n; x > end && x+len(b.Label) <= a.w {
			end = a.text(x, y+c.tall+1, faint, b.Label)
		}
	}
}
