package tui

import "math"

// plot draws lines with the eight dots of braille cells; in ASCII, with letters.
type plot struct {
	area
	low, high float64 // at the bottom and at the top
	dots      []dots
}

// dots are those of one cell, with the style and the letter of the last line through it.
type dots struct {
	bits   uint8
	style  style
	letter string
}

func newPlot(a area, low, high float64) *plot {
	return &plot{area: a, low: low, high: high, dots: make([]dots, a.w*a.h)}
}

// dotBits are the bits of a braille cell's dots, by column and row.
var dotBits = [2][4]uint8{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}

// braille are the characters of all patterns of eight dots.
var braille = func() (list [256]string) {
	for i := range list {
		list[i] = string(rune(0x2800 + i))
	}
	return list
}()

// level is the row of dots of a value, counted from the top.
func (p *plot) level(v float64) int {
	rows := 4*p.h - 1
	return clamp(int(math.Round(float64(rows)*(1-(v-p.low)/(p.high-p.low)))), 0, rows)
}

func (p *plot) dot(x, y int, st style, letter string) {
	if x < 0 || y < 0 || x >= 2*p.w || y >= 4*p.h {
		return
	}
	d := &p.dots[y/4*p.w+x/2]
	*d = dots{d.bits | dotBits[x%2][y%4], st, letter}
}

// line draws values from left to right, two in each cell, with a step where they change. NaN
// is a gap.
func (p *plot) line(values []float64, st style, letter string) {
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
			p.dot(x, at, st, letter)
		}
		before = y
	}
}

func (p *plot) draw() {
	for i, d := range p.dots {
		switch {
		case d.bits == 0:
		case p.c.ascii:
			p.put(i%p.w, i/p.w, d.style, d.letter)
		default:
			p.put(i%p.w, i/p.w, d.style, braille[d.bits])
		}
	}
}

// ticks are round values from low to high, about so many, and their decimals.
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
