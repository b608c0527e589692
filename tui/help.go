package tui

import "strings"

// helpLines are the keys of the screen, and what they do.
func (m *Model) helpLines() (lines [][2]string, keys int) {
	for i := range m.bindings {
		if b := &m.bindings[i]; m.useful(b) {
			lines = append(lines, [2]string{keyText(b), b.Help})
			keys = max(keys, m.canvas.width(keyText(b)))
		}
	}
	return lines, keys
}

// helpLayout is how many columns the keys are drawn in, and how many lines those have.
func (m *Model) helpLayout(a area) (columns, rows int) {
	lines, _ := m.helpLines()
	columns = min((len(lines)+a.h-3)/max(a.h-2, 1), max(a.w/40, 1))
	return columns, (len(lines) + columns - 1) / columns
}

// drawHelp draws the keys of the screen, in as many columns as they need and have room.
func (m *Model) drawHelp(a area) {
	lines, keys := m.helpLines()
	columns, rows := m.helpLayout(a)
	a = a.marked(0)
	a.text(1, 0, bold|accent, "keys of this screen; any of them goes back")
	w := a.w / columns
	from := min(m.helpAt, max(rows-(a.h-2), 0))
	for i, line := range lines {
		y := i%rows - from
		if y < 0 || y >= a.h-2 {
			continue
		}
		column := a.part(i/rows*w, 1+y, w-1, 1)
		column.text(1, 0, bold, line[0])
		column.text(keys+3, 0, normal, a.c.fit(line[1], column.w-keys-3))
	}
	scrollMarks(a, from, max(rows-from-(a.h-2), 0))
}

// helpKey scrolls through the keys, or goes back.
func (m *Model) helpKey(name string) {
	a := m.helpArea()
	_, rows := m.helpLayout(a)
	step := map[string]int{"up": -1, "down": 1, "page-up": 2 - a.h, "page-down": a.h - 2}[name]
	if step == 0 {
		m.help = false
		return
	}
	m.helpAt = min(max(m.helpAt+step, 0), max(rows-(a.h-2), 0))
}

// keyName is a key as the line of keys shows it.
func keyName(key string) string {
	return strings.NewReplacer("left", "←", "right", "→").Replace(key)
}
