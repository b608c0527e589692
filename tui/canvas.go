package tui

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// canvas is the screen that panes draw on. It knows what a click on it does.
type canvas struct {
	*uv.Buffer
	theme  *theme
	ascii  bool // charts are drawn with letters
	hits   []hit
	hidden int // lines of the pane that have no room
}

type hit struct {
	uv.Rectangle
	do func(*Model)
}

func (c *canvas) reset(w, h int) {
	if w, h = max(w, 0), max(h, 0); c.Buffer == nil || c.Width() != w || c.Height() != h {
		c.Buffer = uv.NewBuffer(w, h)
	}
	c.Clear()
	c.hits, c.hidden = c.hits[:0], 0
}

// scroll moves a position n lines down, as far as there are hidden lines.
func (c *canvas) scroll(at *int, n int) { *at = clamp(clamp(*at, 0, c.hidden)+n, 0, c.hidden) }

func (c *canvas) all() area { return area{c: c, w: c.Width(), h: c.Height(), bottom: c.Height()} }

// area is a rectangle of a canvas with its own coordinates. Drawing is cut at its edges: a pane cannot overflow.
type area struct {
	c          *canvas
	x, y, w, h int
	mark       style // added to the style of everything drawn
	top        int   // the first line of the canvas on which it is seen
	bottom     int   // the line after the last one
}

// part returns a rectangle within the area, cut to its bounds.
func (a area) part(x, y, w, h int) area {
	x0, y0 := min(max(x, 0), a.w), min(max(y, 0), a.h)
	x1, y1 := min(max(x+w, x0), a.w), min(max(y+h, y0), a.h)
	return area{a.c, a.x + x0, a.y + y0, x1 - x0, y1 - y0, a.mark, a.top, a.bottom}
}

func (a area) rows(y, h int) area { return a.part(0, y, a.w, h) }

func (a area) put(x, y int, st style, glyph string) { a.cell(x, y, st, glyph, 1) }

func (a area) cell(x, y int, st style, glyph string, width int) {
	if x < 0 || y < 0 || x+width > a.w || y >= a.h || a.y+y < a.top || a.y+y >= a.bottom {
		return
	}
	a.c.SetCell(a.x+x, a.y+y, &uv.Cell{Content: glyph, Style: a.c.theme[st|a.mark], Width: width})
}

// marked clears the area and marks everything drawn in it.
func (a area) marked(mark style) area {
	a.mark |= mark
	for y := range a.h {
		a.fill(0, y, a.w, normal, " ")
	}
	return a
}

func (a area) clickable(do func(*Model)) {
	a.c.hits = append(a.c.hits, hit{uv.Rect(a.x, a.y, a.w, a.h).Intersect(uv.Rect(0, a.top, a.c.Width(), a.bottom-a.top)), do})
}

func (a area) fill(x, y, n int, st style, glyph string) {
	for i := range n {
		a.put(x+i, y, st, glyph)
	}
}

// text draws text from x on and returns where it ends. Text that does not fit ends with an ellipsis.
func (a area) text(x, y int, st style, text string) int {
	text = fit(text, a.w-x)
	for i, r := range text {
		glyph := text[i : i+utf8.RuneLen(r)]
		width := 1
		if r >= combining {
			width = ansi.StringWidth(glyph)
		}
		a.cell(x, y, st, glyph, width)
		x += width
	}
	return x
}

func (a area) right(x, y int, st style, text string) { a.text(x-width(text), y, st, text) }

func (a area) lines(x, y int, st style, lines ...string) {
	for i, line := range lines {
		a.text(x, y+i, st, line)
	}
}

// styled draws text with escape sequences, such as the views of bubbles.
func (a area) styled(x, y, w int, text string) {
	r := a.part(x, y, w, 1)
	screen := uv.ScreenBuffer{RenderBuffer: &uv.RenderBuffer{Buffer: a.c.Buffer}, Method: ansi.GraphemeWidth}
	uv.NewStyledString(text).Draw(screen, uv.Rect(r.x, r.y, r.w, r.h))
}

