package tui

import (
	"math"
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
		value := short(b.Value)
		if b.Of > 0 {
			value += " of " + short(b.Of)
		}
		a.right(label+16, y+i, normal, value)
		if n := a.w - label - 17; n > 3 && c.scaled() {
			most := c.most
			if b.Of > 0 {
				most = b.Of
			}
			drawBar(a, label+17, y+i, n, st, b.Value/most)
		}
	}
}

// scaled is whether bars say something: numbers of different kinds have no common scale.
func (c *card) scaled() bool {
	if c.most <= 0 {
		return false
	}
	for _, b := range c.bars {
		if b.Of > 0 {
			return true
		}
	}
	return c.help != "" || c.title != "numbers"
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
	a.right(6, y+chartHeight-1, faint, "0")
	for x, v := range heights {
		level := int(math.Round(v / math.Max(c.most, 1e-300) * 8 * chartHeight))
		if v > 0 {
			level = max(level, 1)
		}
		for row := chartHeight - 1; row >= 0 && level > 0; row-- {
			a.put(7+x, y+row, st, eighths[min(level, 8)])
			level -= 8
		}
	}
	a.fill(7, y+chartHeight, cells, frame, "─")
	drawLabels(a, c, y+chartHeight+1, cells)
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
