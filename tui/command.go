package tui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/schemes"
)

// Command is a command of the command line. What it takes, how it is completed and what it
// does is in one place; the hint under the line and docs/tui.md read it from here.
type Command struct {
	Name string
	Args string // what it takes; empty: nothing
	Help string

	values func(*Model) []string // for completion
	many   bool                  // it takes several of them
	do     func(m *Model, arg string) (tea.Cmd, error)
}

// Commands are all commands.
func Commands() []Command {
	return slices.Concat(choiceCommands(), lookCommands(), runCommands())
}

// choiceCommands change what is run, and run it again.
func choiceCommands() []Command {
	return []Command{
		{Name: "schemes", Args: "NAME[:PARAM=VALUE,...],...", Help: "run again with these schemes", values: schemeNames, many: true, do: setSchemes},
		{Name: "load", Args: "VALUES", Help: "run again at these load factors: the axis load of a script that has it",
			do: func(m *Model, arg string) (tea.Cmd, error) { return setAxis(m, "load="+arg) }},
		{Name: "axis", Args: "NAME=VALUES", Help: "run again with other values on an axis", values: axisNames, do: setAxis},
		{Name: "set", Args: "NAME=VALUE", Help: "run again with another value of an option", values: optionNames, do: setOption},
		{Name: "seed", Args: "NUMBER", Help: "run again with this seed", do: setSeed},
		{Name: "device", Args: "NAME", Help: "run again on this device", values: deviceNames,
			do: func(m *Model, arg string) (tea.Cmd, error) {
				return m.rerun(func(c *Choice) { c.Device = arg })
			}},
		{Name: "script", Args: "NAME", Help: "run another script or recording", values: scriptNames,
			do: func(m *Model, arg string) (tea.Cmd, error) {
				return m.rerun(func(c *Choice) { c.Script, c.Set, c.Axis = arg, nil, nil })
			}},
		{Name: "again", Help: "run again with the next seed", do: func(m *Model, _ string) (tea.Cmd, error) { return m.again(), nil }},
	}
}

// lookCommands change what is seen.
func lookCommands() []Command {
	return []Command{
		{Name: "window", Args: "TIME|all", Help: "look so far back: 45s, 2m", values: windowNames, do: setWindow},
		{Name: "op", Args: "NAME|all", Help: "show one operation, or all together", values: opNames, do: setOp},
		{Name: "baseline", Args: "SCHEME", Help: "compare the others with this scheme", values: shownNames,
			do: func(m *Model, arg string) (tea.Cmd, error) {
				i, err := m.find(arg)
				if err == nil {
					m.view.baseline = i
				}
				return m.later("baseline " + arg), err
			}},
		{Name: "select", Args: "SCHEME", Help: "select this scheme", values: shownNames,
			do: func(m *Model, arg string) (tea.Cmd, error) {
				i, err := m.find(arg)
				if err == nil {
					m.selected = i
				}
				return nil, err
			}},
		{Name: "sort", Args: "COLUMN", Help: "sort the schemes by this column", values: orderNames, do: setOrder},
		{Name: "filter", Args: "TEXT", Help: "only schemes, or lines of the log, with this text in them", values: shownNames,
			do: func(m *Model, arg string) (tea.Cmd, error) { m.filter = arg; return nil, nil }},
		{Name: "screen", Args: "NAME", Help: "go to this screen", values: screenNames, do: setScreen},
	}
}

// runCommands do something to the run.
func runCommands() []Command {
	return []Command{
		{Name: "pause", Help: "pause the run, or go on", do: func(m *Model, _ string) (tea.Cmd, error) { return m.pause(), nil }},
		{Name: "speed", Args: "FACTOR", Help: "the pace of a replay", do: setSpeed},
		{Name: "phase", Args: "STEPS", Help: "so many phases on in a replay, or back: +1, -1", do: skipPhases},
		{Name: "record", Args: "[FILE]", Help: "record from the next point on; without a file, end the recording", do: recordInto},
		{Name: "save", Help: "write the results so far, and a picture of the screen", do: func(m *Model, _ string) (tea.Cmd, error) { return m.save(), nil }},
		{Name: "picture", Args: "FILE", Help: "write a picture of the screen, as SVG",
			do: func(m *Model, arg string) (tea.Cmd, error) { return m.savePicture(arg), nil }},
		{Name: "quit", Help: "end the run and print its table", do: func(m *Model, _ string) (tea.Cmd, error) { return m.quit(), nil }},
	}
}

// command carries out a line.
func (m *Model) command(line string) (tea.Cmd, error) {
	name, arg, _ := strings.Cut(line, " ")
	arg = strings.TrimSpace(arg)
	c, err := commandNamed(name)
	switch {
	case err != nil:
		return nil, err
	case arg == "" && c.Args != "" && c.Args[0] != '[':
		return nil, fmt.Errorf("%s: it takes %s", c.Name, c.Args)
	case arg != "" && c.Args == "":
		return nil, fmt.Errorf("%s: %q is too much: it takes nothing", c.Name, arg)
	}
	return c.do(m, arg)
}

func commandNamed(name string) (*Command, error) {
	list, names := Commands(), []string(nil)
	for i := range list {
		if list[i].Name == name {
			return &list[i], nil
		}
		names = append(names, list[i].Name)
	}
	return nil, nearest.Unknown("command", name, names)
}

