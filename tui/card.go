package tui

import (
	"math"

	"github.com/hashzoo/hashzoo/schemes"
)

// drawCard draws a card at a line of an area that may be above or below it.
func drawCard(a area, c *card, x, y, w int, st style) {
	a = a.part(x+1, 0, w-1, a.h)
	a.text(0, y, bold, a.c.fit(c.title, a.w))
	y++
	if c.help != "" {
		a.text(0, y, faint, a.c.fit(c.help, a.w))
		y++
	}
	if c.columns {
		drawColumns(a, c, y, st)
		return
	}
	label := min(c.label, a.w/2)
	for i, b := range c.bars {
		a.text(0, y+i, normal, a.c.fit(b.Label, label))
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
		drawBar(a, figures+1, y, n, st, b.Value/c.most)
	}
}

// drawBar draws a bar of at most n cells.
func drawBar(a area, x, y, n int, st style, part float64) {
	full := int(math.Round(math.Min(math.Max(part, 0), 1) * float64(8*n)))
	if part > 0 && full == 0 {
		full = 1
	}
	a.fill(x, y, full/8, st, "█")
	if full%8 > 0 {
		a.put(x+full/8, y, st, across[full%8])
	}
}

// drawColumns draws the bars of a card side by side: as many cells wide as there is room, and
// where there are more bars than cells, the highest of those that share one.
func drawColumns(a area, c *card, y int, st style) {
	n := len(c.bars)
	wide := max(1, (a.w-7)/n)
	cells := min(n*wide, a.w-7)
	if cells < 1 {
		return
	}
	heights := make([]float64, cells)
	for i := range heights {
		for _, b := range c.bars[i*n/cells : max((i+1)*n/cells, i*n/cells+1)] {
			heights[i] = math.Max(heights[i], b.Value)
		}
	}
	a.right(6, y, faint, short(c.most))
	a.right(6, y+c.tall-1, faint, "0")
	for x, v := range heights {
		level := int(math.Round(v / math.Max(c.most, 1e-300) * 8 * float64(c.tall)))
		if v > 0 {
			level = max(level, 1)
		}
		for row := c.tall - 1; row >= 0 && level > 0; row-- {
			a.put(7+x, y+row, st, eighths[min(level, 8)])
			level -= 8
		}
	}
	a.fill(7, y+c.tall, cells, frame, "─")
	drawLabels(a, c, y+c.tall+1, cells)
}

// drawLabels draws as many labels of columns as have room. The height of a card counts the
// line.
func drawLabels(a area, c *card, y, cells int) {
	n, end := len(c.bars), -1
	for i, b := range c.bars {
		if x := 7 + i*cells/n; x > end && x+len(b.Label) <= a.w {
			a.text(x, y, faint, b.Label)
			end = x + len(b.Label)
		}
	}
}
