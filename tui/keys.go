package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// Binding is something that keys do. The screens, docs/tui.md and the settings read it
// from here.
type Binding struct {
	Name string   // in settings
	Keys []string // as the terminal library names them: space, ctrl+c, pgup
	Word string   // for the line of keys; empty: not there
	Help string

	on     screenSet
	replay bool // it is of use in replays only
	do     func(*Model) tea.Cmd
}

// screenSet is a set of screens.
type screenSet uint

func on(list ...screen) (set screenSet) {
	for _, s := range list {
		set |= 1 << s
	}
	return set
}

func (s screenSet) has(one screen) bool { return s&(1<<one) != 0 }

var (
	everywhere = on(onStart, onOverview, onCompare, onLatency, onInside, onLog)
	inRun      = on(runs...)
	withLanes  = on(onOverview, onCompare, onLatency, onInside)
)

// Bindings are all bindings with their usual keys.
func Bindings() []Binding {
	return slices.Concat(screenBindings(), viewBindings(), runBindings(), startBindings(), programBindings())
}

func screenBindings() (list []Binding) {
	for i, s := range runs {
		list = append(list, Binding{Name: panes[s].name, Keys: []string{fmt.Sprint(i + 1)}, Help: panes[s].name + ": " + panes[s].help,
			on: inRun, do: func(m *Model) tea.Cmd { return m.show(s) }})
	}
	list = append(list,
		Binding{Name: "start", Keys: []string{"0"}, Help: "choose another run", on: inRun, do: func(m *Model) tea.Cmd { return m.show(onStart) }},
		Binding{Name: "next", Keys: []string{"tab"}, Help: "the next screen", on: inRun, do: func(m *Model) tea.Cmd { return m.turn(1) }},
		Binding{Name: "previous", Keys: []string{"shift+tab"}, Help: "the screen before", on: inRun, do: func(m *Model) tea.Cmd { return m.turn(-1) }})
	return list
}

func viewBindings() []Binding {
	return []Binding{
		{Name: "freeze", Keys: []string{"space"}, Word: "freeze", Help: "freeze the view, or follow", on: inRun, do: (*Model).freeze},
		{Name: "up", Keys: []string{"up", "k"}, Help: "up: a scheme, or a line", on: everywhere, do: func(m *Model) tea.Cmd { return m.move(-1) }},
		{Name: "down", Keys: []string{"down", "j"}, Help: "down: a scheme, or a line", on: everywhere, do: func(m *Model) tea.Cmd { return m.move(1) }},
		{Name: "page-up", Keys: []string{"pgup"}, Help: "a page up", on: everywhere, do: func(m *Model) tea.Cmd { return m.move(-m.page()) }},
		{Name: "page-down", Keys: []string{"pgdown"}, Help: "a page down", on: everywhere, do: func(m *Model) tea.Cmd { return m.move(m.page()) }},
		{Name: "first", Keys: []string{"home", "g"}, Help: "to the first", on: everywhere, do: func(m *Model) tea.Cmd { return m.move(-endless) }},
		{Name: "last", Keys: []string{"end", "G"}, Help: "to the last", on: everywhere, do: func(m *Model) tea.Cmd { return m.move(endless) }},
		{Name: "scheme-before", Keys: []string{"left", "h"}, Help: "the scheme before", on: on(onCompare, onLatency, onInside),
			do: func(m *Model) tea.Cmd { return m.choose(-1) }},
		{Name: "scheme-after", Keys: []string{"right", "l"}, Word: "scheme", Help: "the scheme after", on: on(onCompare, onLatency, onInside),
			do: func(m *Model) tea.Cmd { return m.choose(1) }},
		{Name: "expand", Keys: []string{"enter"}, Word: "expand", Help: "all about a scheme, or less", on: on(onOverview), do: (*Model).expand},
		{Name: "baseline", Keys: []string{"b"}, Word: "baseline", Help: "the scheme is the baseline", on: withLanes, do: (*Model).baseline},
		{Name: "sort", Keys: []string{"s"}, Word: "sort", Help: "sort by the next column", on: withLanes, do: (*Model).sort},
		{Name: "filter", Keys: []string{"/"}, Word: "filter", Help: "filter schemes, or the log", on: inRun, do: (*Model).askFilter},
		{Name: "operation", Keys: []string{"o"}, Word: "operation", Help: "next operation, or all", on: withLanes, do: (*Model).operation},
		{Name: "window-less", Keys: []string{"-"}, Help: "look less far back", on: on(onOverview, onCompare),
			do: func(m *Model) tea.Cmd { return m.window(-1) }},
		{Name: "window-more", Keys: []string{"+", "="}, Word: "window", Help: "look further back", on: on(onOverview, onCompare),
			do: func(m *Model) tea.Cmd { return m.window(1) }},
		{Name: "window-all", Keys: []string{"a"}, Help: "look at the whole run", on: on(onOverview, onCompare), do: (*Model).windowAll},
		{Name: "axis", Keys: []string{"v"}, Word: "axis", Help: "over time, or load factor", on: on(onCompare), do: (*Model).axis},
		{Name: "smooth", Keys: []string{"m"}, Word: "means", Help: "means, or all there is", on: on(onCompare), do: (*Model).smooth},
		{Name: "zoom", Keys: []string{"z"}, Word: "zoom", Help: "axes from zero, or zoomed", on: on(onOverview, onCompare), do: (*Model).zoom},
	}
}

