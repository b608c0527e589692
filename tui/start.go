package tui

import (
	"slices"
)

// drawStartHeader says what this is.
func drawStartHeader(a area) {
	a.line(0, 2, []piece{{0, bold | title, "hashzoo", ""}, {1, normal, "schemes side by side, on the same input", ""}}, nil)
	a.text(1, 1, faint, a.c.fit("Choose a script and schemes; enter runs them.", a.w-2))
	if a.h > 2 {
		a.fill(0, a.h-1, a.w, frame, "─")
	}
}

// draw draws the form: all parts beside each other where there is room, else the one with the
// focus.
func (f *form) draw(a area, p *prompt) {
	f.editOK = false
	if f.failure != nil {
		lines := wrap(a.c, f.failure.Error(), a.w-2, 3)
		for i, line := range lines {
			a.text(1, a.h-len(lines)+i, bold|bad, line)
		}
		a = a.rows(0, a.h-len(lines))
	}
	a = f.drawAbout(a)
	if a.w < 100 {
		x := 1
		for i, name := range partNames {
			st := faint
			if i == f.part {
				st, name = bold|accent, "▸"+name
			}
			x = a.text(x, 0, st, name) + 2
		}
		f.drawPart(a.rows(1, a.h-1), f.part, p)
		return
	}
	left := a.w * 9 / 20
	n := len(f.rows(settingPart)) + 1
	settings := min(n, a.h/2)
	f.drawTitled(a.part(0, 0, left, a.h-settings-1), scriptPart, p)
	f.drawTitled(a.part(0, a.h-settings, left, settings), settingPart, p)
	f.drawTitled(a.part(left+1, 0, a.w-left-1, a.h), schemePart, p)
}

// drawAbout says below the form all about the row with the focus, and returns the rest.
func (f *form) drawAbout(a area) area {
	const lines = 2
	for i, line := range wrap(a.c, f.about(), a.w-2, lines) {
		a.text(1, a.h-lines+i, faint, line)
	}
	return a.rows(0, a.h-lines-1)
}

// about is what the row with the focus is.
func (f *form) about() string {
	r, ok := f.row()
	switch {
	case !ok:
		return ""
	case f.part == scriptPart:
		if s := &f.catalog.Scripts[r.script]; s.Err != nil {
			return s.Name + ": cannot be run: " + s.Err.Error()
		} else {
			return s.Name + ": " + s.Title
		}
	case f.part == schemePart && r.param < 0:
		return f.picks[r.pick].scheme.Name + ": " + f.picks[r.pick].scheme.About
	case f.part == schemePart:
		p := f.picks[r.pick].scheme.Params[r.param]
		return p.Name + ": " + p.Help + ". It takes " + p.Allowed() + "."
	case r.option >= 0:
		o := f.options()[r.option]
		return o.Name + ": " + optionHelp(o)
	}
	return ""
}

func optionHelp(o Option) string {
	if o.Axis {
		return "an axis: 1,2,3 or from:to:step or from:to:*factor"
	}
	return o.Help
}

func (f *form) drawTitled(a area, part int, p *prompt) {
	st, name := faint, partNames[part]
	if part == f.part {
		st, name = bold|accent, "▸"+name
	}
	a.text(1, 0, st, name)
	f.drawPart(a.rows(1, a.h-1), part, p)
}

func (f *form) drawPart(a area, part int, p *prompt) {
	rows := f.rows(part)
	at := min(f.at[part], max(len(rows)-1, 0))
	a, from, to := scrolled(a, len(rows), 1, at)
	for i, r := range rows[from:to] {
		line := a.rows(i, 1)
		line.clickable(part*formStride+from+i, "")
		focus := part == f.part && from+i == at
		if focus {
			line = line.marked(chosen)
			line.text(0, 0, bold|accent, "▸")
		}
		if !focus || p.kind != valuePrompt {
			p = &prompt{}
		}
		switch part {
		case scriptPart:
			f.drawScript(line, r.script)
		case schemePart:
			f.drawPick(line, r, p)
		case settingPart:
			f.drawSetting(line, r.option, p)
		}
	}
}

