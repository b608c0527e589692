package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
)

// View is the screen. It is drawn only after something has changed.
func (m *Model) View() tea.View {
	if !m.drawn {
		m.draw(&m.canvas)
		m.content, m.drawn = m.canvas.render(), true
	}
	v := tea.NewView(m.content)
	v.AltScreen, v.MouseMode, v.WindowTitle = true, tea.MouseModeCellMotion, "hashzoo"
	return v
}

func (m *Model) draw(c *canvas) {
	c.reset(m.w, m.h)
	if all := c.all(); m.w < leastWidth || m.h < leastHeight {
		tooSmall(all)
	} else {
		m.drawScreen(all)
	}
	if c.ascii {
		c.toASCII()
	}
}

func (m *Model) drawScreen(all area) {
	head, body := all.rows(0, m.headHeight()), m.body(all)
	switch {
	case m.screen == onStart:
		drawStartHeader(head)
		m.form.draw(body)
	case m.Snapshot == nil:
		head.text(1, 0, bold|title, "hashzoo")
		body.text(1, 0, faint, "the run begins")
	default:
		drawHeader(head, &m.scene)
		panes[m.screen].draw(body, &m.scene)
	}
	m.drawFooter(all.rows(m.h-m.footHeight(), m.footHeight()))
	if m.help.open {
		m.drawHelp(m.helpArea(all))
	}
}

// The smallest terminal that shows everything.
const (
	leastWidth  = 60
	leastHeight = 16
)

func tooSmall(a area) {
	for i, line := range []string{"hashzoo needs a terminal", fmt.Sprintf("of %d×%d at least,", leastWidth, leastHeight),
		fmt.Sprintf("this one has %d×%d", a.w, a.h)} {
		a.text(0, i, normal, line)
	}
}

// ruled reports whether there is room for lines between the parts.
func (m *Model) ruled() bool { return m.h >= 20 }

func (m *Model) headHeight() int {
	h := 2
	if m.screen != onStart && m.Snapshot != nil && trouble(&m.scene) != "" {
		h++
	}
	if m.ruled() {
		h++
	}
	return h
}

func (m *Model) footHeight() int {
	if m.ruled() {
		return 3
	}
	return 2
}

func (m *Model) body(all area) area {
	return all.rows(m.headHeight(), m.h-m.headHeight()-m.footHeight())
}
