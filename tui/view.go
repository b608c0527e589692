package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
)

// View is the screen as the library is to know it: empty, for it is drawn past it (outlet).
func (m *Model) View() tea.View {
	v := tea.NewView(" ")
	v.AltScreen, v.MouseMode, v.WindowTitle = true, tea.MouseModeCellMotion, "hashzoo"
	return v
}

// render draws what has changed. A run that is on the screen may begin.
func (m *Model) render() {
	if !m.sized || !m.outlet.ready() {
		return
	}
	m.draw()
	m.out.Reset()
	m.sheet.become(&m.out, &m.canvas, m.theme, m.cursor())
	switch {
	case !m.outlet.draw(m.out.String()):
		m.sheet.forget()
	case m.latest != nil:
		m.session.Begin()
	}
}

// cursor is the sequence that puts the cursor where something is being written.
func (m *Model) cursor() string {
	if m.small() {
		return hidden
	}
	if x, ok := m.prompt.cursor(m.w); ok {
		return cursorAt(x, m.h-1)
	}
	if x, y, ok := m.form.cursor(); ok && m.screen == onStart && m.prompt.kind == valuePrompt {
		return cursorAt(x, y)
	}
	return hidden
}

// listen waits until the library has written to the screen.
func (m *Model) listen() tea.Cmd {
	ctx, over := m.ctx, m.outlet.over
	return func() tea.Msg {
		select {
		case <-over:
			return overwritten{}
		case <-ctx.Done():
			return nil
		}
	}
}

// draw draws the screen into the canvas.
func (m *Model) draw() {
	m.canvas.reset(m.w, m.h)
	all := m.canvas.all()
	if m.small() {
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

func (m *Model) small() bool { return m.w < leastWidth || m.h < leastHeight }

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
