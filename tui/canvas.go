package tui

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// cell is one place on the screen. The text of a wide character is in its first cell; the
// text of the second is empty.
type cell struct {
	text  string
	style style
}

// canvas is a screen of cells. What is drawn beyond its edges is not there, so nothing can
// overflow or wrap, whatever is drawn.
type canvas struct {
	w, h  int
	cells []cell
	ascii bool
	hits  []hit
}

// hit is a part of the canvas that can be clicked: a scheme, or what a key does.
type hit struct {
	x, y, w, h int
	scheme     int // -1: none
	action     string
}

var blank = cell{text: " "}

// reset makes the canvas blank, of that size.
func (c *canvas) reset(w, h int) {
	c.w, c.h = max(w, 0), max(h, 0)
	if n := c.w * c.h; cap(c.cells) < n {
		c.cells = make([]cell, n)
	} else {
		c.cells = c.cells[:n]
	}
	for i := range c.cells {
		c.cells[i] = blank
	}
	c.hits = c.hits[:0]
}

// hitAt is what was drawn last at a place, if it can be clicked.
func (c *canvas) hitAt(x, y int) (hit, bool) {
	for i := len(c.hits) - 1; i >= 0; i-- {
		h := c.hits[i]
		if x >= h.x && x < h.x+h.w && y >= h.y && y < h.y+h.h {
			return h, true
		}
	}
	return hit{}, false
}

// row is a row of the canvas.
func (c *canvas) row(y int) []cell { return c.cells[y*c.w : (y+1)*c.w] }

// all is the whole canvas as an area.
func (c *canvas) all() area { return area{c: c, w: c.w, h: c.h} }

// area is a rectangle of a canvas that a pane draws in, by coordinates of its own.
type area struct {
	c          *canvas
	x, y, w, h int
	mark       style // added to the style of all that is drawn
}

// part is a rectangle within the area, cut to what is inside.
func (a area) part(x, y, w, h int) area {
	x0, y0 := min(max(x, 0), a.w), min(max(y, 0), a.h)
	x1, y1 := min(max(x+w, x0), a.w), min(max(y+h, y0), a.h)
	return area{a.c, a.x + x0, a.y + y0, x1 - x0, y1 - y0, a.mark}
}

// rows are so many rows of the area from row y on.
func (a area) rows(y, h int) area { return a.part(0, y, a.w, h) }

// inside is whether a place is in the area.
func (a area) inside(x, y int) bool { return x >= 0 && x < a.w && y >= 0 && y < a.h }

// at is the cell at a place in the area, which must be inside.
func (a area) at(x, y int) *cell { return &a.c.cells[(a.y+y)*a.c.w+a.x+x] }

// put draws a glyph of one cell.
func (a area) put(x, y int, st style, glyph string) {
	if a.c.ascii && len(glyph) > 1 && glyph[0] >= 0x80 {
		glyph = a.c.clean(glyph, 1)
	}
	if a.inside(x, y) {
		a.replace(x, y, cell{glyph, st})
	}
}

// replace puts a cell in place. A wide character of which a half goes is gone.
func (a area) replace(x, y int, c cell) {
	old := a.at(x, y)
	if old.text == "" && x+a.x > 0 {
		a.c.cells[(a.y+y)*a.c.w+a.x+x-1].text = " "
	} else if next := a.x + x + 1; next < a.c.w && a.c.cells[(a.y+y)*a.c.w+next].text == "" {
		a.c.cells[(a.y+y)*a.c.w+next].text = " "
	}
	c.style |= a.mark
	*old = c
}

// marked is the area with a mark on all that is drawn in it; it is blank at first.
func (a area) marked(mark style) area {
	a.mark |= mark
	for y := range a.h {
		a.fill(0, y, a.w, normal, " ")
	}
	return a
}

// clickable says what a click into the area is for.
func (a area) clickable(scheme int, action string) {
	a.c.hits = append(a.c.hits, hit{a.x, a.y, a.w, a.h, scheme, action})
}

// fill draws a glyph over a stretch of a row.
func (a area) fill(x, y, n int, st style, glyph string) {
	for i := range n {
		a.put(x+i, y, st, glyph)
	}
}

// text draws text from x on and returns where it ends. What does not fit is cut.
func (a area) text(x, y int, st style, text string) int {
	for len(text) > 0 {
		glyph, width := a.c.first(text)
		text = text[len(glyph):]
		glyph = a.c.clean(glyph, width)
		if width == 0 {
			continue
		}
		if x+width > a.w && x < a.w { // half a wide character
			return a.w
		}
		a.put(x, y, st, glyph)
		if width == 2 && a.inside(x, y) {
			a.replace(x+1, y, cell{"", st})
		}
		x += width
	}
	return x
}

// right draws text so that it ends before x.
func (a area) right(x, y int, st style, text string) {
	a.text(x-a.c.width(text), y, st, text)
}

// first is the first character of a text that people would call one, and its width.
func (c *canvas) first(text string) (glyph string, width int) {
	if b := text[0]; b < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf) {
		return text[:1], 1
	}
	if r, n := utf8.DecodeRuneInString(text); single(r) && (len(text) == n || text[n] < utf8.RuneSelf) {
		return text[:n], 1
	}
	glyph, width = ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	return glyph, min(width, 2)
}

// single are the characters that are drawn most: lines, blocks and braille, of one cell.
func single(r rune) bool { return r >= 0x2500 && r < 0x2600 || r >= 0x2800 && r < 0x2900 }

// clean is a glyph that does no harm to a terminal, and of ASCII if it has to be. It is as
// wide as before.
func (c *canvas) clean(glyph string, width int) string {
	if len(glyph) == 1 && glyph[0] >= ' ' && glyph[0] < 0x7f {
		return glyph
	}
	if r, _ := utf8.DecodeRuneInString(glyph); r < ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError {
		return "?"
	}
	if plain, ok := inASCII[glyph]; ok && c.ascii {
		return plain
	}
	if c.ascii || width > 0 && tricky(glyph, width) {
		return "??"[:max(width, 1)]
	}
	return glyph
}

// tricky is whether a glyph becomes one with what stands beside it, as marks do, or is not
// as wide on every terminal: then what follows would be drawn elsewhere.
func tricky(glyph string, width int) bool {
	if r, n := utf8.DecodeRuneInString(glyph); n == len(glyph) && (single(r) || r < 0x300) {
		return false
	}
	return ansi.StringWidth(" "+glyph+glyph) != 1+2*width || ansi.StringWidthWc(glyph) != width
}

// width is how many cells a text takes.
func (c *canvas) width(text string) int {
	n := 0
	for len(text) > 0 {
		glyph, width := c.first(text)
		text, n = text[len(glyph):], n+width
	}
	return n
}

// fit is the text in at most so many cells; if something is cut, it ends with an ellipsis.
func (c *canvas) fit(text string, most int) string {
	if c.width(text) <= most {
		return text
	}
	if most <= 0 {
		return ""
	}
	n, rest := 0, text
	for {
		glyph, width := c.first(rest)
		if n+width > most-1 {
			return text[:len(text)-len(rest)] + "…"
		}
		rest, n = rest[len(glyph):], n+width
	}
}
