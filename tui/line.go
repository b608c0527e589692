package tui

// piece is a part of a line: the higher the rank, the earlier it is left out where the line
// is too short.
type piece struct {
	rank   int
	style  style
	text   string
	action string // what a click does
}

// line draws pieces from the left and from the right, with gap cells between them, without those
// of the highest ranks if not all have room.
func (a area) line(y, gap int, left, right []piece) {
	most := 0
	for _, p := range append(left[:len(left):len(left)], right...) {
		most = max(most, p.rank)
	}
	for most > 0 && a.taken(gap, most, left)+a.taken(gap, most, right) > a.w {
		most--
	}
	x := 1
	for _, p := range left {
		if p.rank <= most && p.text != "" {
			x = a.piece(x, y, p) + gap
		}
	}
	x = a.w + gap - a.taken(gap, most, right)
	for _, p := range right {
		if p.rank <= most && p.text != "" {
			x = a.piece(x, y, p) + gap
		}
	}
}

func (a area) piece(x, y int, p piece) int {
	end := a.text(x, y, p.style, p.text)
	if p.action != "" {
		a.part(x, y, end-x, 1).clickable(-1, p.action)
	}
	return end
}

// taken is how many cells pieces up to a rank take, with a gap before or after each.
func (a area) taken(gap, most int, list []piece) int {
	n := 1
	for _, p := range list {
		if p.rank <= most && p.text != "" {
			n += a.c.width(p.text) + gap
		}
	}
	return n
}
