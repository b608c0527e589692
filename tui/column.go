package tui

import "slices"

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
	byRank := make([]*column[T], len(columns))
	for i := range columns {
		byRank[i] = &columns[i]
	}
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
