package tui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/hashzoo/hashzoo/runtime/lists"
	numbers "github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// form is the start screen: what to run.
type form struct {
	catalog Catalog
	zoo     []*schemes.Scheme
	part    int
	at      [formParts]int // the row of each part that has the focus; that of a script is chosen
	filter  string         // only scripts that contain it are shown
	picks   []pick
	device  field
	seed    field
	options map[string][]field // of each script
	failure error              // why the run could not start

	input   textinput.Model
	editing bool // a value is being edited
	fresh   bool // and nothing was typed yet: a digit replaces it
}

// The parts of the form.
const (
	scriptPart = iota
	schemePart
	settingPart
	formParts
)

var partNames = [formParts]string{"scripts", "schemes", "settings"}

type pick struct {
	scheme *schemes.Scheme
	on     bool
	open   bool // its parameters are shown
	params []field
}

type field struct {
	name  string
	value string // as typed
	usual string
	axis  bool
	known []string // its possible values; nil: any
	about string   // the explanation below the form
	// help returns the explanation next to a value, or its error.
	help func(value string) (string, error)
}

// formRow is a row of the form: a script, a scheme, or a value.
type formRow struct {
	index  int     // of the scheme
	script *Script // nil: of another part
	field  *field  // nil: the script or the scheme itself
	about  string  // the explanation below the form
}

func newForm(catalog Catalog, zoo []*schemes.Scheme) form {
	catalog.Scripts = slices.Clone(catalog.Scripts)
	f := form{catalog: catalog, zoo: zoo, options: map[string][]field{}}
	for i, s := range catalog.Scripts {
		if s.Err != nil {
			catalog.Scripts[i].Title = "cannot run: " + s.Err.Error()
		}
		f.options[s.Name] = append(f.options[s.Name], lists.Map(s.Options, optionField)...)
	}
	f.seed = field{name: "seed", help: func(value string) (string, error) {
		_, err := parseSeed(value)
		return "the seed of all random choices", err
	}}
	known := lists.Map(catalog.Devices, func(d Device) string { return d.Name })
	f.device = field{name: "device", known: known, help: func(value string) (string, error) {
		if i := slices.Index(known, value); i >= 0 {
			return catalog.Devices[i].Model, nil
		}
		return "", nil
	}}
	f.preset(catalog.Default)
	return f
}

func optionField(o Option) field {
	if o.Axis {
		o.Help = "an axis: 1,2,3 or from:to:step or from:to:*factor"
	}
	return field{name: o.Name, value: o.Default, usual: o.Default, axis: o.Axis, about: o.Name + ": " + o.Help,
		help: func(value string) (string, error) {
			if o.Check != nil {
				return o.Help, o.Check(value)
			}
			return o.Help, nil
		}}
}

func newPick(config schemes.Config, on bool) pick {
	p := pick{scheme: config.Scheme, on: on}
	for _, param := range config.Params {
		known := slices.Concat(param.Words, lists.Map(param.Values, func(v int64) string { return strconv.FormatInt(v, 10) }))
		p.params = append(p.params, field{name: param.Name, value: param.Text(config.Get(param.Name)), usual: param.Text(param.Default),
			known: known, about: param.Name + ": " + param.Help + ". It takes " + param.Allowed() + ".",
			help: func(value string) (string, error) {
				_, err := param.Parse(value)
				return param.Allowed() + ": " + param.Help, err
			}})
	}
	return p
}

func (f *form) preset(c Choice) {
	f.failure, f.device.value, f.seed.value = nil, c.Device, strconv.FormatUint(c.Seed, 10)
	f.presetScript(c)
	configs, err := session.Schemes(c.Schemes)
	f.picks = nil
	for _, s := range f.zoo {
		own := lists.Filter(configs, func(config schemes.Config) bool { return config.Scheme == s })
		f.picks = append(f.picks, lists.Map(own, func(config schemes.Config) pick { return newPick(config, true) })...)
		if len(own) == 0 {
			f.picks = append(f.picks, newPick(s.Defaults(), err != nil)) // the word all is no list of schemes
		}
	}
}

