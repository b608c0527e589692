package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// show goes to a screen.
func (m *Model) show(s screen) tea.Cmd {
	if s != onStart && m.session == nil {
		m.say("no run yet: choose one and press enter")
		return nil
	}
	m.screen = s
	return m.sample()
}

// turn goes so many screens on.
func (m *Model) turn(n int) tea.Cmd {
	i := slices.Index(runs, m.screen)
	return m.show(runs[(i+n+len(runs))%len(runs)])
}

// move moves the selection, or what is scrolled, so many lines down.
func (m *Model) move(n int) tea.Cmd {
	switch {
	case m.screen == onStart:
		m.form.move(n)
	case panes[m.screen].extent != nil:
		m.scrollBy(n)
	default:
		return m.choose(n)
	}
	return nil
}

// scrollBy scrolls within what there is. The log is scrolled from its end.
func (m *Model) scrollBy(n int) {
	if m.screen == onLog {
		n = -n
	}
	m.refresh()
	lines, seen := panes[m.screen].extent(m.body(), &m.scene)
	at := &m.view.scroll[m.screen]
	*at = min(max(min(*at, max(lines-seen, 0))+n, 0), max(lines-seen, 0))
}

// page is how many lines a page is.
func (m *Model) page() int { return max(1, m.body().h-2) }

// choose selects the scheme so many places further down.
func (m *Model) choose(n int) tea.Cmd {
	m.refresh()
	if len(m.scene.order) > 0 {
		m.selected = m.scene.order[min(max(m.scene.place()+n, 0), len(m.scene.order)-1)]
		m.view.scroll[onInside] = 0
	}
	return nil
}

// click selects what was clicked.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	defer m.refresh()
	h, ok := m.canvas.hitAt(msg.X, msg.Y)
	if !ok || msg.Button != tea.MouseLeft || m.prompt.kind != noPrompt {
		return nil
	}
	if h.action != "" {
		for i := range m.bindings {
			if b := &m.bindings[i]; b.Name == h.action && b.on.has(m.screen) {
				return b.do(m)
			}
		}
		return nil
	}
	if m.screen == onStart {
		return m.form.click(h.scheme)
	}
	m.selected = h.scheme
	return nil
}

// wheel scrolls.
func (m *Model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	defer m.refresh()
	switch msg.Button {
	case tea.MouseWheelUp:
		return m.move(-1)
	case tea.MouseWheelDown:
		return m.move(1)
	}
	return nil
}
