package tui

import (
	"math"
	"strings"

	"github.com/hashzoo/hashzoo/schemes"
)

// drawCard draws a card at line y, which may lie outside the area.
func drawCard(a area, c *card, x, y, w int, st style) {
	a = a.part(x+1, 0, w-1, a.h)
	a.text(0, y, bold, c.title)
	y++
	if c.help != "" {
		a.text(0, y, faint, c.help)
		y++
	}
	if c.columns {
		drawColumns(a, c, y, st)
		return
	}
	label := min(c.label, a.w/2)
	for i, b := range c.bars {
		a.text(0, y+i, normal, fit(b.Label, label))
		c.drawValue(a.part(label+1, 0, a.w-label-1, a.h), y+i, st, b)
	}
}

// drawValue draws a number, and a bar where there is something to compare it with.
func (c *card) drawValue(a area, y int, st style, b schemes.Bar) {
	const figures = 16
	n := a.w - figures - 1
	if b.Of > 0 {
		a.right(figures, y, normal, short(b.Value)+" of "+short(b.Of))
		a.text(figures+1, y, st, meter(max(n, 0), b.Value/b.Of))
		return
	}
	a.right(figures, y, normal, short(b.Value))
	if !c.numbers && c.most > 0 {
		a.text(figures+1, y, st, strings.TrimRight(meter(max(n, 0), b.Value/c.most), "░"))
	}
}

// drawColumns draws the bars of a card side by side. Where there are more bars than cells, a
// cell shows the highest of its bars.
func drawColumns(a area, c *card, y int, st style) {
	const left = 7
	n := len(c.bars)
	wide := max(1, (a.w-left)/n)
	cells := min(n*wide, a.w-left)
	if cells < 1 {
		return
	}
	a.right(left-1, y, faint, short(c.most))
	a.right(left-1, y+c.tall-1, faint, "0")
	for x := range cells {
		v := 0.0
		for _, b := range c.bars[x*n/cells : max((x+1)*n/cells, x*n/cells+1)] {
			v = math.Max(v, b.Value)
		}
		drawBarUp(a, left+x, y+c.tall, c.tall, st, v/math.Max(c.most, 1e-300))
	}
	a.fill(left, y+c.tall, cells, frame, "─")
	end := -1
	for i, b := range c.bars { // as many labels as have room
		if x := left + i*cells/n; x > end && x+len(b.Label) <= a.w {
			a.text(x, y+c.tall+1, faint, b.Label)
			end = x + len(b.Label)
		}
	}
}