// presetScript chooses a script with its options. A script from elsewhere is added with the given options.
func (f *form) presetScript(c Choice) {
	i := slices.IndexFunc(f.catalog.Scripts, func(s Script) bool { return s.Name == c.Script })
	if i < 0 && c.Script != "" {
		i, f.catalog.Scripts = len(f.catalog.Scripts), append(f.catalog.Scripts, Script{Name: c.Script})
	}
	f.filter, f.at[scriptPart] = "", max(i, 0)
	options := f.options[c.Script]
	for j, assignment := range slices.Concat(c.Set, c.Axis) {
		name, value, _ := strings.Cut(assignment, "=")
		is := func(o field) bool { return o.name == name }
		lists.At(&options, is, optionField(Option{Name: name, Axis: j >= len(c.Set)})).value = value
	}
	f.options[c.Script] = options
}

// changed returns the values that differ from the usual ones, as assignments.
func changed(fields []field, axis bool) []string {
	some := lists.Filter(fields, func(v field) bool { return v.value != v.usual && v.axis == axis })
	return lists.Map(some, func(v field) string { return v.name + "=" + v.value })
}

func (p pick) config() (schemes.Config, error) {
	return p.scheme.Configure(strings.Join(changed(p.params, false), ","))
}

func (f *form) chosen() (choice Choice, err error) {
	script := f.script()
	if script == nil {
		return choice, errors.New(f.noScript())
	}
	if script.Err != nil {
		return choice, fmt.Errorf("%s: %w", script.Name, script.Err)
	}
	options := f.options[script.Name]
	choice = Choice{Script: script.Name, Device: f.device.value, Set: changed(options, false), Axis: changed(options, true)}
	if choice.Seed, err = parseSeed(f.seed.value); err == nil {
		choice.Schemes, err = f.chosenSchemes()
	}
	return choice, err
}

// chosenSchemes returns none if all have their usual parameters: the session then leaves out those that cannot run.
func (f *form) chosenSchemes() ([]string, error) {
	configs, err := lists.TryMap(lists.Filter(f.picks, func(p pick) bool { return p.on }), pick.config)
	list := lists.Map(configs, schemes.Config.String)
	switch {
	case err != nil:
		return nil, err
	case list == nil:
		return nil, errors.New("no scheme is chosen: space chooses one")
	case slices.Equal(list, lists.Map(f.zoo, func(s *schemes.Scheme) string { return s.Name })):
		return nil, nil
	}
	return list, nil
}

func (f *form) rows(part int) (list []formRow) {
	switch part {
	case scriptPart:
		list = lists.Map(f.scripts(), func(s *Script) formRow { return formRow{script: s, about: s.Name + ": " + s.Title} })
	case schemePart:
		for i, p := range f.picks {
			list = append(list, formRow{index: i, about: p.scheme.Name + ": " + p.scheme.About})
			if p.open {
				list = append(list, fieldRows(i, p.params)...)
			}
		}
	case settingPart:
		list = []formRow{{field: &f.device}, {field: &f.seed}}
		if s := f.script(); s != nil {
			list = append(list, fieldRows(0, f.options[s.Name])...)
		}
	}
	return list
}

// works reports whether a key does something to the row with the focus.
func (f *form) works(binding string) bool {
	switch value := f.row().field != nil; binding {
	case "edit":
		return value
	case "choose", "copy", "step":
		return f.part == schemePart
	case "value-before", "value-after":
		return value || f.part == schemePart
	}
	return true
}

func fieldRows(index int, fields []field) []formRow {
	return lists.Make(len(fields), func(i int) formRow { return formRow{index: index, field: &fields[i], about: fields[i].about} })
}

// row returns the row with the focus; without any script, an empty one.
func (f *form) row() formRow {
	list := append(f.rows(f.part), formRow{})
	f.at[f.part] = clamp(f.at[f.part], 0, len(list)-2)
	return list[f.at[f.part]]
}

func (f *form) move(n int) { f.at[f.part] = clamp(f.at[f.part]+n, 0, len(f.rows(f.part))-1) }

func (f *form) turn(n int) { f.part = (f.part + n + formParts) % formParts }

func (f *form) chooseAll() {
	some := slices.ContainsFunc(f.picks, func(p pick) bool { return !p.on })
	for i := range f.picks {
		f.picks[i].on = some
	}
	f.part = schemePart
}

