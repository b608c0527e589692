package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
)

// View draws the screen. If it is another one than before, the run that waits for it begins, or
// goes on, when it is out.
func (m *Model) View() tea.View {
	if m.unchanged || !m.sized {
		return m.shown
	}
	before := m.shown.Content
	m.shown = m.drawn()
	if m.release != nil && (m.shown.Content != before || m.outlet.awaited()) {
		m.outlet.after(m.release)
		m.release = nil
	}
	m.letGo(nil)
	return m.shown
}

// letGo lets the run go on that has waited for the screen until now, and has it wait for
// the next screen until somebody leaves.
func (m *Model) letGo(next func()) {
	if m.release != nil {
		m.release()
	}
	m.release = next
}

func (m *Model) drawn() tea.View {
	m.draw()
	m.out.Reset()
	m.out.Grow(8 * len(m.canvas.cells))
	m.canvas.write(&m.out, m.theme)
	v := tea.NewView(m.out.String())
	v.AltScreen, v.MouseMode, v.WindowTitle = true, tea.MouseModeCellMotion, "hashzoo"
	if x, ok := m.prompt.cursor(m.w); ok {
		v.Cursor = tea.NewCursor(x, m.h-1)
	} else if x, y, ok := m.form.cursor(); ok && m.screen == onStart && m.prompt.kind == valuePrompt {
		v.Cursor = tea.NewCursor(x, y)
	}
	return v
}

// draw draws the screen into the canvas.
func (m *Model) draw() {
	m.canvas.reset(m.w, m.h)
	all := m.canvas.all()
	if m.w < leastWidth || m.h < leastHeight {
		m.tooSmall(all)
		return
	}
	m.refresh()
	body := m.body()
	switch {
	case m.screen == onStart:
		drawStartHeader(all.rows(0, m.headHeight()))
		m.form.draw(body, &m.prompt)
	case m.scene.Snapshot == nil:
		all.text(1, 0, bold|title, "hashzoo")
		body.text(1, 0, faint, "the run begins")
	default:
		drawHeader(all.rows(0, m.headHeight()), &m.scene)
		panes[m.screen].draw(body, &m.scene)
	}
	m.drawFooter(all.rows(m.h-m.footHeight(), m.footHeight()))
	if m.help {
		m.drawHelp(m.helpArea())
	}
}

// tooSmall says what size is needed.
func (m *Model) tooSmall(a area) {
	for i, line := range []string{"hashzoo needs a terminal", fmt.Sprintf("of %d×%d at least,", leastWidth, leastHeight),
		fmt.Sprintf("this one has %d×%d", m.w, m.h)} {
		a.text(0, i, normal, line)
	}
}

// Where there are few rows, lines between the parts are left out.
func (m *Model) ruled() bool { return m.h >= 20 }

func (m *Model) headHeight() int {
	h := 2
	if m.screen != onStart && m.scene.Snapshot != nil && trouble(&m.scene) != "" {
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

// helpArea is where the keys are drawn: over what is there, but the header where it has room.
func (m *Model) helpArea() area {
	if m.ruled() {
		return m.body()
	}
	return m.canvas.all().rows(0, m.h-1)
}

// body is where a pane draws.
func (m *Model) body() area {
	return m.canvas.all().rows(m.headHeight(), m.h-m.headHeight()-m.footHeight())
}
