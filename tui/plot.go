package tui

import (
	"math"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/workloads/live"
)

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

// dotBits are the bits of a braille cell's dots, by column and row.
var dotBits = [2][4]uint8{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}

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

// line draws values from left to right, two in each cell, with a step where they change. NaN is a gap.
func (p *plot) line(values []float64, st style, letter string) {
	before := -1
	for x, v := range values {
		if math.IsNaN(v) {
			before = -1
			continue
		}
		y := p.level(v)
		from := either(before < 0, y, before)
		p.column(x, min(from, y), max(from, y), st, letter)
		before = y
	}
}

// column draws the dots of a column from one row to another.
func (p *plot) column(x, from, to int, st style, letter string) {
	for y := from; y <= to; y++ {
		d := &p.dots[y/4*p.w+x/2]
		*d = dots{d.bits | dotBits[x%2][y%4], st, letter}
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

// ticks returns a few round values from low to high, and their decimals.
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

// rates returns the rates of a series in n bins, each a mean that includes reach bins on either
// side; NaN before the first batch, after the last, and where nothing was done.
func rates(bins []live.Bin, n, reach int) []float64 {
	values, sums := make([]float64, n), make([]live.Bin, len(bins)+1)
	first, last := len(bins), -1
	for i, b := range bins {
		sums[i+1] = live.Bin{Completed: sums[i].Completed + b.Completed, Service: sums[i].Service + b.Service}
		if b.Service > 0 {
			first, last = min(first, i), i
		}
	}
	for i := range values {
		from, to := i*len(bins)/n, max(i*len(bins)/n+1, (i+1)*len(bins)/n)
		if values[i] = math.NaN(); to > first && from <= last {
			a, b := sums[max(0, from-reach)], sums[min(len(bins), to+reach)]
			values[i] = live.Bin{Completed: b.Completed - a.Completed, Service: b.Service - a.Service}.Mops()
		}
	}
	return values
}

// bridge fills gaps that exist only because batches are further apart than bins. Longer gaps stay.
func bridge(values []float64) {
	done, first, last := 0, len(values), 0
	for i, v := range values {
		if !math.IsNaN(v) {
			done, first, last = done+1, min(first, i), i
		}
	}
	longest := 3*(last-first)/max(done, 1) + 1
	for i := first + 1; i < last; i++ {
		next := i
		for math.IsNaN(values[next]) {
			next++
		}
		for fill := next-i <= longest; i < next; i++ {
			if fill {
				values[i] = values[i-1]
			}
		}
	}
}

// axis returns the range of values to show: from zero, or zoomed. It is empty without values.
func axis(zoom bool, values []float64) (from, to float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	if !zoom {
		return 0, high * 1.02
	}
	room := max((high-low)*0.05, high*0.005)
	return max(0, low-room), high + room
}

// usual is a little above the 95th percentile, so that a few outliers do not flatten a sparkline.
func usual(values []float64) float64 {
	list := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return min(list[len(list)-1], 1.1*list[len(list)*19/20])
}

// drawSpark draws a bar for each value. A bar that is higher than the area ends in a point.
func drawSpark(a area, st style, values []float64, low, high float64) {
	if !(high > low) {
		return
	}
	bridge(values)
	for i, v := range values {
		values[i] = max((v-low)/(high-low), 1e-9) // or NaN
	}
	drawBars(a, a.h, a.h, st, values)
	for i, part := range values {
		if math.Round(part*float64(8*a.h)) > float64(8*a.h) {
			a.put(i*a.w/len(values), 0, st, "▴")
		}
	}
}

// eighths are bars that grow upwards; across are bars that grow to the right.
var (
	eighths = [...]string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
	across  = [...]string{" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"}
)

// fine is how many bars fit in a cell: two of dots, where the height makes up for the fewer levels of a line.
func fine(c *canvas, height int) int { return either(height >= 3 && !c.ascii, 2, 1) }

// drawBars draws parts of a height upwards from line bottom: one in each cell, or two with dots. NaN is a gap.
func drawBars(a area, bottom, height int, st style, parts []float64) {
	if len(parts) <= a.w {
		for x, part := range parts {
			for n, y := level(part, 8*height), bottom-1; n > 0; n, y = n-8, y-1 {
				a.put(x, y, st, eighths[min(n, 8)])
			}
		}
		return
	}
	p := &plot{area: a.rows(bottom-height, height), dots: make([]dots, a.w*height)}
	for x, part := range parts[:2*a.w] {
		p.column(x, 4*height-level(part, 4*height), 4*height-1, st, "")
	}
	p.draw()
}

// level is a part of a number of levels: at least one if it is above 0; of NaN, none.
func level(part float64, levels int) int {
	if !(part > 0) {
		return 0
	}
	return max(int(math.Round(min(part, 1)*float64(levels))), 1)
}

func meter(n int, part float64) string {
	full := either(n > 0, level(part, 8*n), 0)
	text := strings.Repeat("█", full/8)
	if rest := full % 8; rest > 0 {
		text += across[rest]
	}
	return text + strings.Repeat("░", n-(full+7)/8)
}