func (f *form) copy() {
	if f.part != schemePart {
		return
	}
	i := f.row().index
	p := f.picks[i]
	p.params, p.on, p.open = slices.Clone(p.params), true, true
	f.picks = slices.Insert(f.picks, i+1, p)
	f.at[schemePart] = slices.IndexFunc(f.rows(schemePart), func(r formRow) bool { return r.index == i+1 })
}

// step goes n values on; on a scheme it shows or hides the parameters.
func (f *form) step(n int) {
	r := f.row()
	switch v := r.field; {
	case f.part == scriptPart:
	case v == nil:
		f.picks[r.index].open = n > 0
	case len(v.known) > 0:
		i := max(slices.Index(v.known, v.value), 0)
		v.value = v.known[clamp(i+n, 0, len(v.known)-1)]
	default:
		if x, ok := numbers.Integer(v.value); ok {
			v.value = strconv.FormatInt(max(x+int64(n), 0), 10)
		}
	}
}

func (f *form) edit() {
	if v := f.row().field; v != nil {
		f.input, f.editing, f.fresh = newInput("", v.value), true, true
	}
}

// key passes a key or a paste to the edited value, and reports whether the form used it. A digit starts editing.
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
		f.editing = false
		if v := f.row().field; v != nil { // a run that began meanwhile has changed the form
			v.value = f.input.Value()
		}
	default:
		if f.fresh && digit {
			f.input.SetValue("")
		}
		f.fresh = false
		f.input, _ = f.input.Update(msg)
	}
	return true
}

// draw draws all parts side by side if they fit, else the one with the focus.
func (f *form) draw(a area) {
	if f.failure != nil {
		lines := wrap(f.failure.Error(), a.w-2, 3)
		a.lines(1, a.h-len(lines), bold|bad, lines...)
		a = a.rows(0, a.h-len(lines))
	}
	const about = 2 // lines that explain the row with the focus
	a.lines(1, a.h-about, faint, wrap(f.row().about, a.w-2, about)...)
	a = a.rows(0, a.h-about-1)
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
	text := either(focus, "▸", "") + partNames[part]
	if part == scriptPart && f.filter != "" {
		text += fmt.Sprintf(" with %s: %d of %d", f.filter, len(f.scripts()), len(f.catalog.Scripts))
	}
	return a.text(x, 0, either(focus, bold|accent, faint), text)
}

func (f *form) drawPart(a area, part int) {
	rows := f.rows(part)
	if len(rows) == 0 {
		a.text(1, 0, faint, f.noScript())
	}
	at := clamp(f.at[part], 0, len(rows)-1)
	a, from, to := listed(a, len(rows), 1, at)
	for i, r := range rows[from:to] {
		line := a.rows(i, 1)
		line.clickable(func(m *Model) { m.form.part, m.form.at[part] = part, from+i })
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
			f.drawScript(line, r.script)
		}
	}
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
	switch config, err := p.config(); {
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

// The scripts of the form, and the filter that shows some of them.

func (f *form) scripts() (list []*Script) {
	for i := range f.catalog.Scripts {
		s := &f.catalog.Scripts[i]
		if strings.Contains(strings.ToLower(s.Name+" "+s.Title), strings.ToLower(f.filter)) {
			list = append(list, s)
		}
	}
	return list
}

// script is the chosen one; nil: none is shown.
func (f *form) script() *Script {
	list := f.scripts()
	if len(list) == 0 {
		return nil
	}
	return list[min(f.at[scriptPart], len(list)-1)]
}

func (f *form) noScript() string {
	return either(len(f.catalog.Scripts) == 0, "no script to run: write one in this folder", "no script has "+f.filter+" in it: esc shows all")
}

// setFilter keeps the chosen script, if it is still shown.
func (f *form) setFilter(text string) {
	before := f.script()
	f.part, f.filter = scriptPart, text
	f.at[scriptPart] = max(0, slices.Index(f.scripts(), before))
}

func (f *form) drawScript(a area, s *Script) {
	on, widest := s == f.script(), lists.Max(f.scripts(), func(s *Script) int { return width(s.Name) })
	a.text(1, 0, accent, either(on, "●", "○"))
	a.text(3, 0, either(on, bold, normal), fit(s.Name, a.w/2))
	a.text(5+min(widest, a.w/2), 0, either(s.Err == nil, faint, bad), s.Title)
}
