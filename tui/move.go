package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// key passes a key to what has the focus: an editor, the keys' page, or a binding.
func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	m.message = message{}
	b := bound(m.bindings, m.screen, msg.String())
	switch {
	case msg.String() == "ctrl+c": // always
		return m.quit()
	case m.prompt.kind != noPrompt:
		return m.promptKey(msg)
	case m.help.open && (b == nil || b.Name != "quit" && b.Name != "suspend"):
		m.helpKey(b)
		return nil
	case m.screen == onStart && m.form.key(msg):
		return nil
	case b == nil:
		return nil
	}
	return b.do(m)
}

func (m *Model) paste(msg tea.PasteMsg) tea.Cmd {
	if m.prompt.kind != noPrompt {
		return m.promptKey(msg)
	}
	m.form.key(msg)
	return nil
}

func (m *Model) show(s screen) tea.Cmd {
	if s != onStart && m.session == nil {
		m.say("no run yet: choose one and press enter")
		return nil
	}
	m.screen = s
	return m.sample()
}

func (m *Model) turn(n int) tea.Cmd {
	i := slices.Index(inRun, m.screen)
	return m.show(inRun[(i+n+len(inRun))%len(inRun)])
}

// move moves the selection, or scrolls, n lines down.
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

// scrollBy scrolls within the lines of the pane. The log scrolls from its end.
func (m *Model) scrollBy(n int) {
	if m.screen == onLog {
		n = -n
	}
	m.refresh()
	lines, seen := panes[m.screen].extent(m.bodySize(), &m.scene)
	at := &m.view.scroll[m.screen]
	*at = clamp(clamp(*at, 0, lines-seen)+n, 0, lines-seen)
}

// clamp bounds n; low wins where the bounds cross.
func clamp(n, low, high int) int { return max(min(n, high), low) }

func (m *Model) page() int { return max(1, m.bodySize().h-2) }

// choose selects the scheme n places further down.
func (m *Model) choose(n int) tea.Cmd {
	m.refresh()
	if len(m.order) > 0 {
		m.selected = m.order[clamp(m.place()+n, 0, len(m.order)-1)]
		m.view.scroll[onInside] = 0
	}
	return nil
}

func (m *Model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	switch msg.Button {
	case tea.MouseWheelUp:
		return m.move(-1)
	case tea.MouseWheelDown:
		return m.move(1)
	}
	return nil
}
