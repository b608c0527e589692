package tui

import (
	"slices"
)

// column is a column of a table of Ts: it has its least width, or is left out. The rank
// says which are left out first: those of the highest.
type column[T any] struct {
	titles []string // the first that has room
	rank   int
	least  int
	want   int // it is made so wide, if there is room
	grows  bool
	number bool // stands to the right
	draw   func(a area, st style, of T)
}

// placed is a column that has room, and where.
type placed[T any] struct {
	*column[T]
	x, w int
}

const gap = 2

// extra is the rank from which columns are luxury: they come after the others have the
// width that they want.
const extra = 9

// place finds room for columns in so many cells: as many as fit at their least width, by
// rank, then wider ones by rank, then luxury, and what is left over is for those that grow.
func place[T any](columns []column[T], w int) (list []placed[T]) {
	byRank := make([]*column[T], len(columns))
	for i := range columns {
		byRank[i] = &columns[i]
	}
	slices.SortStableFunc(byRank, func(a, b *column[T]) int { return a.rank - b.rank })
	luxury := slices.IndexFunc(byRank, func(c *column[T]) bool { return c.rank >= extra })
	if luxury < 0 {
		luxury = len(byRank)
	}
	widths, left := map[*column[T]]int{}, w+gap
	for _, part := range [][]*column[T]{byRank[:luxury], byRank[luxury:]} {
		left = admit(part, widths, left)
	}
	grow(byRank, widths, left)
	x := 0
	for i := range columns {
		if c := &columns[i]; widths[c] > 0 {
			list = append(list, placed[T]{c, x, widths[c]})
			x += widths[c] + gap
		}
	}
	return list
}

// admit gives columns room while there is some, and returns what is left.
func admit[T any](columns []*column[T], widths map[*column[T]]int, left int) int {
	for _, c := range columns {
		if c.least+gap <= left {
			widths[c] = c.least
			left -= c.least + gap
		}
	}
	for _, c := range columns {
		if widths[c] > 0 && c.want > c.least {
			more := min(c.want-c.least, left)
			widths[c] += more
			left -= more
		}
	}
	return left
}

// grow shares out what is left among the columns that grow.
func grow[T any](columns []*column[T], widths map[*column[T]]int, left int) {
	growing := 0
	for _, c := range columns {
		if widths[c] > 0 && c.grows {
			growing++
		}
	}
	for _, c := range columns {
		if widths[c] > 0 && c.grows {
			widths[c] += left / growing
			left -= left / growing
			growing--
		}
	}
}

// drawHead draws the titles of columns.
func drawHead[T any](a area, list []placed[T]) {
	for _, p := range list {
		text := p.titles[len(p.titles)-1]
		for _, t := range p.titles {
			if a.c.width(t) <= p.w {
				text = t
				break
			}
		}
		cellOf := a.part(p.x, 0, p.w, 1)
		text = a.c.fit(text, p.w)
		if p.number {
			cellOf.right(p.w, 0, faint, text)
		} else {
			cellOf.text(0, 0, faint, text)
		}
	}
}