// piece is a part of a line. If the line is too short, the pieces of the highest rank are dropped first.
type piece struct {
	rank  int
	style style
	text  string
	click func(*Model) // nil: it cannot be clicked
}

type pieces []piece

func (l *pieces) add(when bool, rank int, st style, format string, args ...any) {
	if text := fmt.Sprintf(format, args...); when && text != "" {
		*l = append(*l, piece{rank, st, text, nil})
	}
}

func (l pieces) width() int { return lists.Sum(l, func(p piece) int { return width(p.text) + gap }) }

func (a area) line(y int, left, right pieces) {
	for rank := 99; rank > 0 && left.width()+right.width()+2 > a.w; rank-- {
		dropped := func(p piece) bool { return p.rank == rank }
		left, right = slices.DeleteFunc(left, dropped), slices.DeleteFunc(right, dropped)
	}
	a.pieces(1, y, left)
	a.pieces(a.w-1+gap-right.width(), y, right)
}

func (a area) pieces(x, y int, list pieces) {
	for _, p := range list {
		end := a.text(x, y, p.style, p.text)
		if p.click != nil {
			a.part(x, y, end-x, 1).clickable(p.click)
		}
		x = end + gap
	}
}

// scrolled returns h lines of this area from a line on, and says how many more there are.
func (a area) scrolled(h, from int) area {
	a.c.hidden = 0
	if h > a.h {
		marks := a
		a = a.rows(0, a.h-1)
		a.c.hidden = h - a.h
		from = clamp(from, 0, a.c.hidden)
		scrollMarks(marks, from, a.c.hidden-from)
		a.top, a.bottom = a.y, a.y+a.h
		a.y, a.h = a.y-from, h
	}
	return a
}

// listed returns which of n things of h lines to draw, and where, so that number i is visible.
func listed(a area, n, h, i int) (body area, from, to int) {
	if n*h <= a.h {
		return a, 0, n
	}
	body = a.rows(0, a.h-1)
	from, to = visible(n, max(1, body.h/h), i)
	scrollMarks(a, from, n-to)
	return body, from, to
}

// visible returns which h of n lines to show so that line i is among them.
func visible(n, h, i int) (from, to int) {
	from = max(0, min(i-h/2, n-h))
	return from, min(from+h, n)
}

func scrollMarks(a area, above, below int) {
	x := 1
	if above > 0 {
		x = a.text(x, a.h-1, bold|accent, "▴ "+count(above)+" more") + 2
	}
	if below > 0 {
		a.text(x, a.h-1, bold|accent, "▾ "+count(below)+" more")
	}
}

// style is the look of a cell: a role, whose color the theme chooses, and marks.
type style uint8

// The roles. Those from hue on are the colors of schemes.
const (
	normal style = iota
	faint        // labels, units
	title
	good
	bad
	warn
	accent // the focus, and what can be done
	frame  // lines, axes
	hue
	hues = 14

	chosen style = 0x40 // on the selected line
	bold   style = 0x80
	role   style = 0x3f
)

// schemeStyle is the color of a scheme. Schemes that share a color have different letters.
func schemeStyle(scheme int) style { return hue + style(scheme%hues) }

type theme [256]uv.Style

var palettes = map[string][hue + hues]string{
	"dark": {"", "#8a8f98", "#e6e6e6", "#7bc86c", "#ff6b6b", "#f0b429", "#62b6ff", "#5c6370",
		"#4fc3f7", "#ffb74d", "#81c784", "#e57373", "#ba9cf5", "#fff176", "#f48fb1",
		"#4db6ac", "#bcaaa4", "#aed581", "#7f9cf5", "#ff8a65", "#c5cae9", "#dce775"},
	"light": {"", "#6a6f78", "#1a1a1a", "#2e7d32", "#c62828", "#a85b00", "#0b5cad", "#9aa0a6",
		"#0277bd", "#b85c00", "#2e7d32", "#c62828", "#6a3fc0", "#857000", "#ad1457",
		"#00796b", "#6d4c41", "#558b2f", "#303f9f", "#bf360c", "#455a64", "#7b6f00"},
	"dark16": {"", "8", "15", "10", "9", "11", "12", "8",
		"14", "11", "10", "9", "13", "12", "7", "6", "3", "2", "1", "5", "4", "15"},
	"light16": {"", "8", "0", "2", "1", "3", "4", "8",
		"4", "3", "2", "1", "5", "6", "8", "12", "9", "10", "13", "14", "0", "11"},
}

