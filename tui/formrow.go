package tui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"
)

// formRow is a row of a part of the form that can have the focus.
type formRow struct {
	script int // in the part of the scripts
	pick   int
	param  int // -1: the scheme itself
	option int // in the part of the settings: deviceRow, seedRow, or an option
}

const (
	deviceRow = -2
	seedRow   = -1
)

// rows are the rows of a part.
func (f *form) rows(part int) (list []formRow) {
	switch part {
	case scriptPart:
		for i := range f.catalog.Scripts {
			list = append(list, formRow{script: i})
		}
	case schemePart:
		for i, p := range f.picks {
			list = append(list, formRow{pick: i, param: -1})
			for j := range p.values {
				if p.open {
					list = append(list, formRow{pick: i, param: j})
				}
			}
		}
	case settingPart:
		list = append(list, formRow{option: deviceRow}, formRow{option: seedRow})
		for i := range f.options() {
			list = append(list, formRow{option: i})
		}
	}
	return list
}

// options are those of the script that is chosen.
func (f *form) options() []Option {
	if f.script < len(f.catalog.Scripts) {
		return f.catalog.Scripts[f.script].Options
	}
	return nil
}

// row is the one that has the focus.
func (f *form) row() (formRow, bool) {
	list := f.rows(f.part)
	if len(list) == 0 {
		return formRow{}, false
	}
	f.at[f.part] = min(f.at[f.part], len(list)-1)
	return list[f.at[f.part]], true
}

func (f *form) move(n int) {
	if list := f.rows(f.part); len(list) > 0 {
		f.at[f.part] = min(max(f.at[f.part]+n, 0), len(list)-1)
	}
	if f.part == scriptPart {
		f.script = f.at[scriptPart]
	}
}

// click gives the focus to a row: the number of its part, and its own.
func (f *form) click(code int) tea.Cmd {
	if code < 0 {
		return nil
	}
	f.part = code / formStride
	f.at[f.part] = code % formStride
	f.move(0)
	return nil
}

// formStride is more than a part has rows.
const formStride = 1 << 16

func (m *Model) part(n int) tea.Cmd {
	m.form.part = (m.form.part + n + formParts) % formParts
	return nil
}

// toggle chooses a scheme or leaves it out.
func (m *Model) toggle() tea.Cmd {
	f := &m.form
	if r, ok := f.row(); ok && f.part == schemePart {
		f.picks[r.pick].on = !f.picks[r.pick].on
	}
	return nil
}

// chooseAll chooses all schemes, or none if all are chosen.
func (m *Model) chooseAll() tea.Cmd {
	f := &m.form
	all := !slices.ContainsFunc(f.picks, func(p pick) bool { return !p.on })
	for i := range f.picks {
		f.picks[i].on = !all
	}
	f.part = schemePart
	return nil
}

// copy adds the scheme once more.
func (m *Model) copy() tea.Cmd {
	f := &m.form
	if r, ok := f.row(); ok && f.part == schemePart {
		p := f.picks[r.pick]
		p.values, p.on, p.open = slices.Clone(p.values), true, true
		f.picks = slices.Insert(f.picks, r.pick+1, p)
		for i, other := range f.rows(schemePart) {
			if other.pick == r.pick+1 && other.param < 0 {
				f.at[schemePart] = i
			}
		}
	}
	return nil
}

// value is what the row with the focus has for a value, and what it can be; nil: anything.
func (f *form) value() (text *string, known []string) {
	r, ok := f.row()
	switch {
	case !ok || f.part == scriptPart || f.part == schemePart && r.param < 0:
		return nil, nil
	case f.part == schemePart:
		param := f.picks[r.pick].scheme.Params[r.param]
		known = param.Words
		for _, v := range param.Values {
			known = append(known, strconv.FormatInt(v, 10))
		}
		return &f.picks[r.pick].values[r.param], known
	case r.option == seedRow:
		return &f.seed, nil
	case r.option == deviceRow:
		return nil, nil
	}
	return &f.values[f.catalog.Scripts[f.script].Name][r.option], nil
}

// step goes to another value; on a scheme it shows its parameters, or hides them.
func (m *Model) step(n int) tea.Cmd {
	f := &m.form
	r, ok := f.row()
	text, known := f.value()
	switch {
	case !ok:
	case f.part == schemePart && r.param < 0:
		f.picks[r.pick].open = n > 0
	case f.part == settingPart && r.option == deviceRow && len(f.catalog.Devices) > 0:
		f.device = (f.device + n + len(f.catalog.Devices)) % len(f.catalog.Devices)
	case text != nil && known != nil:
		i := max(slices.Index(known, *text), 0)
		*text = known[min(max(i+n, 0), len(known)-1)]
	case text != nil:
		if v, err := strconv.ParseInt(*text, 10, 64); err == nil {
			*text = strconv.FormatInt(max(v+int64(n), 0), 10)
		}
	}
	return nil
}

// edit lets the user write the value.
func (m *Model) edit() tea.Cmd {
	if text, _ := m.form.value(); text != nil {
		m.prompt.open(valuePrompt, *text)
	}
	return nil
}

// digit begins a new value with a digit.
func (m *Model) digit(msg tea.KeyPressMsg) tea.Cmd {
	text, _ := m.form.value()
	if m.screen == onStart && text != nil && len(msg.Text) == 1 && msg.Text[0] >= '0' && msg.Text[0] <= '9' {
		m.prompt.open(valuePrompt, msg.Text)
	}
	return nil
}

// set takes a value that was written.
func (f *form) set(value string) {
	if text, _ := f.value(); text != nil {
		*text = value
	}
}
