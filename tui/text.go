package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

func plain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// clean replaces control characters, and characters whose width depends on the terminal or on
// the next one, with question marks.
func clean(text string) string {
	if plain(text) {
		return text
	}
	return strings.Map(func(r rune) rune { return either(safe(r), r, '?') }, text)
}

// combining is the first character that combines with others. Those before it take one cell.
const combining = 0x300

// safe reports whether a character is printable and has the same width on every terminal and
// beside any other.
func safe(r rune) bool {
	switch {
	case !unicode.IsPrint(r) || r == utf8.RuneError:
		return false
	case r < combining || r >= 0x2500 && r < 0x2600 || r >= 0x2800 && r < 0x2900: // lines, blocks, braille
		return true
	}
	glyph := string(r)
	width := ansi.StringWidth(glyph)
	return width > 0 && ansi.StringWidth(" "+glyph+glyph) == 1+2*width && ansi.StringWidthWc(glyph) == width
}

func width(text string) int { return ansi.StringWidth(clean(text)) }

func either[T any](when bool, yes, no T) T {
	if when {
		return yes
	}
	return no
}

// fit cuts a text to a width, with an ellipsis at the end.
func fit(text string, most int) string {
	if most <= 0 {
		return ""
	}
	if text = clean(text); len(text) <= most {
		return text
	}
	return ansi.Truncate(text, most, "…")
}

// wrap breaks a text into lines. If there are too many, it cuts the last one.
func wrap(text string, w, most int) []string {
	if w <= 0 || most <= 0 || text == "" {
		return nil
	}
	lines := strings.Split(ansi.Wrap(clean(text), w, ""), "\n")
	if len(lines) > most {
		lines = append(lines[:most-1], fit(strings.Join(lines[most-1:], " "), w))
	}
	return lines
}

var inASCII = map[string]string{
	"…": "~", "±": "~", "µ": "u", "×": "x", "·": ".", "▸": ">", "◂": "<", "▾": "v", "▴": "^", "●": "*", "○": "o", "■": "#", "□": ".",
	"─": "-", "│": "|", "┤": "+", "└": "+", "┴": "+", "←": "<", "→": ">",
	"▏": ".", "▎": ".", "▍": ":", "▌": ":", "▋": "|", "▊": "|", "▉": "#", "█": "#",
	"▁": "_", "▂": "_", "▃": ".", "▄": "-", "▅": "=", "▆": "+", "▇": "*", "░": ".",
}

// toASCII replaces everything on the canvas that is not ASCII.
func (c *canvas) toASCII() {
	for y := range c.Height() {
		for x := range c.Width() {
			cell := *c.CellAt(x, y)
			if plain(cell.Content) {
				continue
			}
			stand, ok := inASCII[cell.Content]
			for i := range cell.Width {
				c.SetCell(x+i, y, &uv.Cell{Content: either(ok, stand, "?"), Style: cell.Style, Width: 1})
			}
		}
	}
}
