package tui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"
)

// formRow is a row of the form: a script, a scheme, or a value.
type formRow struct {
	pick  int
	field *field // nil: the script or the scheme itself
	about string // the explanation below the form
	draw  func(area)
}

// field is a value that can be edited.
type field struct {
	name  string
	text  *string
	known []string // what it can be; nil: anything
	help  string   // beside it
	wrong error
}

type formPlace struct{ part, row int }

func (f *form) rows(part int) (list []formRow) {
	switch part {
	case scriptPart:
		for i := range f.catalog.Scripts {
			list = append(list, formRow{about: aboutScript(&f.catalog.Scripts[i]), draw: func(a area) { f.drawScript(a, i) }})
		}
	case schemePart:
		for i := range f.picks {
			p := &f.picks[i]
			list = append(list, formRow{pick: i, about: p.scheme.Name + ": " + p.scheme.About, draw: p.draw})
			for j := range p.values {
				if p.open {
					param := p.scheme.Params[j]
					list = append(list, formRow{pick: i, field: p.field(j), about: param.Name + ": " + param.Help + ". It takes " + param.Allowed() + "."})
				}
			}
		}
	case settingPart:
		_, err := parseSeed(f.seed)
		list = append(list, formRow{field: f.deviceField()},
			formRow{field: &field{name: "seed", text: &f.seed, help: "the seed of all random choices", wrong: err}})
		for i, o := range f.options() {
			v := f.optionField(i, o)
			list = append(list, formRow{field: v, about: v.name + ": " + v.help})
		}
	}
	return list
}

func (f *form) options() []Option {
	if f.script < len(f.catalog.Scripts) {
		return f.catalog.Scripts[f.script].Options
	}
	return nil
}

func (p *pick) field(i int) *field {
	param := p.scheme.Params[i]
	_, err := param.Parse(p.values[i])
	known := slices.Clone(param.Words)
	for _, v := range param.Values {
		known = append(known, strconv.FormatInt(v, 10))
	}
	return &field{name: param.Name, text: &p.values[i], known: known, wrong: err, help: param.Allowed() + ": " + param.Help}
}

func (f *form) deviceField() *field {
	d := &field{name: "device", text: &f.device, known: names(f.catalog.Devices, func(d *Device) string { return d.Name })}
	if i := slices.Index(d.known, f.device); i >= 0 {
		d.help = f.catalog.Devices[i].Model
	}
	return d
}

func (f *form) optionField(i int, o Option) *field {
	if o.Axis {
		o.Help = "an axis: 1,2,3 or from:to:step or from:to:*factor"
	}
	return &field{name: o.Name, text: &f.values[f.catalog.Scripts[f.script].Name][i], help: o.Help}
}

func (f *form) row() (formRow, bool) {
	list := f.rows(f.part)
	if len(list) == 0 {
		return formRow{}, false
	}
	f.at[f.part] = min(f.at[f.part], len(list)-1)
	return list[f.at[f.part]], true
}

func (f *form) move(n int) {
	f.at[f.part] = clamp(f.at[f.part]+n, 0, max(len(f.rows(f.part))-1, 0))
	if f.part == scriptPart {
		f.script = f.at[scriptPart]
	}
}

func (f *form) focus(p formPlace) {
	f.part, f.at[p.part] = p.part, p.row
	f.move(0)
}

func (f *form) turn(n int) { f.part = (f.part + n + formParts) % formParts }

// toggle chooses a scheme, or leaves it out.
func (f *form) toggle() {
	if r, ok := f.row(); ok && f.part == schemePart {
		f.picks[r.pick].on = !f.picks[r.pick].on
	}
}

// chooseAll chooses all schemes, or none if all are chosen.
func (f *form) chooseAll() {
	some := slices.ContainsFunc(f.picks, func(p pick) bool { return !p.on })
	for i := range f.picks {
		f.picks[i].on = some
	}
	f.part = schemePart
}

func (f *form) copy() {
	r, ok := f.row()
	if !ok || f.part != schemePart {
		return
	}
	p := f.picks[r.pick]
	p.values, p.on, p.open = slices.Clone(p.values), true, true
	f.picks = slices.Insert(f.picks, r.pick+1, p)
	f.at[schemePart] = slices.IndexFunc(f.rows(schemePart), func(o formRow) bool { return o.pick == r.pick+1 })
}

// step goes n values on; on a scheme it shows its parameters, or hides them.
func (f *form) step(n int) {
	r, ok := f.row()
	switch {
	case !ok || f.part == scriptPart:
	case r.field == nil:
		f.picks[r.pick].open = n > 0
	case len(r.field.known) > 0:
		i := max(slices.Index(r.field.known, *r.field.text), 0)
		*r.field.text = r.field.known[clamp(i+n, 0, len(r.field.known)-1)]
	default:
		if v, err := strconv.ParseInt(*r.field.text, 10, 64); err == nil {
			*r.field.text = strconv.FormatInt(max(v+int64(n), 0), 10)
		}
	}
}

func (f *form) edit() {
	if r, ok := f.row(); ok && r.field != nil {
		f.input, f.editing, f.fresh = newInput("", *r.field.text), true, true
	}
}

// key gives a key, or what was pasted, to the value being edited; a digit starts to edit. It
// reports whether the form took it.
func (f *form) key(msg tea.Msg) bool {
	key, _ := msg.(tea.KeyPressMsg)
	digit := len(key.Text) == 1 && key.Text >= "0" && key.Text <= "9"
	if f.failure = nil; !f.editing && digit {
		f.edit()
	}
	if !f.editing {
		return false
	}
	switch key.String() {
	case "esc":
		f.editing = false
	case "enter":
		if r, ok := f.row(); ok && r.field != nil {
			*r.field.text = f.input.Value()
		}
		f.editing = false
	default:
		if f.fresh && digit {
			f.input.SetValue("")
		}
		f.fresh = false
		f.input, _ = f.input.Update(msg)
	}
	return true
}
