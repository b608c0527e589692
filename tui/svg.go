package tui

import (
	"fmt"
	"html"
	"image/color"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// The size of a cell of a picture.
const (
	cellWidth  = 8
	cellHeight = 17
	fontSize   = 13
)

// picture returns the screen as SVG. Blocks, lines and dots are shapes, so they do not depend on the font.
func (m *Model) picture() string {
	c := canvas{theme: newTheme(m.dark, colorprofile.TrueColor), ascii: m.canvas.ascii}
	m.draw(&c)
	paper, ink := either(m.dark, "#1b1f27", "#ffffff"), either(m.dark, "#d4d8e0", "#24292f")
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="%d">`+"\n",
		(c.Width()+2)*cellWidth, (c.Height()+1)*cellHeight, fontSize)
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", paper)
	fmt.Fprintf(&out, `<g transform="translate(%d %d)" fill="%s" shape-rendering="crispEdges">`+"\n", cellWidth, cellHeight/2, ink)
	for y, line := range c.Lines {
		for x := 0; x < len(line); {
			end := x + 1
			for end < len(line) && (line[end].Style == line[x].Style || line[end].Width == 0) {
				end++
			}
			pictureRun(&out, line[x:end], x, y*cellHeight)
			x = end
		}
	}
	out.WriteString("</g>\n</svg>\n")
	return out.String()
}

// pictureRun draws cells of one style. Each word has its own position, because fonts differ in width.
func pictureRun(out *strings.Builder, cells uv.Line, x, y int) {
	look := cells[0].Style
	if look.Bg != nil {
		fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d"%s/>`+"\n", x*cellWidth, y, len(cells)*cellWidth, cellHeight, fill(look.Bg))
	}
	var shapes, word strings.Builder
	flush := func(end int) {
		if word.Len() > 0 {
			weight := either(look.Attrs&uv.AttrBold != 0, ` font-weight="bold"`, "")
			at := (end - ansi.StringWidth(word.String())) * cellWidth
			fmt.Fprintf(out, `<text x="%d" y="%d"%s%s>%s</text>`+"\n", at, y+fontSize, fill(look.Fg), weight, html.EscapeString(word.String()))
			word.Reset()
		}
	}
	for i, cell := range cells {
		shape, drawn := shapeOf(cell.Content, (x+i)*cellWidth, y)
		if shapes.WriteString(shape); cell.Content == " " || drawn {
			flush(x + i)
		} else {
			word.WriteString(cell.Content)
		}
	}
	if flush(x + len(cells)); shapes.Len() > 0 {
		fmt.Fprintf(out, `<path%s d="%s"/>`+"\n", fill(look.Fg), shapes.String())
	}
}

func fill(c color.Color) string {
	if c == nil {
		return ""
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf(` fill="#%02x%02x%02x"`, r>>8, g>>8, b>>8)
}

func shapeOf(glyph string, x, y int) (path string, drawn bool) {
	box := func(dx, dy, w, h float64) {
		path += fmt.Sprintf("M%.4g %.4gh%.4gv%.4gh-%.4gz", float64(x)+dx, float64(y)+dy, w, h, w)
	}
	switch r, _ := utf8.DecodeRuneInString(glyph); {
	case r >= '▁' && r <= '█':
		h := float64(r-'▁'+1) / 8 * cellHeight
		box(0, cellHeight-h, cellWidth, h)
	case r > '█' && r <= '▏':
		box(0, 0, float64('▏'-r+1)/8*cellWidth, cellHeight)
	case r == '─':
		box(0, cellHeight/2, cellWidth, 1)
	case r == '░':
		box(0, cellHeight/2-1, cellWidth, 2)
	case r > 0x2800 && r < 0x2900:
		for column, bits := range dotBits {
			for row, bit := range bits {
				if uint8(r-0x2800)&bit != 0 {
					box(float64(4*column+1), float64(row*cellHeight/4+1), 2, 2)
				}
			}
		}
	}
	return path, path != ""
}
