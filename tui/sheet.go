package tui

import (
	"fmt"
	"strings"
)

// sheet is what is on the terminal, as far as it is known.
type sheet struct {
	w, h   int // 0: nothing is known
	cells  []cell
	cursor string // the sequence that has put it there
}

// forget is for when something else was written there.
func (s *sheet) forget() { s.w, s.h = 0, 0 }

// become writes what turns the sheet into the canvas: of each row the cells from the first
// to the last that is another one. Then the sheet is like that.
func (s *sheet) become(out *strings.Builder, c *canvas, t *theme, cursor string) {
	known := s.w == c.w && s.h == c.h
	start := out.Len()
	for y := range c.h {
		row := c.row(y)
		first, last := 0, c.w
		if known {
			first, last = differ(s.cells[y*c.w:][:c.w], row)
		}
		if first < last {
			fmt.Fprintf(out, "\x1b[%d;%dH", y+1, first+1)
			t.write(out, row[first:last])
		}
	}
	if out.Len() > start || cursor != s.cursor || !known {
		out.WriteString(cursor)
	}
	s.w, s.h, s.cursor = c.w, c.h, cursor
	s.cells = append(s.cells[:0], c.cells...)
}

// differ is where two rows are not the same. It does not begin within a wide character.
func differ(before, now []cell) (first, last int) {
	for first < len(now) && before[first] == now[first] {
		first++
	}
	last = len(now)
	for last > first && before[last-1] == now[last-1] {
		last--
	}
	for first < last && first > 0 && now[first].text == "" {
		first--
	}
	return first, last
}

// cursorAt is what shows the cursor at a place, hidden what hides it.
func cursorAt(x, y int) string { return fmt.Sprintf("\x1b[%d;%dH\x1b[?25h", y+1, x+1) }

const hidden = "\x1b[?25l"