// newTheme returns the theme for a terminal. Without colors nothing is bold either: NO_COLOR asks for plain text.
func newTheme(dark bool, profile colorprofile.Profile) *theme {
	t, name := &theme{}, either(dark, "dark", "light")
	if profile <= colorprofile.ASCII {
		return t
	}
	background := either(dark, "#2a2f3a", "#e3e8f0") // of the selected line
	if profile <= colorprofile.ANSI {
		name, background = name+"16", ""
	}
	for i := range t {
		st := style(i)
		if st&bold != 0 {
			t[i].Attrs = uv.AttrBold
		}
		if st&chosen != 0 && background != "" {
			t[i].Bg = lipgloss.Color(background)
		}
		if r := int(st & role); r < len(palettes[name]) && palettes[name][r] != "" {
			t[i].Fg = lipgloss.Color(palettes[name][r])
		}
	}
	return t
}

// column is a column of a table of Ts. It gets its least width or is dropped, the column of the highest rank first.
type column[T any] struct {
	titles []string // the first one that fits is drawn
	rank   int
	least  int
	want   int // its width where there is room
	grows  bool
	number bool // aligned to the right
	once   bool // empty in the lines of operations
	draw   func(a area, st style, of T)

	x, w int // where place puts it
}

func figures[T any](title string, rank, least int, text func(T) string) column[T] {
	return column[T]{titles: []string{title}, rank: rank, least: least, number: true,
		draw: func(a area, st style, of T) { a.right(a.w, 0, st, text(of)) }}
}

func texts[T any](title string, rank, least, want int, text func(T) string) column[T] {
	return column[T]{titles: []string{title}, rank: rank, least: least, want: want,
		draw: func(a area, st style, of T) { a.text(0, 0, st, text(of)) }}
}

const (
	gap   = 2
	extra = 9 // the rank from which columns are a luxury: the others get the width they want first
)

// place returns the columns that fit in w cells, with their positions. The column that grows gets what is left.
func place[T any](columns []column[T], w int) (placed []column[T]) {
	byRank := lists.Make(len(columns), func(i int) *column[T] { return &columns[i] })
	slices.SortStableFunc(byRank, func(a, b *column[T]) int { return a.rank - b.rank })
	luxury, _ := slices.BinarySearchFunc(byRank, extra, func(c *column[T], rank int) int { return c.rank - rank })
	left := admit(byRank[luxury:], admit(byRank[:luxury], w+gap))
	x := 0
	for _, c := range columns {
		if c.w == 0 {
			continue
		}
		if c.grows {
			c.w, left = c.w+left, 0
		}
		c.x = x
		placed, x = append(placed, c), x+c.w+gap
	}
	return placed
}

// admit gives columns their least width in order, then the width they want, and returns what is left.
func admit[T any](columns []*column[T], left int) int {
	for _, c := range columns {
		if c.least+gap <= left {
			c.w, left = c.least, left-c.least-gap
		}
	}
	for _, c := range columns {
		if c.w > 0 {
			more := clamp(c.want-c.least, 0, left)
			c.w, left = c.w+more, left-more
		}
	}
	return left
}

func drawHead[T any](a area, list []column[T]) {
	for _, c := range list {
		i := slices.IndexFunc(c.titles, func(t string) bool { return width(t) <= c.w })
		title, cell := c.titles[max(i, 0)], a.part(c.x, 0, c.w, 1)
		cell.text(either(c.number, max(c.w-width(title), 0), 0), 0, faint, title)
	}
}

// drawRow draws a row in the first line of an area; charts take all of its lines.
func drawRow[T any](a area, list []column[T], st style, of T) {
	for _, c := range list {
		c.draw(a.part(c.x, 0, c.w, a.h), st, of)
	}
}
