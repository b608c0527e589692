package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
)

// View is the screen. It is drawn only after something has changed.
func (m *Model) View() tea.View {
	if !m.drawn {
		m.draw(&m.canvas)
		m.content, m.drawn = m.canvas.Render(), true
	}
	v := tea.NewView(m.content)
	v.AltScreen, v.MouseMode, v.WindowTitle = true, tea.MouseModeCellMotion, "hashzoo"
	return v
}

// The smallest terminal that shows everything.
const (
	leastWidth  = 60
	leastHeight = 16
)

func (m *Model) draw(c *canvas) {
	c.reset(m.w, m.h)
	if m.w < leastWidth || m.h < leastHeight {
		for i, line := range []string{"hashzoo needs a terminal", fmt.Sprintf("of %d×%d at least,", leastWidth, leastHeight),
			fmt.Sprintf("this one has %d×%d", m.w, m.h)} {
			c.all().text(0, i, normal, line)
		}
	} else {
		m.drawScreen(c.all())
	}
	if c.ascii {
		c.toASCII()
	}
}

func (m *Model) drawScreen(all area) {
	head, body, foot := m.layout(all)
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
	m.drawFooter(foot)
	if m.help.open {
		m.drawHelp(either(m.ruled(), body, all.rows(0, m.h-1))) // in a low terminal over the header, too
	}
}

// ruled reports whether there is room for lines between the parts.
func (m *Model) ruled() bool { return m.h >= 20 }

func (m *Model) layout(all area) (head, body, foot area) {
	above, below := 2, 2
	if m.screen != onStart && m.Snapshot != nil && trouble(&m.scene) != "" {
		above++
	}
	if m.ruled() {
		above, below = above+1, below+1
	}
	return all.rows(0, above), all.rows(above, m.h-above-below), all.rows(m.h-below, below)
}
