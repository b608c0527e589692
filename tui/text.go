package tui

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	numbers "github.com/hashzoo/hashzoo/runtime/number"
)

// clean replaces control characters, and characters of unreliable width, with question marks.
func clean(text string) string {
	return strings.Map(func(r rune) rune { return either(safe(r), r, '?') }, text)
}

// combining is the first character that combines with others. Those before it take one cell.
const combining = 0x300

// safe reports whether a character is printable and has the same width on every terminal and beside any other.
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
	"─": "-", "│": "|", "┤": "+", "└": "+", "┴": "+", "┌": "+", "┐": "+", "┘": "+", "┬": "+",
	"━": "=", "┃": "#", "┏": "#", "┓": "#", "┗": "#", "┛": "#", "←": "<", "→": ">", "↑": "^", "↓": "v",
	"▏": ".", "▎": ".", "▍": ":", "▌": ":", "▋": "|", "▊": "|", "▉": "#", "█": "#",
	"▁": "_", "▂": "_", "▃": ".", "▄": "-", "▅": "=", "▆": "+", "▇": "*", "░": ".",
}

func (c *canvas) toASCII() {
	for y := range c.Height() {
		for x := range c.Width() {
			cell := *c.CellAt(x, y)
			if len(cell.Content) < 2 { // ASCII
				continue
			}
			for i := range cell.Width {
				c.SetCell(x+i, y, &uv.Cell{Content: cmp.Or(inASCII[cell.Content], "?"), Style: cell.Style, Width: 1})
			}
		}
	}
}

// Columns of numbers have fixed widths and decimals, so that nothing moves sideways while numbers change.

// decimals is the number of decimals for a column with this largest value: three figures.
func decimals(most float64) int {
	switch {
	case !(most > 0) || most >= 1000:
		return 0
	case most >= 10:
		return 1
	case most >= 0.1:
		return 2
	}
	return 4
}

// number formats a value; NaN and infinities are a dash.
func number(v float64, decimals int) string {
	return either(math.IsNaN(v) || math.IsInf(v, 0), "-", strconv.FormatFloat(v+0, 'f', decimals, 64)) // + 0 makes -0 a 0
}

// short formats a number in at most six cells, and a cell for its sign.
func short(v float64) string {
	switch a := math.Abs(v); {
	case a >= 999.95e15:
		return strconv.FormatFloat(v, 'g', 2, 64)
	case a >= 999999.5:
		v, unit := numbers.Scaled(v/1e6, 1000, "M", "G", "T", "P")
		return number(v, 1) + unit
	case a >= 1000 || v == math.Trunc(v):
		return number(v, 0)
	case a >= 100:
		return number(v, 1)
	case a >= 0.01 || math.IsNaN(v):
		return number(v, 2)
	}
	return strconv.FormatFloat(v, 'g', 1, 64)
}

func count[T int | uint64](n T) string { return short(float64(n)) }

var units = []struct {
	one  time.Duration
	name string
}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}, {time.Nanosecond, "ns"}}

func unitFor(d time.Duration) (one time.Duration, name string) {
	for _, u := range units {
		if one, name = u.one, u.name; d >= one {
			break
		}
	}
	return one, name
}

// span formats a time with its unit and three figures: 33.1 ms.
func span(d time.Duration) string {
	if d <= 0 {
		return "0 s"
	}
	one, name := unitFor(d)
	v, places := float64(d)/float64(one), 2
	switch {
	case v >= 99.95 || one == time.Nanosecond:
		places = 0
	case v >= 9.995:
		places = 1
	}
	return number(v, places) + " " + name
}

// clock formats a time as 0:31 or 1:02:03.
func clock(d time.Duration) string {
	s := int64(max(d, 0) / time.Second)
	return either(s < 3600, fmt.Sprintf("%d:%02d", s/60, s%60), fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60))
}

// windowName names how far back a view looks, as the command window does.
func windowName(d time.Duration) string {
	return either(d == 0, "all", strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String()))
}

func windowText(d time.Duration) string { return either(d == 0, "whole run", "last "+windowName(d)) }
