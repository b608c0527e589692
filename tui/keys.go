package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// Binding is an action bound to keys. The screens, docs/tui.md and the settings read it.
type Binding struct {
	Name string   // in settings
	Keys []string // as bubbletea names them: space, ctrl+c, pgup
	Word string   // in the line of keys; empty: not there
	Help string

	on     []screen
	replay bool // useful in replays only
	do     func(*Model)
}

// Where bindings are of use.
var (
	everywhere = []screen{onStart, onOverview, onCompare, onLatency, onInside, onLog, onRuns, onStep}
	withRuns   = everywhere[:7]
	inForm     = everywhere[:1]
	inRun      = everywhere[1:7]
	ofRun      = everywhere[1:6]
	inRuns     = everywhere[6:7]
	inStep     = everywhere[7:]
	withLanes  = []screen{onOverview, onCompare, onLatency, onInside}
	withOne    = withLanes[1:]
	withTime   = withLanes[:2]
)

func (b *Binding) isOn(s screen) bool { return slices.Contains(b.on, s) }

// Bindings returns all bindings with their usual keys.
func Bindings() (list []Binding) {
	for i, s := range inRun {
		list = append(list, Binding{Name: panes[s].name, Keys: []string{fmt.Sprint(i + 1)}, Help: panes[s].name + ": " + panes[s].help,
			on: withRuns, do: with((*Model).show, s)})
	}
	return append(list, []Binding{
		{Name: "show-run", Keys: []string{"enter"}, Word: "show", Help: "show this run", on: inRuns, do: func(m *Model) { m.showRun(m.runs.list[m.runs.index(m.runs.at)]) }},
		{Name: "compare-run", Keys: []string{"b"}, Word: "baseline", Help: "compare runs with this one", on: inRuns, do: func(m *Model) {
			m.runs.base = either(m.runs.base == m.runs.at, 0, m.runs.at)
			m.compareSelected()
		}},
		{Name: "start", Keys: []string{"0"}, Help: "choose another run", on: inRun, do: with((*Model).show, onStart)},
		{Name: "next", Keys: []string{"tab"}, Help: "the next screen", on: inRun, do: with((*Model).turn, 1)},
		{Name: "previous", Keys: []string{"shift+tab"}, Help: "the previous screen", on: inRun, do: with((*Model).turn, -1)},
		{Name: "freeze", Keys: []string{"space"}, Word: "freeze", Help: "freeze the view, or follow", on: ofRun, do: func(m *Model) { m.frozen = !m.frozen }},
		{Name: "up", Keys: []string{"up", "k"}, Help: "up: a scheme, or a line", on: everywhere, do: with((*Model).move, -1)},
		{Name: "down", Keys: []string{"down", "j"}, Help: "down: a scheme, or a line", on: everywhere, do: with((*Model).move, 1)},
		{Name: "page-up", Keys: []string{"pgup"}, Help: "a page up", on: everywhere, do: func(m *Model) { m.move(-m.page()) }},
		{Name: "page-down", Keys: []string{"pgdown"}, Help: "a page down", on: everywhere, do: func(m *Model) { m.move(m.page()) }},
		{Name: "first", Keys: []string{"home", "g"}, Help: "to the first", on: everywhere, do: with((*Model).move, -endless)},
		{Name: "last", Keys: []string{"end", "G"}, Help: "to the last", on: everywhere, do: with((*Model).move, endless)},
		{Name: "scheme-before", Keys: []string{"left", "h"}, Help: "the previous scheme", on: withOne, do: with((*Model).choose, -1)},
		{Name: "scheme-after", Keys: []string{"right", "l"}, Word: "scheme", Help: "the next scheme", on: withOne, do: with((*Model).choose, 1)},
		{Name: "expand", Keys: []string{"enter"}, Word: "expand", Help: "all about a scheme, or less", on: withLanes[:1], do: func(m *Model) { m.expanded = !m.expanded }},
		{Name: "baseline", Keys: []string{"b"}, Word: "baseline", Help: "make it the baseline", on: withLanes, do: func(m *Model) { m.setBaseline(m.selected) }},
		{Name: "sort", Keys: []string{"s"}, Word: "sort", Help: "sort by the next column", on: withLanes, do: func(m *Model) { m.sortBy(m.sorted + 1) }},
		{Name: "filter", Keys: []string{"/"}, Word: "filter", Help: "filter schemes, or the log", on: ofRun, do: func(m *Model) { m.prompt.open("/", m.filter) }},
		{Name: "operation", Keys: []string{"o"}, Word: "operation", Help: "next operation, or all", on: withLanes, do: (*Model).nextOperation},
		{Name: "window-less", Keys: []string{"-"}, Help: "look less far back", on: withTime, do: with((*Model).window, -1)},
		{Name: "window-more", Keys: []string{"+", "="}, Word: "window", Help: "look further back", on: withTime, do: with((*Model).window, 1)},
		{Name: "window-all", Keys: []string{"a"}, Help: "look at the whole run", on: withTime, do: with((*Model).lookBack, 0)},
		{Name: "axis", Keys: []string{"v"}, Word: "axis", Help: "over time, or load factor", on: withLanes[1:2], do: func(m *Model) { m.byLoad = !m.byLoad }},
		{Name: "smooth", Keys: []string{"m"}, Word: "means", Help: "means, or every point", on: withLanes[1:2], do: func(m *Model) { m.raw = !m.raw }},
		{Name: "zoom", Keys: []string{"z"}, Word: "zoom", Help: "axes from zero, or zoomed", on: withTime, do: func(m *Model) { m.view.zoom = !m.view.zoom }},
		{Name: "pause", Keys: []string{"p"}, Word: "pause", Help: "pause the run, or continue", on: inRun, do: (*Model).pause},
		{Name: "record", Keys: []string{"r"}, Word: "record", Help: "start a recording, or end it", on: inRun, do: (*Model).record},
		{Name: "save", Keys: []string{"x"}, Word: "save", Help: "save results and a picture", on: inRun, do: (*Model).save},
		{Name: "again", Keys: []string{"n"}, Word: "again", Help: "again, with another seed", on: inRun, do: (*Model).again},
		{Name: "phase-back", Keys: []string{"["}, Help: "replay: a phase back", on: inRun, replay: true, do: with((*Model).skip, -1)},
		{Name: "phase-next", Keys: []string{"]"}, Help: "replay: a phase forward", on: inRun, replay: true, do: with((*Model).skip, 1)},
		{Name: "slower", Keys: []string{"<"}, Help: "replay: half as fast", on: inRun, replay: true, do: with((*Model).speedUp, 0.5)},
		{Name: "faster", Keys: []string{">"}, Help: "replay: twice as fast", on: inRun, replay: true, do: with((*Model).speedUp, 2)},
		{Name: "run", Keys: []string{"enter"}, Word: "run", Help: "run what is chosen", on: inForm, do: func(m *Model) {
			choice, err := m.form.chosen()
			if m.form.failure = err; err == nil {
				m.launch(choice)
			}
		}},
		{Name: "filter-scripts", Keys: []string{"/"}, Word: "filter", Help: "filter scripts", on: inForm, do: func(m *Model) { m.prompt.open("/", m.form.filter) }},
		{Name: "choose", Keys: []string{"space"}, Word: "choose", Help: "choose, or leave out", on: inForm, do: func(m *Model) {
			if m.form.part == schemePart {
				p := &m.form.picks[m.form.row().index]
				p.on = !p.on
			}
		}},
		{Name: "choose-all", Keys: []string{"a"}, Word: "all", Help: "all schemes, or none", on: inForm, do: func(m *Model) { m.form.chooseAll() }},
		{Name: "edit", Keys: []string{"e"}, Word: "edit", Help: "edit the value", on: inForm, do: func(m *Model) { m.form.edit() }},
		{Name: "value-before", Keys: []string{"left", "h"}, Help: "the previous value, or close", on: inForm, do: func(m *Model) { m.form.step(-1) }},
		{Name: "value-after", Keys: []string{"right", "l"}, Word: "value", Help: "next value, or parameters", on: inForm, do: func(m *Model) { m.form.step(1) }},
		{Name: "copy", Keys: []string{"c"}, Word: "copy", Help: "the scheme once more", on: inForm, do: func(m *Model) { m.form.copy() }},
		{Name: "next-part", Keys: []string{"tab"}, Word: "part", Help: "the next part", on: inForm, do: func(m *Model) { m.form.turn(1) }},
		{Name: "part-before", Keys: []string{"shift+tab"}, Help: "the previous part", on: inForm, do: func(m *Model) { m.form.turn(-1) }},
		{Name: "step", Keys: []string{"t"}, Word: "steps", Help: "its operations, step by step", on: []screen{onStart, onInside}, do: (*Model).stepInto},
		{Name: "step-next", Keys: []string{"space", "right", "l"}, Word: "next step", Help: "the next step", on: inStep, do: with((*Model).stepOn, false)},
		{Name: "step-back", Keys: []string{"left", "backspace", "h"}, Word: "back", Help: "a step back", on: inStep, do: (*Model).stepBack},
		{Name: "step-end", Keys: []string{"enter"}, Word: "whole operation", Help: "the operation's other steps", on: inStep, do: with((*Model).stepOn, true)},
		{Name: "type", Keys: []string{"i"}, Word: "type keys", Help: "type an operation and keys", on: inStep, do: func(m *Model) { m.typeKeys("") }},
		{Name: "step-operation", Keys: []string{"o", "tab"}, Word: "operation", Help: "what space carries out", on: inStep, do: with((*Model).turnStepOperation, 1)},
		{Name: "step-operation-before", Keys: []string{"shift+tab"}, Help: "the operation before", on: inStep, do: with((*Model).turnStepOperation, -1)},
		{Name: "undo", Keys: []string{"u"}, Word: "undo", Help: "take the operation back", on: inStep, do: (*Model).undo},
		{Name: "command", Keys: []string{":"}, Word: "command", Help: "a command line", on: everywhere, do: func(m *Model) { m.prompt.open(":", "") }},
		{Name: "keys", Keys: []string{"?"}, Word: "keys", Help: "these keys", on: everywhere, do: (*Model).toggleHelp},
		{Name: "back", Keys: []string{"esc"}, Help: "back, step by step", on: everywhere, do: (*Model).back},
		{Name: "suspend", Keys: []string{"ctrl+z"}, Help: "suspend; fg continues", on: everywhere, do: (*Model).suspend},
		{Name: "quit", Keys: []string{"q", "ctrl+c"}, Word: "quit", Help: "end, and print the table", on: everywhere, do: (*Model).quit},
	}...)
}

