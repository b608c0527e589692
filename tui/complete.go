package tui

import "github.com/hashzoo/hashzoo/schemes"

// What arguments of commands can be.

func schemeNames(*Model) []string { return schemes.Names() }

func shownNames(m *Model) (list []string) {
	if m.latest != nil {
		for i := range m.latest.Schemes {
			list = append(list, m.latest.Schemes[i].Name)
		}
	}
	return list
}

func opNames(m *Model) (list []string) {
	if m.latest != nil {
		list = append(list, m.latest.Ops...)
	}
	return append(list, "all")
}

func orderNames(*Model) (list []string) {
	for _, o := range orders {
		list = append(list, o.name)
	}
	return list
}

func windowNames(*Model) (list []string) {
	for _, w := range windows {
		if w > 0 {
			list = append(list, w.String())
		}
	}
	return append(list, "all")
}

func screenNames(*Model) (list []string) {
	for _, s := range runs {
		list = append(list, panes[s].name)
	}
	return append(list, "start")
}

func deviceNames(m *Model) (list []string) {
	for _, d := range m.form.catalog.Devices {
		list = append(list, d.Name)
	}
	return list
}

func scriptNames(m *Model) (list []string) {
	for _, s := range m.form.catalog.Scripts {
		list = append(list, s.Name)
	}
	return list
}

func axisNames(m *Model) []string   { return m.optionsOf(true) }
func optionNames(m *Model) []string { return m.optionsOf(false) }

// optionsOf are the options of the script that runs, or its axes, ready for a value.
func (m *Model) optionsOf(axis bool) (list []string) {
	for _, s := range m.form.catalog.Scripts {
		for _, o := range s.Options {
			if s.Name == m.choice.Script && o.Axis == axis {
				list = append(list, o.Name+"=")
			}
		}
	}
	return list
}
