package tui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// piece is a part of a line. Where the line is too short, pieces of the highest rank are left
// out first.
type piece struct {
	rank  int
	style style
	text  string
	click tea.Msg // nil: it cannot be clicked
}

// line draws pieces from the left and from the right, gap cells apart.
func (a area) line(y, gap int, left, right []piece) {
	most := 0
	for _, p := range append(left[:len(left):len(left)], right...) {
		most = max(most, p.rank)
	}
	for most > 0 && taken(gap, most, left)+taken(gap, most, right) > a.w {
		most--
	}
	a.pieces(1, y, gap, most, left)
	a.pieces(a.w+gap-taken(gap, most, right), y, gap, most, right)
}

func (a area) pieces(x, y, gap, most int, list []piece) {
	for _, p := range list {
		if p.rank > most || p.text == "" {
			continue
		}
		end := a.text(x, y, p.style, p.text)
		if p.click != nil {
			a.part(x, y, end-x, 1).clickable(p.click)
		}
		x = end + gap
	}
}

// taken is the width of the pieces up to a rank.
func taken(gap, most int, list []piece) int {
	n := 1
	for _, p := range list {
		if p.rank <= most && p.text != "" {
			n += ansi.StringWidth(clean(p.text)) + gap
		}
	}
	return n
}