func with[T any](do func(*Model, T), arg T) func(*Model) { return func(m *Model) { do(m, arg) } }

// Bound returns the bindings with the user's keys instead of the usual ones. Unknown names are
// errors, and so are keys that would do two things on one screen.
func Bound(keys map[string][]string) ([]Binding, error) {
	list := Bindings()
	known := lists.Map(list, func(b Binding) string { return b.Name })
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		i := slices.Index(known, name)
		switch {
		case i < 0:
			return nil, nearest.Unknown("binding", name, known)
		case slices.Contains(keys[name], ""):
			return nil, fmt.Errorf("binding %s: a key is empty: write a letter, or a name such as space or ctrl+x", name)
		}
		list[i].Keys = keys[name]
	}
	return list, conflict(list)
}

func conflict(list []Binding) error {
	for i, b := range list {
		for _, other := range list[:i] {
			for _, key := range b.Keys {
				if slices.Contains(other.Keys, key) && slices.ContainsFunc(b.on, other.isOn) {
					return fmt.Errorf("key %q is bound to %s and to %s: give one of them another key", key, other.Name, b.Name)
				}
			}
		}
	}
	return nil
}

func bound(list []Binding, s screen, key string) *Binding {
	for i := range list {
		if list[i].isOn(s) && slices.Contains(list[i].Keys, key) {
			return &list[i]
		}
	}
	return nil
}

func (b *Binding) keys() string { return keyNames.Replace(strings.Join(b.Keys, " ")) }

var keyNames = strings.NewReplacer("left", "←", "right", "→", "pgdown", "page down", "pgup", "page up", "up", "↑", "down", "↓")

type help struct {
	open bool
	from int // the first line, when scrolled
}

func (m *Model) toggleHelp() { m.help = help{open: !m.help.open} }

func (m *Model) drawHelp(a area) {
	var list []*Binding
	widest := 0
	for i := range m.bindings {
		if b := &m.bindings[i]; m.useful(b) {
			list, widest = append(list, b), max(widest, width(b.keys()))
		}
	}
	a = a.marked(0)
	a.text(1, 0, bold|accent, "keys of this screen; any key goes back")
	columns := clamp((len(list)+a.h-3)/max(a.h-2, 1), 1, max(a.w/40, 1))
	rows, w := (len(list)+columns-1)/columns, a.w/columns
	body := a.rows(1, a.h-1).scrolled(rows, m.help.from)
	for i, b := range list {
		line := body.part(i/rows*w, i%rows, w-1, 1)
		line.text(1, 0, bold, b.keys())
		line.text(widest+3, 0, normal, b.Help)
	}
}
