package tui

import (
	"fmt"
	"html"
	"image/color"
	"strings"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
)

// The size of a cell of a picture.
const (
	cellWidth  = 8
	cellHeight = 17
	fontSize   = 13
)

// picture is the screen as SVG. Blocks, lines and dots are drawn as shapes, so that no font
// changes them.
func (m *Model) picture() string {
	c := canvas{theme: newTheme(m.dark, colorprofile.TrueColor), ascii: m.canvas.ascii}
	m.draw(&c)
	paper, ink := "#1b1f27", "#d4d8e0"
	if !m.dark {
		paper, ink = "#ffffff", "#24292f"
	}
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="%d">`+"\n",
		(c.Width()+2)*cellWidth, (c.Height()+1)*cellHeight, fontSize)
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", paper)
	fmt.Fprintf(&out, `<g transform="translate(%d %d)" fill="%s" shape-rendering="crispEdges">`+"\n", cellWidth, cellHeight/2, ink)
	for y := range c.Height() {
		c.pictureRow(&out, y)
	}
	out.WriteString("</g>\n</svg>\n")
	return out.String()
}

// pictureRow draws each stretch of one style: its background, its shapes as one path, and its
// text.
func (c *canvas) pictureRow(out *strings.Builder, y int) {
	for x := 0; x < c.Width(); {
		look, end := c.CellAt(x, y).Style, x+1
		for end < c.Width() && (c.CellAt(end, y).Style == look || c.CellAt(end, y).Width == 0) {
			end++
		}
		if look.Bg != nil {
			fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", x*cellWidth, y*cellHeight, (end-x)*cellWidth, cellHeight, hex(look.Bg))
		}
		c.pictureRun(out, attributes(look), x, end, y)
		x = end
	}
}

func attributes(look uv.Style) (text string) {
	if look.Fg != nil {
		text = fmt.Sprintf(` fill="%s"`, hex(look.Fg))
	}
	if look.Attrs&uv.AttrBold != 0 {
		text += ` font-weight="bold"`
	}
	return text
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// pictureRun draws cells of one style. Each word has its own position, so that a font of
// another width moves nothing.
func (c *canvas) pictureRun(out *strings.Builder, look string, from, to, y int) {
	var shapes, word strings.Builder
	at := 0
	flush := func() {
		if word.Len() > 0 {
			fmt.Fprintf(out, `<text x="%d" y="%d"%s>%s</text>`+"\n", at*cellWidth, y*cellHeight+fontSize, look, html.EscapeString(word.String()))
			word.Reset()
		}
	}
	for x := from; x < to; x++ {
		text := c.CellAt(x, y).Content
		shape, drawn := shapeOf(text, x*cellWidth, y*cellHeight)
		shapes.WriteString(shape)
		if text == " " || drawn {
			flush()
			continue
		}
		if word.Len() == 0 {
			at = x
		}
		word.WriteString(text)
	}
	flush()
	if shapes.Len() > 0 {
		fmt.Fprintf(out, `<path%s d="%s"/>`+"\n", look, shapes.String())
	}
}

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
