package tui

import "math"

// plot draws lines with the eight dots of braille cells; with ASCII alone, with letters.
type plot struct {
	area
	low, high float64 // at the bottom and at the top
	dots      []uint8
	styles    []style
	glyphs    []string
}

func newPlot(a area, low, high float64) *plot {
	n := a.w * a.h
	return &plot{area: a, low: low, high: high, dots: make([]uint8, n), styles: make([]style, n), glyphs: make([]string, n)}
}

// dotBits are the bits of a braille cell's dots, by column and row.
var dotBits = [2][4]uint8{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}

// level is the row of dots of a value, counted from the top.
func (p *plot) level(v float64) int {
	rows := 4*p.h - 1
	return min(max(int(math.Round(float64(rows)*(1-(v-p.low)/(p.high-p.low)))), 0), rows)
}

// dot sets a dot; the cell takes the style of the last one that was set in it.
func (p *plot) dot(x, y int, st style, glyph string) {
	if x < 0 || y < 0 || x >= 2*p.w || y >= 4*p.h {
		return
	}
	i := y/4*p.w + x/2
	p.dots[i] |= dotBits[x%2][y%4]
	p.styles[i], p.glyphs[i] = st, glyph
}

// line draws values from left to right, two for each cell, with a step where the value
// changes. Where there is no value there is a gap.
func (p *plot) line(values []float64, st style, glyph string) {
	before := -1
	for x, v := range values {
		if math.IsNaN(v) {
			before = -1
			continue
		}
		y := p.level(v)
		if before < 0 {
			before = y
		}
		for at := min(before, y); at <= max(before, y); at++ {
			p.dot(x, at, st, glyph)
		}
		before = y
	}
}

// draw draws the cells.
func (p *plot) draw() {
	for i, bits := range p.dots {
		if bits == 0 {
			continue
		}
		glyph := braille[bits]
		if p.c.ascii {
			glyph = p.glyphs[i]
		}
		p.put(i%p.w, i/p.w, p.styles[i], glyph)
	}
}

// ticks are round values from low to high, about so many.
func ticks(low, high float64, about int) (list []float64, places int) {
	if !(high > low) || about < 1 {
		return nil, 0
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(about))))
	for _, factor := range []float64{1, 2, 5, 10} {
		if (high-low)/(step*factor) <= float64(about) {
			step *= factor
			break
		}
	}
	places = max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	for i := math.Ceil(low/step - 1e-9); i*step <= high+step*1e-9; i++ {
		list = append(list, i*step+0)
	}
	return list, places
}
