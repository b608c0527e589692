package tui

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/workloads/step"
)

func (s *stepper) drawHeader(a area) {
	var right pieces
	right.add(s.at > 0, 0, normal, "operation %d of %d", s.op()+1, len(s.done))
	a.line(0, pieces{{0, bold | title, "hashzoo", nil}, {0, bold, "step by step", nil}, {1, faint, s.config.Title, nil}}, right)
	a.line(1, pieces{{0, normal, s.title, nil}}, pieces{{1, faint, "hashzoo explain " + s.config.Name, nil}})
	a.fill(0, 2, a.w, frame, "─")
}

func (s *stepper) draw(a area) {
	const sentences = 2 // lines that describe a step
	s.drawOperation(a.rows(0, 1))
	a = a.part(1, 1, a.w-2, a.h-1)
	boards := s.boards(a.w)
	room := a.h - 1 - sentences
	var l boxes // the most spacious layout that fits, so that boxes stay where they are during an operation
	for _, try := range []boxes{{cell: 2, framed: true}, {cell: 0, framed: true}, {cell: 0}} {
		if l = s.place(try, a.w); l.height <= room-min(len(boards), 1) {
			break
		}
	}
	h := min(l.height, room-min(len(boards), 1))
	s.follow(l, either(l.height > h, h-1, h))
	body := a.rows(0, h).scrolled(l.height, s.from)
	for i := range l.blocks {
		s.drawBlock(body, l, i)
	}
	boards = boards[:min(len(boards), max(room-h, 0))]
	for i, line := range boards {
		a.pieces(0, h+i, line)
	}
	y := h + len(boards)
	if y+sentences < a.h {
		y++
	}
	text := "The table is empty. Each press of space carries out a step; left goes back; i lets you type keys."
	if s.at > 0 {
		text = upper(s.shown().Text) + "."
	}
	a.lines(0, y, bold, wrap(text, a.w, sentences)...)
	if y += sentences; a.h-y > 6 {
		y++
	}
	s.drawSteps(a.rows(y, a.h-y))
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func (s *stepper) drawOperation(a area) {
	if s.at == 0 {
		return
	}
	o, st := &s.done[s.op()], s.shown()
	op, _, _ := strings.Cut(o.Text, " ")
	left := pieces{{0, bold | accent, fit(o.Text, a.w-32), nil}, {1, faint, kernels.Op(op).Help, nil}}
	var right pieces
	right.add(st.Hand != "", 0, bold|warn, "in hand: %s", st.Hand)
	right.add(true, 0, faint, "step %d of %d", s.at-s.first(s.op())+1, len(o.Steps))
	a.line(0, left, right)
}

// drawSteps lists the steps of the operation around the one shown, as many as fit.
func (s *stepper) drawSteps(a area) {
	if s.at == 0 || a.h < 2 {
		return
	}
	first := s.first(s.op())
	from, to := visible(s.first(s.op()+1)-first, a.h, s.at-first)
	for i := from; i < to; i++ {
		line := a.rows(i-from, 1)
		here := first+i == s.at
		line.text(0, 0, either(here, bold|accent, faint), fmt.Sprintf("%s%3d  %s", either(here, "▸", " "), i+1, s.steps[first+i].Text))
		line.clickable(func(m *Model) { m.stepper.goTo(first + i) })
	}
}

// boards are lines of memory next to the table.
func (s *stepper) boards(w int) (lines []pieces) {
	before := s.before().Boards
	for i, b := range s.state().Boards {
		var line pieces
		line.add(true, 0, faint, "%s", b.Name)
		for j := 0; j < len(b.Words); {
			n := 1
			for j+n < len(b.Words) && b.Words[j+n] == b.Words[j] && b.Words[j] == "00000000" {
				n++
			}
			changed := i < len(before) && j < len(before[i].Words) && before[i].Words[j] != b.Words[j]
			line.add(true, 0, either(changed, bold|good, normal), "%s", b.Words[j]+either(n > 1, fmt.Sprintf(" ×%d", n), ""))
			j += n
		}
		if last := len(lines) - 1; last >= 0 && lines[last].width()+line.width() <= w {
			lines[last] = append(lines[last], line...)
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

// boxes is the layout of a table's cells: a block for each row, each in strips of cells.
type boxes struct {
	cell   int  // width of a cell
	framed bool // with lines above and below cells
	above  bool // a line above blocks for the key in hand
	blocks []block
	height int
}

type block struct {
	x, y   int
	strips [][]int // the cells of each
}

// extent is the most that states of the operation have of something.
func (s *stepper) extent(of func(step.Row) int) (most int) {
	for _, st := range s.steps[max(s.first(s.op())-1, 0):s.first(s.op()+1)] {
		most = max(most, lists.Max(st.Rows, of))
	}
	return most
}

const (
	leastCell = 6
	mostCell  = 16
	inBorder  = 26 // a title, and the key in hand beside it
)

// strips divides the cells of a row: at gaps, and where there are too many for a line.
func strips(cells []string, per int) (list [][]int) {
	strip := []int{}
	for i, text := range cells {
		if gap := text == "|"; gap || len(strip) == max(per, 1) {
			list, strip = append(list, strip), []int{}
			if gap {
				continue
			}
		}
		strip = append(strip, i)
	}
	return append(list, strip)
}

// place gives each row its place: blocks of the same width side by side.
func (s *stepper) place(l boxes, w int) boxes {
	titles := s.extent(func(r step.Row) int { return width(r.Title) })
	l.cell += clamp(s.extent(func(r step.Row) int { return lists.Max(r.Cells, width) }), leastCell, mostCell)
	n := max(1, s.extent(func(r step.Row) int { // cells without a gap
		return lists.Max(strips(r.Cells, len(r.Cells)), func(strip []int) int { return len(strip) })
	}))
	per := max((w-1)/(l.cell+1), 1)
	lines := (n + per - 1) / per
	per = (n + lines - 1) / lines
	l.cell = max(l.cell, (titles+3+per-1)/per-1)
	wide := per*(l.cell+1) + 1
	l.above = wide < titles+inBorder
	columns := max((w+1)/(wide+1), 1)
	y, tall := 0, 0
	for i, r := range s.state().Rows {
		if i%columns == 0 {
			y, tall = y+tall, 0
		}
		b := block{i % columns * (wide + 1), y, strips(r.Cells, per)}
		l.blocks = append(l.blocks, b)
		tall = max(tall, l.tall(b))
	}
	l.height = y + tall
	return l
}

// tall is the number of lines of a block.
func (l boxes) tall(b block) int {
	return either(l.framed, 3*len(b.strips), 1+len(b.strips)) + either(l.above, 1, 0)
}

// touches reports whether the step shown touches a row: some of its cells, or the row as a whole.
func (s *stepper) touches(row int) (cells []int, touched bool) {
	for _, p := range slices.Concat(s.shown().At, s.shown().Changed) {
		touched = touched || p.Row == row
		if p.Row == row && p.Cell >= 0 {
			cells = append(cells, p.Cell)
		}
	}
	return cells, touched
}

// follow scrolls so that the block that the step touches is visible.
func (s *stepper) follow(l boxes, h int) {
	for i, b := range l.blocks {
		if _, touched := s.touches(i); touched && !s.scroll {
			s.from = clamp(s.from, b.y+l.tall(b)-h, b.y)
			return
		}
	}
}

func (s *stepper) drawBlock(a area, l boxes, i int) {
	r, b := s.state().Rows[i], l.blocks[i]
	cells, touched := s.touches(i)
	top := b.y + either(l.above, 1, 0)
	first := either(l.framed, top, top+1)
	for j, strip := range b.strips {
		at := strokes{a, b.x, first + j*either(l.framed, 3, 1), l.cell, l.framed}
		n := max(len(strip), 1)
		at.grid(n)
		s.drawCells(at, i, r, strip)
		if touched && cells == nil {
			at.box(0, n, bold|accent, lipgloss.ThickBorder())
		}
		for k, cell := range strip {
			if slices.Contains(cells, cell) {
				at.box(k, 1, bold|accent, lipgloss.ThickBorder())
			}
		}
	}
	x := a.text(b.x+either(l.framed, 1, 0), top, either(touched, bold|accent, normal), either(touched, "▸", " ")+r.Title+" ")
	if touched {
		s.drawHand(a, l, b, cells, x, either(l.above, b.y, top))
	}
}

// drawHand draws the key in hand above the cell that the step touches, and the pair that leaves it.
func (s *stepper) drawHand(a area, l boxes, b block, cells []int, x, y int) {
	at := b.x + 1
	for i, strip := range b.strips {
		n := slices.Index(strip, append(cells, -1)[0])
		at += max(n, 0) * (l.cell + 1)
		if n >= 0 && i > 0 && l.framed {
			y, x = y+3*i+either(l.above, 1, 0), 0
		}
	}
	if !l.above {
		at = max(at, x+1)
	}
	hand, out := "", s.leaving(cells, b)
	if s.shown().Hand != "" {
		hand = " " + s.shown().Hand + " ▾ "
	}
	if out != "" {
		out = " " + out + " ▴ "
	}
	at = clamp(at, 0, a.w-width(hand)-width(out))
	at = a.text(at, y, bold|warn, hand)
	a.text(at, y, bold|bad, out)
}

// leaving is the pair that the step takes out of one of the cells.
func (s *stepper) leaving(cells []int, b block) string {
	st, before := s.shown(), s.before()
	for _, p := range st.Changed {
		if p.Row >= len(before.Rows) || p.Cell >= len(before.Rows[p.Row].Cells) || !slices.Contains(cells, p.Cell) {
			continue
		}
		old, now := before.Rows[p.Row].Cells[p.Cell], st.Rows[p.Row].Cells[p.Cell]
		if isPair(old) && keyOf(old) != keyOf(now) {
			return old
		}
	}
	return ""
}

func (s *stepper) drawCells(at strokes, row int, r step.Row, strip []int) {
	if len(strip) == 0 {
		at.text(0, faint, "empty")
	}
	for n, cell := range strip {
		text, st := r.Cells[cell], normal
		changed := slices.Contains(s.shown().Changed, step.Place{Row: row, Cell: cell})
		switch {
		case changed:
			st = bold | good
		case !isPair(text):
			st = faint
		case keyOf(text) == s.shown().Hand:
			st = bold | warn
		}
		at.text(n, st, either(text == ".", "·", text))
	}
}

// strokes draws a strip of cells.
type strokes struct {
	area
	left, top int
	cell      int
	framed    bool
}

func (k strokes) text(n int, st style, text string) {
	text = fit(text, k.cell)
	k.area.text(k.x(n)+1+(k.cell-width(text))/2, k.middle(), st, text)
}

// x is where a cell begins, and middle the line with its text.
func (k strokes) x(n int) int { return k.left + n*(k.cell+1) }
func (k strokes) middle() int { return k.top + either(k.framed, 1, 0) }

// grid draws lines around and between n cells.
func (k strokes) grid(n int) {
	lines := lipgloss.NormalBorder()
	k.box(0, 1, frame, lines)
	lines.TopLeft, lines.BottomLeft = lines.MiddleTop, lines.MiddleBottom
	for i := 1; i < n; i++ {
		k.box(i, 1, frame, lines)
	}
}

// box draws lines around n cells as one.
func (k strokes) box(from, n int, st style, lines lipgloss.Border) {
	x, w := k.x(from), n*(k.cell+1)-1
	if k.framed {
		k.area.text(x, k.top, st, lines.TopLeft+strings.Repeat(lines.Top, w)+lines.TopRight)
		k.area.text(x, k.top+2, st, lines.BottomLeft+strings.Repeat(lines.Bottom, w)+lines.BottomRight)
	}
	k.put(x, k.middle(), st, lines.Left)
	k.put(x+w+1, k.middle(), st, lines.Right)
}