func runBindings() []Binding {
	return []Binding{
		{Name: "pause", Keys: []string{"p"}, Word: "pause", Help: "pause the run, or go on", on: inRun, do: (*Model).pause},
		{Name: "record", Keys: []string{"r"}, Word: "record", Help: "record the run, or no more", on: inRun, do: (*Model).record},
		{Name: "save", Keys: []string{"x"}, Word: "save", Help: "save results and a picture", on: inRun, do: (*Model).save},
		{Name: "again", Keys: []string{"n"}, Word: "again", Help: "again, with another seed", on: inRun, do: (*Model).again},
		{Name: "phase-back", Keys: []string{"["}, Help: "replay: a phase back", on: inRun, replay: true, do: func(m *Model) tea.Cmd { return m.skip(-1) }},
		{Name: "phase-next", Keys: []string{"]"}, Help: "replay: a phase on", on: inRun, replay: true, do: func(m *Model) tea.Cmd { return m.skip(1) }},
		{Name: "slower", Keys: []string{"<"}, Help: "replay: half as fast", on: inRun, replay: true, do: func(m *Model) tea.Cmd { return m.speed(0.5) }},
		{Name: "faster", Keys: []string{">"}, Help: "replay: twice as fast", on: inRun, replay: true, do: func(m *Model) tea.Cmd { return m.speed(2) }},
	}
}

func startBindings() []Binding {
	return []Binding{
		{Name: "run", Keys: []string{"enter"}, Word: "run", Help: "run what is chosen", on: on(onStart), do: (*Model).begin},
		{Name: "choose", Keys: []string{"space"}, Word: "choose", Help: "choose, or leave out", on: on(onStart), do: (*Model).toggle},
		{Name: "choose-all", Keys: []string{"a"}, Word: "all", Help: "all schemes, or none", on: on(onStart), do: (*Model).chooseAll},
		{Name: "edit", Keys: []string{"e"}, Word: "edit", Help: "write another value", on: on(onStart), do: (*Model).edit},
		{Name: "value-before", Keys: []string{"left"}, Help: "the value before", on: on(onStart), do: func(m *Model) tea.Cmd { return m.step(-1) }},
		{Name: "value-after", Keys: []string{"right"}, Word: "value", Help: "the value after", on: on(onStart),
			do: func(m *Model) tea.Cmd { return m.step(1) }},
		{Name: "copy", Keys: []string{"c"}, Word: "copy", Help: "the scheme once more", on: on(onStart), do: (*Model).copy},
		{Name: "next-part", Keys: []string{"tab"}, Word: "part", Help: "the next part", on: on(onStart), do: func(m *Model) tea.Cmd { return m.part(1) }},
		{Name: "part-before", Keys: []string{"shift+tab"}, Help: "the part before", on: on(onStart), do: func(m *Model) tea.Cmd { return m.part(-1) }},
	}
}

func programBindings() []Binding {
	return []Binding{
		{Name: "command", Keys: []string{":"}, Word: "command", Help: "a command line", on: everywhere, do: (*Model).askCommand},
		{Name: "keys", Keys: []string{"?"}, Word: "keys", Help: "these keys", on: everywhere, do: (*Model).toggleHelp},
		{Name: "back", Keys: []string{"esc"}, Help: "back, step by step", on: everywhere, do: (*Model).back},
		{Name: "quit", Keys: []string{"q", "ctrl+c"}, Word: "quit", Help: "end, and print the table", on: everywhere, do: (*Model).quit},
	}
}

// Bound are the bindings with the keys that a user wants instead of the usual ones. A name
// that nothing has is an error, and a key that would do two things on one screen.
func Bound(keys map[string][]string) ([]Binding, error) {
	list := Bindings()
	var names []string
	for _, b := range list {
		names = append(names, b.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, nearest.Unknown("binding", name, names)
		}
		if list[i].Keys = keys[name]; slices.Contains(list[i].Keys, "") {
			return nil, fmt.Errorf("binding %s: an empty text is no key: write a letter, or a name such as space or ctrl+x", name)
		}
	}
	return list, twice(list)
}

// twice is the error of a key that would do two things.
func twice(list []Binding) error {
	for i, b := range list {
		for _, other := range list[:i] {
			for _, key := range b.Keys {
				if b.on&other.on != 0 && slices.Contains(other.Keys, key) {
					return fmt.Errorf("the key %q is bound to %s and to %s: give one of them another", key, other.Name, b.Name)
				}
			}
		}
	}
	return nil
}

// bound is what a key does on a screen, if anything.
func bound(list []Binding, s screen, key string) *Binding {
	for i := range list {
		if list[i].on.has(s) && slices.Contains(list[i].Keys, key) {
			return &list[i]
		}
	}
	return nil
}

// keyText is how the screen names the keys of a binding.
func keyText(b *Binding) string {
	var list []string
	for _, key := range b.Keys {
		list = append(list, strings.NewReplacer("left", "←", "right", "→", "pgdown", "page down", "pgup", "page up").Replace(key))
	}
	return strings.Join(list, " ")
}
