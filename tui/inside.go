package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/live"
)

// drawInside draws what tables hold: that of the selected scheme, and those before and after it that have room.
func drawInside(a area, sc *scene) {
	list := around(a, sc)
	for n := range 40 { // as large as fits
		if resize(list, n) > a.h {
			resize(list, max(n-1, 0))
			break
		}
	}
	y := 0
	for _, s := range list {
		part := a.rows(y, s.height())
		if len(list) > 1 {
			part.clickable(func(m *Model) { m.selected = s.scheme })
		}
		s.draw(part, sc)
		y += s.height()
	}
}

// around returns the section of the selected scheme, and those around it that have room in a readable size.
func around(a area, sc *scene) []*section {
	const readable = 3
	list, at := []*section{newSection(a, sc, sc.selected)}, sc.place()
	if at < 0 {
		return list
	}
	before := slices.Clone(sc.order[:at])
	slices.Reverse(before)
	for _, scheme := range slices.Concat(sc.order[at+1:], before) {
		more := append(list, newSection(a, sc, scheme))
		if resize(more, readable) > a.h {
			break
		}
		list = more
	}
	slices.SortFunc(list, func(s, other *section) int {
		return slices.Index(sc.order, s.scheme) - slices.Index(sc.order, other.scheme)
	})
	return list
}

// section is the inside of one table: a title, what is wrong with the scheme, and its gauges.
type section struct {
	scheme int
	w      int
	style  style
	lines  []string // below the title
	cards  []*card
}

func newSection(a area, sc *scene, scheme int) *section {
	x := &sc.Schemes[scheme]
	s := &section{scheme: scheme, w: a.w, style: faint, cards: cardsOf(x)}
	switch {
	case x.State != live.Working:
		var text string
		s.style, text = standing(x)
		s.lines = wrap(text, a.w-2, 2)
	case len(s.cards) == 0:
		s.lines = wrap("no gauges were read yet: they are read between batches"+
			either(sc.Counted, "", ". Probes and other counters need --count."), a.w-2, 2)
	}
	return s
}

// resize sets the size of cards, from 0 on, and returns how many lines the sections then take.
func resize(list []*section, size int) (total int) {
	for _, s := range list {
		for _, c := range s.cards {
			c.tall, c.thick = 5+size, 1+min(size/8, 2)
		}
		total += s.height()
	}
	return total
}

func (s *section) height() int {
	h := 1 + len(s.lines) + layCards(s.cards, s.w, func(*card, int, int, int) {})
	return h + either(len(s.cards) == 0, 1, 0)
}

// draw draws a section, or as much of it as its area shows, from where the screen is scrolled to.
func (s *section) draw(a area, sc *scene) {
	s.drawTitle(a, sc)
	a.lines(1, 1, s.style, s.lines...)
	top := 1 + len(s.lines)
	body := a.rows(top, a.h-top).scrolled(s.height()-1-top, sc.scroll[onInside]) // the last line is empty
	layCards(s.cards, a.w, func(c *card, x, y, w int) {
		c.draw(body.part(x+1, y, w-1, c.height()), schemeStyle(s.scheme))
	})
}

func (s *section) drawTitle(a area, sc *scene) {
	here, x := s.scheme == sc.selected, 3
	if here {
		x = a.text(1, 0, bold|accent, "◂ ")
	}
	x = a.text(x, 0, bold|schemeStyle(s.scheme), mark(s.scheme)+" "+fit(sc.Schemes[s.scheme].Name, a.w-24))
	if here {
		a.text(x, 0, bold|accent, " ▸")
		a.right(a.w-1, 0, faint, fmt.Sprintf("scheme %d of %d", max(sc.place(), 0)+1, len(sc.order)))
	}
}

// card is a gauge as drawn, or all gauges that are a single number.
type card struct {
	title, help string
	bars        []schemes.Bar
	numbers     bool // of different kinds, without a common scale
	tall        int  // lines of a chart
	thick       int  // lines of a bar in a row
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
	counted.bars = lists.Map(slices.Sorted(maps.Keys(s.PerOp)), func(name string) schemes.Bar { return schemes.Bar{Label: name, Value: s.PerOp[name]} })
	return slices.DeleteFunc(append(list, counted), func(c *card) bool { return c.numbers && c.bars == nil })
}

// columns reports whether the bars stand side by side, because there are too many for rows.
func (c *card) columns() bool { return !c.numbers && len(c.bars) > 12 }

// height is the number of lines of a card, with an empty one below.
func (c *card) height() int {
	return either(c.columns(), c.tall+2, c.thick*len(c.bars)) + either(c.help == "", 2, 3)
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

func (c *card) draw(a area, st style) {
	a.text(0, 0, bold, c.title)
	a.text(0, 1, faint, c.help)
	y := either(c.help == "", 1, 2)
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
		a.text(0, y+i*c.thick, normal, fit(b.Label, label))
		c.drawValue(a.part(label+1, 0, a.w-label-1, a.h), y+i*c.thick, st, b, most)
	}
}

// drawValue draws a number, and a bar where there is something to compare it with.
func (c *card) drawValue(a area, y int, st style, b schemes.Bar, most float64) {
	const figures = 16
	text, n := short(b.Value), max(a.w-figures-1, 0)
	if b.Of > 0 {
		text += " of " + short(b.Of)
		c.drawBar(a, figures+1, y, st, meter(n, b.Value/b.Of))
	} else if !c.numbers && most > 0 {
		c.drawBar(a, figures+1, y, st, strings.TrimRight(meter(n, b.Value/most), "░"))
	}
	a.right(figures, y, normal, text)
}

func (c *card) drawBar(a area, x, y int, st style, bar string) {
	for i := range c.thick {
		a.text(x, y+i, st, bar)
	}
}

// drawColumns draws bars side by side. With more bars than room, one shows the highest of several.
func (c *card) drawColumns(a area, y int, st style, most float64) {
	const left = 7
	n := len(c.bars)
	cells := min(n*max(1, (a.w-left)/n), a.w-left)
	if cells < 1 {
		return
	}
	a.right(left-1, y, faint, short(most))
	a.right(left-1, y+c.tall-1, faint, "0")
	parts := make([]float64, cells*either(n > cells, fine(a.c, c.tall), 1))
	for x := range parts {
		for _, b := range c.bars[x*n/len(parts) : max((x+1)*n/len(parts), x*n/len(parts)+1)] {
			parts[x] = max(parts[x], b.Value/max(most, 1e-300))
		}
	}
	drawBars(a.part(left, 0, cells, a.h), y+c.tall, c.tall, st, parts)
	a.fill(left, y+c.tall, cells, frame, "─")
	end := -1
	for i, b := range c.bars { // as many labels as have room
		if x := left + i*cells/n; x > end && x+len(b.Label) <= a.w {
			end = a.text(x, y+c.tall+1, faint, b.Label)
		}
	}
}
