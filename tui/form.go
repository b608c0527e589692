package tui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/hashzoo/hashzoo/schemes"
)

// form is the start screen: what to run.
type form struct {
	catalog Catalog
	zoo     []*schemes.Scheme
	part    int
	at      [formParts]int // the row of each part that has the focus
	script  int
	picks   []pick
	device  string
	seed    string
	values  map[string][]string // of the options of each script, as typed
	failure error               // why the run could not start

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

// pick is a scheme that can be chosen, with values of its parameters.
type pick struct {
	scheme *schemes.Scheme
	on     bool
	open   bool     // its parameters are shown
	values []string // as typed
}

func newForm(catalog Catalog, zoo []*schemes.Scheme) form {
	f := form{catalog: catalog, zoo: zoo, values: map[string][]string{}}
	for _, s := range catalog.Scripts {
		for _, o := range s.Options {
			f.values[s.Name] = append(f.values[s.Name], o.Default)
		}
	}
	f.preset(catalog.Default)
	return f
}

func (f *form) preset(c Choice) {
	f.failure, f.device, f.seed = nil, c.Device, strconv.FormatUint(c.Seed, 10)
	f.presetScript(c)
	f.picks = nil
	for _, s := range f.zoo {
		f.picks = append(f.picks, newPick(s, len(c.Schemes) == 0))
	}
	for _, name := range c.Schemes {
		f.presetScheme(name)
	}
}

// presetScript chooses a script, and sets its options. A script from elsewhere is added, with
// the options that were given.
func (f *form) presetScript(c Choice) {
	i := slices.IndexFunc(f.catalog.Scripts, func(s Script) bool { return s.Name == c.Script })
	if i < 0 && c.Script != "" {
		i, f.catalog.Scripts = len(f.catalog.Scripts), append(slices.Clip(f.catalog.Scripts), given(c))
		f.values[c.Script] = make([]string, len(c.Set)+len(c.Axis))
	}
	f.script = max(i, 0)
	f.at[scriptPart] = f.script
	for _, assignment := range slices.Concat(c.Set, c.Axis) {
		name, value, _ := strings.Cut(assignment, "=")
		if i := slices.IndexFunc(f.options(), func(o Option) bool { return o.Name == name }); i >= 0 {
			f.values[c.Script][i] = value
		}
	}
}

// given is a script that is known by its choice only.
func given(c Choice) Script {
	s := Script{Name: c.Script}
	for i, assignment := range slices.Concat(c.Set, c.Axis) {
		name, _, _ := strings.Cut(assignment, "=")
		s.Options = append(s.Options, Option{Name: name, Axis: i >= len(c.Set)})
	}
	return s
}

// presetScheme chooses a scheme named as on the command line.
func (f *form) presetScheme(name string) {
	config, err := schemes.Parse(name)
	i := slices.IndexFunc(f.picks, func(p pick) bool { return p.scheme == config.Scheme })
	if err != nil || i < 0 {
		return
	}
	if f.picks[i].on { // named before, with other parameters
		i++
		f.picks = slices.Insert(f.picks, i, newPick(config.Scheme, true))
	}
	f.picks[i].on = true
	for j, p := range config.Params {
		f.picks[i].values[j] = p.Text(config.Get(p.Name))
	}
}

func newPick(s *schemes.Scheme, on bool) pick {
	p := pick{scheme: s, on: on}
	for _, param := range s.Params {
		p.values = append(p.values, param.Text(param.Default))
	}
	return p
}

// config is the scheme with its parameters, or what is wrong with them.
func (p *pick) config() (schemes.Config, error) {
	var list []string
	for i, param := range p.scheme.Params {
		if p.values[i] != param.Text(param.Default) {
			list = append(list, param.Name+"="+p.values[i])
		}
	}
	return p.scheme.Configure(strings.Join(list, ","))
}

// chosen is what the form says, or the first error in it.
func (f *form) chosen() (choice Choice, err error) {
	if len(f.catalog.Scripts) == 0 {
		return choice, errors.New("no script to run: write one in this folder")
	}
	script := f.catalog.Scripts[f.script]
	if script.Err != nil {
		return choice, fmt.Errorf("%s: %w", script.Name, script.Err)
	}
	choice.Script, choice.Device = script.Name, f.device
	if choice.Seed, err = parseSeed(f.seed); err != nil {
		return choice, err
	}
	for i, o := range script.Options {
		if v := f.values[script.Name][i]; v != o.Default && o.Axis {
			choice.Axis = append(choice.Axis, o.Name+"="+v)
		} else if v != o.Default {
			choice.Set = append(choice.Set, o.Name+"="+v)
		}
	}
	choice.Schemes, err = f.chosenSchemes()
	return choice, err
}

// chosenSchemes are the chosen schemes, or none if they are all there are, unchanged: then
// those that cannot run the script are left out.
func (f *form) chosenSchemes() (list []string, err error) {
	all := true
	for i := range f.picks {
		p := &f.picks[i]
		config, err := p.config()
		if p.on && err != nil {
			return nil, err
		}
		if p.on {
			list = append(list, config.String())
		}
		all = all && p.on && config.String() == p.scheme.Name
	}
	if len(list) == 0 {
		return nil, errors.New("no scheme is chosen: space chooses one")
	}
	if all && len(list) == len(f.zoo) {
		return nil, nil
	}
	return list, nil
}

func (m *Model) begin() tea.Cmd {
	choice, err := m.form.chosen()
	if m.form.failure = err; err != nil {
		return nil
	}
	return m.launch(choice)
}