// hint says what the command being written takes and does.
func (m *Model) hint(line string) string {
	name, _, _ := strings.Cut(line, " ")
	if c, err := commandNamed(name); err == nil {
		return strings.TrimSpace(c.Name+" "+c.Args) + ": " + c.Help
	}
	return "a command: tab completes, enter does it, esc goes back"
}

// completions are what the last word of a line can be, and what stands before it.
func (m *Model) completions(line string) (head string, list []string) {
	name, arg, spaced := strings.Cut(line, " ")
	if !spaced {
		for _, c := range Commands() {
			if strings.HasPrefix(c.Name, name) {
				list = append(list, c.Name)
			}
		}
		return "", list
	}
	c, err := commandNamed(name)
	if err != nil || c.values == nil {
		return "", nil
	}
	from := 0
	if c.many {
		from = strings.LastIndexAny(arg, " ,") + 1
	}
	for _, v := range c.values(m) {
		if strings.HasPrefix(v, arg[from:]) {
			list = append(list, v)
		}
	}
	return name + " " + arg[:from], list
}

// rerun runs what is run with a change.
func (m *Model) rerun(change func(*Choice)) (tea.Cmd, error) {
	if m.session == nil {
		return nil, errors.New("no run yet: choose one and press enter")
	}
	choice := m.choice
	choice.Set, choice.Axis = slices.Clone(choice.Set), slices.Clone(choice.Axis)
	change(&choice)
	return m.launch(choice), nil
}

func setSchemes(m *Model, arg string) (tea.Cmd, error) {
	list := splitSchemes(arg)
	for _, name := range list {
		if _, err := schemes.Parse(name); err != nil {
			return nil, err
		}
	}
	return m.rerun(func(c *Choice) { c.Schemes = list })
}

// splitSchemes are the schemes of a list, as --schemes takes it: a piece that is a setting belongs
// to the scheme before it.
func splitSchemes(text string) (list []string) {
	for _, piece := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		name, _, setting := strings.Cut(piece, "=")
		if n := len(list); n > 0 && setting && !strings.Contains(name, ":") {
			list[n-1] += "," + piece
			continue
		}
		list = append(list, piece)
	}
	return list
}

func setAxis(m *Model, arg string) (tea.Cmd, error) {
	return m.rerun(func(c *Choice) { c.Axis = replaced(c.Axis, arg) })
}

func setOption(m *Model, arg string) (tea.Cmd, error) {
	return m.rerun(func(c *Choice) { c.Set = replaced(c.Set, arg) })
}

// replaced are assignments with one of them instead of that to the same name.
func replaced(list []string, assignment string) []string {
	name, _, _ := strings.Cut(assignment, "=")
	list = slices.DeleteFunc(list, func(s string) bool { return strings.HasPrefix(s, name+"=") })
	return append(list, assignment)
}

func setSeed(m *Model, arg string) (tea.Cmd, error) {
	seed, err := parseSeed(arg)
	if err != nil {
		return nil, err
	}
	return m.rerun(func(c *Choice) { c.Seed = seed })
}

func parseSeed(text string) (uint64, error) {
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("seed %q: it is a whole number, 0 to 2^64-1", text)
	}
	return seed, nil
}

func setWindow(m *Model, arg string) (tea.Cmd, error) {
	d, err := time.ParseDuration(arg)
	if arg == "all" {
		d, err = 0, nil
	}
	if err != nil || d != 0 && d < time.Second {
		return nil, fmt.Errorf("window %q: write a time of a second or more, such as 45s or 2m, or all", arg)
	}
	m.view.window = d
	return m.later(windowText(d)), nil
}

func setOp(m *Model, arg string) (tea.Cmd, error) {
	if !slices.Contains(opNames(m), arg) {
		return nil, nearest.Unknown("operation", arg, opNames(m))
	}
	if m.op = arg; arg == "all" {
		m.op = ""
	}
	return m.later(opText(m.op)), nil
}

// find is the scheme of a name, or of a mark.
func (m *Model) find(name string) (int, error) {
	names := shownNames(m)
	for i := range names {
		if names[i] == name || mark(i) == name {
			return i, nil
		}
	}
	return 0, nearest.Unknown("scheme of this run", name, names)
}

func setOrder(m *Model, arg string) (tea.Cmd, error) {
	i := slices.Index(orderNames(m), arg)
	if i < 0 {
		return nil, nearest.Unknown("column", arg, orderNames(m))
	}
	m.sorted = i
	return nil, nil
}

func setScreen(m *Model, arg string) (tea.Cmd, error) {
	for _, s := range runs {
		if panes[s].name == arg {
			return m.show(s), nil
		}
	}
	if arg == "start" {
		return m.show(onStart), nil
	}
	return nil, nearest.Unknown("screen", arg, screenNames(m))
}

func setSpeed(m *Model, arg string) (tea.Cmd, error) {
	factor, err := strconv.ParseFloat(arg, 64)
	if err != nil || !(factor > 0) {
		return nil, fmt.Errorf("speed %q: it is a factor above 0, such as 0.5 or 4", arg)
	}
	if !m.inReplay() {
		return nil, nil
	}
	return m.setSpeed(factor), nil
}

func skipPhases(m *Model, arg string) (tea.Cmd, error) {
	n, err := strconv.Atoi(arg)
	if err != nil || n == 0 {
		return nil, fmt.Errorf("phase %q: write how many phases to go, such as +1 or -1", arg)
	}
	return m.skip(n), nil
}

func recordInto(m *Model, arg string) (tea.Cmd, error) {
	if !m.goingOn() {
		return nil, nil
	}
	return m.recordTo(arg), nil
}
