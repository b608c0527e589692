package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hashzoo/hashzoo/schemes"
)

// form is the start screen: what can be chosen before a run.
type form struct {
	catalog Catalog
	zoo     int // how many schemes there are
	part    int
	at      [formParts]int // the row of each part that has the focus
	script  int
	picks   []pick
	device  int
	seed    string
	values  map[string][]string // of the options of each script, as they were written
	failure error               // why the run could not be started

	x, y   int // of the cursor, as it was drawn last
	editOK bool
}

// The parts of the form.
const (
	scriptPart = iota
	schemePart
	settingPart
	formParts
)

var partNames = [formParts]string{"scripts", "schemes", "settings"}

// pick is a scheme that can be chosen, with values for its parameters.
type pick struct {
	scheme *schemes.Scheme
	on     bool
	open   bool     // its parameters are shown
	values []string // as they were written
}

func newForm(catalog Catalog, zoo []*schemes.Scheme) form {
	f := form{catalog: catalog, zoo: len(zoo), seed: strconv.FormatUint(catalog.Default.Seed, 10), values: map[string][]string{}}
	for _, s := range zoo {
		f.picks = append(f.picks, newPick(s, len(catalog.Default.Schemes) == 0))
	}
	for _, name := range catalog.Default.Schemes {
		f.preset(name)
	}
	f.script = max(0, slices.IndexFunc(catalog.Scripts, func(s Script) bool { return s.Name == catalog.Default.Script }))
	f.device = max(0, slices.IndexFunc(catalog.Devices, func(d Device) bool { return d.Name == catalog.Default.Device }))
	f.at[scriptPart] = f.script
	for _, s := range catalog.Scripts {
		values := make([]string, len(s.Options))
		for i, o := range s.Options {
			values[i] = o.Default
		}
		f.values[s.Name] = values
	}
	return f
}

func newPick(s *schemes.Scheme, on bool) pick {
	p := pick{scheme: s, on: on}
	for _, param := range s.Params {
		p.values = append(p.values, param.Text(param.Default))
	}
	return p
}

// preset chooses a scheme that is named as on the command line.
func (f *form) preset(name string) {
	config, err := schemes.Parse(name)
	if err != nil {
		return
	}
	i := slices.IndexFunc(f.picks, func(p pick) bool { return p.scheme == config.Scheme })
	if f.picks[i].on { // named before, with other parameters
		f.picks = slices.Insert(f.picks, i+1, newPick(config.Scheme, true))
		i++
	}
	f.picks[i].on = true
	for j, p := range config.Params {
		f.picks[i].values[j] = p.Text(config.Get(p.Name))
	}
}

// config is the scheme as it is chosen, or what is wrong with its parameters.
func (p *pick) config() (schemes.Config, error) {
	var list []string
	for i, param := range p.scheme.Params {
		if p.values[i] != param.Text(param.Default) {
			list = append(list, param.Name+"="+p.values[i])
		}
	}
	return p.scheme.Configure(strings.Join(list, ","))
}

// wrong is what is wrong with the value of a parameter by itself.
func (p *pick) wrong(param int) error {
	_, err := p.scheme.Params[param].Parse(p.values[param])
	return err
}

// chosen is what the form says, or the first thing that is wrong with it.
func (f *form) chosen() (Choice, error) {
	choice := Choice{Device: f.catalog.Default.Device}
	if len(f.catalog.Scripts) == 0 {
		return choice, fmt.Errorf("there is no script to run")
	}
	script := f.catalog.Scripts[f.script]
	if script.Err != nil {
		return choice, fmt.Errorf("%s: %w", script.Name, script.Err)
	}
	choice.Script = script.Name
	if len(f.catalog.Devices) > 0 {
		choice.Device = f.catalog.Devices[f.device].Name
	}
	var err error
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

// chosenSchemes are the schemes with a tick, none if all are there as they are: those that
// cannot run the script are then left out.
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
		return nil, fmt.Errorf("no scheme is chosen: space chooses one")
	}
	if all && len(list) == f.zoo {
		return nil, nil
	}
	return list, nil
}

// begin runs what is chosen.
func (m *Model) begin() tea.Cmd {
	choice, err := m.form.chosen()
	if m.form.failure = err; err != nil {
		return nil
	}
	return m.launch(choice)
}
