package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// help is the page of keys.
type help struct {
	open bool
	from int // the first line, when scrolled
}

func (m *Model) helpLines() (lines [][2]string, keys int) {
	for i := range m.bindings {
		if b := &m.bindings[i]; m.useful(b) {
			name := keyNames.Replace(strings.Join(b.Keys, " "))
			lines, keys = append(lines, [2]string{name, b.Help}), max(keys, ansi.StringWidth(name))
		}
	}
	return lines, keys
}

// helpArea covers the pane, and in a low terminal also the header.
func (m *Model) helpArea(all area) area {
	if m.ruled() {
		return m.body(all)
	}
	return all.rows(0, m.h-1)
}

// helpLayout returns the columns of the page and the rows of each.
func (m *Model) helpLayout(a area) (columns, rows int) {
	lines, _ := m.helpLines()
	columns = clamp((len(lines)+a.h-3)/max(a.h-2, 1), 1, max(a.w/40, 1))
	return columns, (len(lines) + columns - 1) / columns
}

// drawHelp draws the keys of the screen in as few columns as they fit in.
func (m *Model) drawHelp(a area) {
	lines, keys := m.helpLines()
	columns, rows := m.helpLayout(a)
	a = a.marked(0)
	a.text(1, 0, bold|accent, "keys of this screen; any key goes back")
	w, from := a.w/columns, clamp(m.help.from, 0, rows-(a.h-2))
	for i, line := range lines {
		if y := i%rows - from; y >= 0 && y < a.h-2 {
			column := a.part(i/rows*w, 1+y, w-1, 1)
			column.text(1, 0, bold, line[0])
			column.text(keys+3, 0, normal, line[1])
		}
	}
	scrollMarks(a, from, rows-from-(a.h-2))
}

func (m *Model) helpKey(b *Binding) {
	a, step := m.helpArea(area{w: m.w, h: m.h}), 0
	if b != nil {
		step = map[string]int{"up": -1, "down": 1, "page-up": 2 - a.h, "page-down": a.h - 2}[b.Name]
	}
	if m.help.open = step != 0; m.help.open {
		_, rows := m.helpLayout(a)
		m.help.from = clamp(m.help.from+step, 0, rows-(a.h-2))
	}
}

func (m *Model) toggleHelp() tea.Cmd {
	m.help = help{open: !m.help.open}
	return nil
}