func (f *form) drawScript(a area, i int) {
	s := &f.catalog.Scripts[i]
	sign, st := "○", normal
	if i == f.script {
		sign, st = "●", bold
	}
	a.text(1, 0, accent, sign)
	x := max(a.text(3, 0, st, a.c.fit(s.Name, a.w/2)), 3+min(f.widest(), a.w/2)) + 2
	if s.Err != nil {
		a.text(x, 0, bad, a.c.fit("cannot run: "+s.Err.Error(), a.w-x))
		return
	}
	a.text(x, 0, faint, a.c.fit(s.Title, a.w-x))
}

func (f *form) widest() (w int) {
	for _, s := range f.catalog.Scripts {
		w = max(w, len(s.Name))
	}
	return w
}

func (f *form) drawPick(a area, r formRow, p *prompt) {
	pick := &f.picks[r.pick]
	if r.param >= 0 {
		param := pick.scheme.Params[r.param]
		help := param.Allowed() + ": " + param.Help
		f.drawValue(a, 7, param.Name, pick.values[r.param], help, pick.wrong(r.param), p)
		return
	}
	sign := "□"
	if pick.on {
		sign = "■"
	}
	a.text(1, 0, accent, sign)
	config, err := pick.config()
	x := a.text(3, 0, bold, pick.scheme.Name) + 1
	if pick.open {
		a.right(a.w-1, 0, faint, "←")
	} else {
		a.right(a.w-1, 0, faint, "→")
	}
	switch {
	case err != nil && !slices.ContainsFunc(f.rows(schemePart), func(o formRow) bool { return o.pick == r.pick && o.param >= 0 && pick.wrong(o.param) != nil }):
		a.text(max(x, 14), 0, bad, a.c.fit(err.Error(), a.w-17))
	case config.Scheme != nil && config.String() != pick.scheme.Name:
		a.text(x, 0, accent, a.c.fit(config.String()[len(pick.scheme.Name)+1:], a.w-x-3))
	default:
		a.text(max(x, 14), 0, faint, a.c.fit(pick.scheme.Title, a.w-17))
	}
}

func (f *form) drawSetting(a area, option int, p *prompt) {
	switch option {
	case deviceRow:
		if len(f.catalog.Devices) == 0 {
			f.drawValue(a, 1, "device", f.catalog.Default.Device, "", nil, p)
			return
		}
		d := f.catalog.Devices[f.device]
		f.drawValue(a, 1, "device", d.Name, d.Model, nil, p)
	case seedRow:
		_, err := parseSeed(f.seed)
		f.drawValue(a, 1, "seed", f.seed, "what all random choices are drawn from", err, p)
	default:
		o := f.options()[option]
		f.drawValue(a, 1, o.Name, f.values[f.catalog.Scripts[f.script].Name][option], optionHelp(o), nil, p)
	}
}

// drawValue draws a value with its name, and what it can be or what is wrong with it.
func (f *form) drawValue(a area, x int, name, value, help string, wrong error, p *prompt) {
	st := bold
	if wrong != nil {
		st, help = bold|bad, wrong.Error()
	}
	a.text(x, 0, normal, a.c.fit(name, 13))
	x += 14
	w := max(10, min(24, a.w/5))
	if p.kind == valuePrompt {
		text, cursor := p.visible(a.c, w)
		a.fill(x, 0, w, accent, "_")
		a.text(x, 0, bold|accent, text)
		f.x, f.y, f.editOK = a.x+x+cursor, a.y, true
	} else {
		a.text(x, 0, st, a.c.fit(value, w))
	}
	x += w + 1
	st = faint
	if wrong != nil {
		st = bad
	}
	a.text(x, 0, st, a.c.fit(help, a.w-x))
}

// cursor is where the value that is being written was drawn last.
func (f *form) cursor() (x, y int, ok bool) { return f.x, f.y, f.editOK }
