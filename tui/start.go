package tui

import "slices"

func drawStartHeader(a area) {
	a.line(0, pieces{{0, bold | title, "hashzoo", nil}, {1, normal, "schemes side by side, on the same input", nil}}, nil)
	a.text(1, 1, faint, "Choose a script and schemes; enter runs them.")
	if a.h > 2 {
		a.fill(0, a.h-1, a.w, frame, "─")
	}
}

// draw draws all parts side by side if they fit, else the one with the focus.
func (f *form) draw(a area) {
	if f.failure != nil {
		lines := wrap(f.failure.Error(), a.w-2, 3)
		for i, line := range lines {
			a.text(1, a.h-len(lines)+i, bold|bad, line)
		}
		a = a.rows(0, a.h-len(lines))
	}
	a = f.drawAbout(a)
	if a.w < 100 {
		x := 1
		for part := range formParts {
			x = f.drawTitle(a, x, part) + 2
		}
		f.drawPart(a.rows(1, a.h-1), f.part)
		return
	}
	left := a.w * 9 / 20
	settings := min(len(f.rows(settingPart))+1, a.h/2)
	for part, a := range [formParts]area{a.part(0, 0, left, a.h-settings-1), a.part(left+1, 0, a.w-left-1, a.h), a.part(0, a.h-settings, left, settings)} {
		f.drawTitle(a, 1, part)
		f.drawPart(a.rows(1, a.h-1), part)
	}
}

func (f *form) drawTitle(a area, x, part int) (end int) {
	focus := part == f.part
	return a.text(x, 0, either(focus, bold|accent, faint), either(focus, "▸", "")+partNames[part])
}

// drawAbout explains the row with the focus below the form, and returns the rest of the area.
func (f *form) drawAbout(a area) area {
	const lines = 2
	for i, line := range wrap(f.row().about, a.w-2, lines) {
		a.text(1, a.h-lines+i, faint, line)
	}
	return a.rows(0, a.h-lines-1)
}

func (f *form) drawPart(a area, part int) {
	rows := f.rows(part)
	at := clamp(f.at[part], 0, len(rows)-1)
	a, from, to := scrolled(a, len(rows), 1, at)
	for i, r := range rows[from:to] {
		line := a.rows(i, 1)
		line.clickable(func(m *Model) { m.form.focus(part, from+i) })
		focus := part == f.part && from+i == at
		if focus {
			line = line.marked(chosen)
			line.text(0, 0, bold|accent, "▸")
		}
		switch {
		case r.field != nil:
			f.drawField(line, either(part == schemePart, 7, 1), r.field, focus && f.editing)
		case part == schemePart:
			f.picks[r.index].draw(line)
		default:
			f.drawScript(line, r.index)
		}
	}
}

func (f *form) drawScript(a area, i int) {
	s, on, widest := &f.catalog.Scripts[i], i == f.at[scriptPart], 0
	for _, s := range f.catalog.Scripts {
		widest = max(widest, width(s.Name))
	}
	a.text(1, 0, accent, either(on, "●", "○"))
	a.text(3, 0, either(on, bold, normal), fit(s.Name, a.w/2))
	a.text(5+min(widest, a.w/2), 0, either(s.Err == nil, faint, bad), s.Title)
}

// draw draws a scheme with its parameters, and their error unless it is shown beside one of them.
func (p *pick) draw(a area) {
	a.text(1, 0, accent, either(p.on, "■", "□"))
	a.right(a.w-1, 0, faint, either(p.open, "←", "→"))
	a = a.part(0, 0, a.w-3, 1)
	x := a.text(3, 0, bold, p.scheme.Name) + 1
	beside := p.open && slices.ContainsFunc(p.params, func(v field) bool {
		_, err := v.help(v.value)
		return err != nil
	})
	config, err := p.config()
	switch {
	case err != nil && !beside:
		a.text(max(x, 14), 0, bad, err.Error())
	case err == nil && config.String() != p.scheme.Name:
		a.text(x, 0, accent, config.String()[len(p.scheme.Name)+1:])
	default:
		a.text(max(x, 14), 0, faint, p.scheme.Title)
	}
}

func (f *form) drawField(a area, x int, v *field, editing bool) {
	wrong, hintStyle := style(0), faint
	help, err := v.help(v.value)
	if err != nil {
		wrong, hintStyle, help = bad, bad, err.Error()
	}
	a.text(x, 0, normal, fit(v.name, 13))
	x += 14
	w := clamp(a.w/5, 10, 24)
	if editing {
		f.input.SetWidth(w - 1)
		a.styled(x, 0, w, f.input.View())
	} else {
		a.text(x, 0, bold|wrong, fit(v.value, w))
	}
	a.text(x+w+1, 0, hintStyle, help)
}
