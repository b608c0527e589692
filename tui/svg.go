package tui

import (
	"fmt"
	"html"
	"strings"

	"github.com/charmbracelet/colorprofile"
)

// A cell of a picture, in its units.
const (
	cellWidth  = 8
	cellHeight = 17
	fontSize   = 13
)

// picture is the screen as it was drawn last, as SVG. Blocks, lines and dots are drawn as
// shapes, so that they are the same with every font.
func (m *Model) picture() string {
	t := newTheme(m.dark, colorprofile.TrueColor)
	paper, ink := "#1b1f27", "#d4d8e0"
	if !m.dark {
		paper, ink = "#ffffff", "#24292f"
	}
	c := &m.canvas
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="%d">`+"\n",
		(c.w+2)*cellWidth, (c.h+1)*cellHeight, fontSize)
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", paper)
	fmt.Fprintf(&out, `<g transform="translate(%d %d)" fill="%s" shape-rendering="crispEdges">`+"\n", cellWidth, cellHeight/2, ink)
	for y := range c.h {
		c.pictureRow(&out, t, y)
	}
	out.WriteString("</g>\n</svg>\n")
	return out.String()
}

// pictureRow draws a row: for each stretch of one look a background, a path of all shapes,
// and a text.
func (c *canvas) pictureRow(out *strings.Builder, t *theme, y int) {
	row := c.cells[y*c.w : (y+1)*c.w]
	for x := 0; x < c.w; {
		end := x + 1
		for end < c.w && row[end].style == row[x].style {
			end++
		}
		st := row[x].style
		if st&chosen != 0 {
			fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", x*cellWidth, y*cellHeight,
				(end-x)*cellWidth, cellHeight, t.hex(t.background))
		}
		c.pictureRun(out, t.attributes(st), x, y, row[x:end])
		x = end
	}
}

// attributes are a style as SVG has it.
func (t *theme) attributes(st style) (text string) {
	if colour := t.hex(t.colours[st&role]); colour != "" {
		text = fmt.Sprintf(` fill="%s"`, colour)
	}
	if st&bold != 0 {
		text += ` font-weight="bold"`
	}
	return text
}

// pictureRun draws cells of one look. Each word is a text of its own, at its place, so that
// a font of another width moves nothing.
func (c *canvas) pictureRun(out *strings.Builder, look string, x, y int, cells []cell) {
	var shapes, word strings.Builder
	at := 0
	flush := func() {
		if word.Len() > 0 {
			fmt.Fprintf(out, `<text x="%d" y="%d"%s>%s</text>`+"\n", at*cellWidth, y*cellHeight+fontSize, look, html.EscapeString(word.String()))
			word.Reset()
		}
	}
	for i, cell := range cells {
		shape, drawn := shapeOf(cell.text, (x+i)*cellWidth, y*cellHeight)
		shapes.WriteString(shape)
		if cell.text == " " || drawn {
			flush()
			continue
		}
		if word.Len() == 0 {
			at = x + i
		}
		word.WriteString(cell.text)
	}
	flush()
	if shapes.Len() > 0 {
		fmt.Fprintf(out, `<path%s d="%s"/>`+"\n", look, shapes.String())
	}
}

// shapeOf is the path of a glyph that is drawn as a shape.
func shapeOf(glyph string, x, y int) (path string, drawn bool) {
	r := []rune(glyph + " ")[0]
	box := func(x, y, w, h float64) string { return fmt.Sprintf("M%.4g %.4gh%.4gv%.4gh-%.4gz", x, y, w, h, w) }
	fx, fy := float64(x), float64(y)
	switch {
	case r >= '▁' && r <= '█':
		h := float64(r-'▁'+1) / 8 * cellHeight
		return box(fx, fy+cellHeight-h, cellWidth, h), true
	case r > '█' && r <= '▏':
		return box(fx, fy, float64('▏'-r+1)/8*cellWidth, cellHeight), true
	case r == '─':
		return box(fx, fy+cellHeight/2, cellWidth, 1), true
	case r == '░':
		return box(fx, fy+cellHeight/2-1, cellWidth, 2), true
	case r > 0x2800 && r < 0x2900:
		for column, bits := range dotBits {
			for row, bit := range bits {
				if uint8(r-0x2800)&bit != 0 {
					path += fmt.Sprintf("M%d %dh2v2h-2z", x+4*column+1, y+row*cellHeight/4+1)
				}
			}
		}
		return path, true
	}
	return "", false
}
