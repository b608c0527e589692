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
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Command is a command of the command line. The hint above the line and docs/tui.md read it.
type Command struct {
	Name string
	Args string // what it takes; in brackets: optional; empty: nothing
	Help string

	values func(*Model) []string // completions of the argument
	many   bool                  // it takes several of them
	do     func(m *Model, arg string) (tea.Cmd, error)
}

// Commands returns all commands.
func Commands() []Command {
	return slices.Concat(choiceCommands(), viewCommands(), runCommands())
}

// choiceCommands change what is run, and run it again.
func choiceCommands() []Command {
	return []Command{
		{Name: "schemes", Args: "NAME[:PARAM=VALUE,...],...", Help: "run again with these schemes", many: true, do: rerun(setSchemes),
			values: func(*Model) []string { return schemes.Names() }},
		{Name: "load", Args: "VALUES", Help: "run again at these load factors: the axis load of a script that has it",
			do: rerun(func(c *Choice, arg string) error { return setAxis(c, "load="+arg) })},
		{Name: "axis", Args: "NAME=VALUES", Help: "run again with other values on an axis", do: rerun(setAxis),
			values: func(m *Model) []string { return m.optionsOf(true) }},
		{Name: "set", Args: "NAME=VALUE", Help: "run again with another value of an option", do: rerun(setOption),
			values: func(m *Model) []string { return m.optionsOf(false) }},
		{Name: "seed", Args: "NUMBER", Help: "run again with this seed", do: rerun(setSeed)},
		{Name: "device", Args: "NAME", Help: "run again on this device", do: rerun(func(c *Choice, arg string) error { c.Device = arg; return nil }),
			values: func(m *Model) []string {
				return names(m.form.catalog.Devices, func(d *Device) string { return d.Name })
			}},
		{Name: "script", Args: "NAME", Help: "run another script or recording", do: rerun(setScript),
			values: func(m *Model) []string {
				return names(m.form.catalog.Scripts, func(s *Script) string { return s.Name })
			}},
		{Name: "again", Help: "run again with the next seed", do: plainly((*Model).again)},
	}
}

// viewCommands change what is shown.
func viewCommands() []Command {
	return []Command{
		{Name: "window", Args: "TIME|all", Help: "look this far back: 45s, 2m", values: windowNames, do: setWindow},
		{Name: "op", Args: "NAME|all", Help: "show one operation, or all together", values: opNames, do: oneOf("operation", opNames, setOp)},
		{Name: "baseline", Args: "SCHEME", Help: "compare the others with this scheme", values: shownNames,
			do: oneOf("scheme of this run", namesAndLetters, (*Model).setBaseline)},
		{Name: "select", Args: "SCHEME", Help: "select this scheme", values: shownNames,
			do: oneOf("scheme of this run", namesAndLetters, func(m *Model, i int) tea.Cmd { m.selected = i / 2; return nil })},
		{Name: "sort", Args: "COLUMN", Help: "sort the schemes by this column", values: orderNames,
			do: oneOf("column", orderNames, func(m *Model, i int) tea.Cmd { m.sorted = i; return nil })},
		{Name: "filter", Args: "[TEXT]", Help: "show only schemes, or lines of the log, that contain this text; without a text, all", values: shownNames,
			do: func(m *Model, arg string) (tea.Cmd, error) { m.filter = arg; return nil, nil }},
		{Name: "screen", Args: "NAME", Help: "go to this screen", values: screenNames,
			do: oneOf("screen", screenNames, func(m *Model, i int) tea.Cmd { return m.show(screen(i)) })},
		{Name: "help", Help: "show the keys of this screen", do: plainly((*Model).toggleHelp)},
	}
}

// runCommands act on the run.
func runCommands() []Command {
	return []Command{
		{Name: "pause", Help: "pause the run, or continue", do: plainly((*Model).pause)},
		{Name: "speed", Args: "FACTOR", Help: "set the pace of a replay", do: setSpeed},
		{Name: "phase", Args: "STEPS", Help: "move a replay by this many phases: +1, -1", do: skipPhases},
		{Name: "record", Args: "[FILE]", Help: "record from the next point on; without a file, end the recording",
			do: func(m *Model, arg string) (tea.Cmd, error) {
				if !m.running() {
					return nil, nil
				}
				return m.recordTo(arg), nil
			}},
		{Name: "save", Help: "write the results so far, and a picture of the screen", do: plainly((*Model).save)},
		{Name: "picture", Args: "FILE", Help: "write a picture of the screen, as SVG",
			do: func(m *Model, arg string) (tea.Cmd, error) { return m.savePicture(arg), nil }},
		{Name: "quit", Help: "end the run and print its table", do: plainly((*Model).quit)},
	}
}

// plainly is a command that takes nothing.
func plainly(do func(*Model) tea.Cmd) func(*Model, string) (tea.Cmd, error) {
	return func(m *Model, _ string) (tea.Cmd, error) { return do(m), nil }
}

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
		return nil, fmt.Errorf("%s: it takes nothing, not %q", c.Name, arg)
	}
	return c.do(m, arg)
}

// commandNamed finds a command by its name, or by the beginning of no other name.
func commandNamed(name string) (*Command, error) {
	list := Commands()
	begins := func(c Command) bool { return strings.HasPrefix(c.Name, name) }
	if i := slices.IndexFunc(list, func(c Command) bool { return c.Name == name }); i >= 0 {
		return &list[i], nil
	}
	if i := slices.IndexFunc(list, begins); i >= 0 && !slices.ContainsFunc(list[i+1:], begins) {
		return &list[i], nil
	}
	return nil, nearest.Unknown("command", name, names(list, func(c *Command) string { return c.Name }))
}

// hint says what the command being typed takes and does.
func (m *Model) hint(line string) string {
	name, _, _ := strings.Cut(line, " ")
	if c, err := commandNamed(name); err == nil && name != "" {
		return strings.TrimSpace(c.Name+" "+c.Args) + ": " + c.Help
	}
	return "a command: tab completes, enter runs it, esc goes back"
}

// completions are what the last word of a line can be, and the line before it.
func (m *Model) completions(line string) (head string, list []string) {
	name, arg, spaced := strings.Cut(line, " ")
	if !spaced {
		return "", begin(names(Commands(), func(c *Command) string { return c.Name }), name)
	}
	c, err := commandNamed(name)
	if err != nil || c.values == nil {
		return "", nil
	}
	from := 0
	if c.many {
		from = strings.LastIndexAny(arg, " ,") + 1
	}
	return name + " " + arg[:from], begin(c.values(m), arg[from:])
}

// begin are the words that begin with a text.
func begin(words []string, text string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !strings.HasPrefix(w, text) })
}

func names[T any](list []T, name func(*T) string) (names []string) {
	for i := range list {
		names = append(names, name(&list[i]))
	}
	return names
}

func shownNames(m *Model) []string {
	if m.latest == nil {
		return nil
	}
	return names(m.latest.Schemes, schemeName)
}

// namesAndLetters are the name and the letter of each scheme.
func namesAndLetters(m *Model) (list []string) {
	for i, name := range shownNames(m) {
		list = append(list, name, mark(i))
	}
	return list
}

func opNames(m *Model) (list []string) {
	if m.latest != nil {
		list = append(list, m.latest.Ops...)
	}
	return append(list, "all")
}

func orderNames(*Model) []string { return names(orders, func(o *order) string { return o.name }) }

func windowNames(*Model) []string {
	return names(windows, func(d *time.Duration) string { return windowName(*d) })
}

func screenNames(*Model) []string { return names(panes[:], func(p *pane) string { return p.name }) }

// optionsOf are the options or the axes of the running script, ready for a value.
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

// oneOf is a command that takes one of several names, and acts on its number.
func oneOf(what string, names func(*Model) []string, do func(m *Model, i int) tea.Cmd) func(*Model, string) (tea.Cmd, error) {
	return func(m *Model, arg string) (tea.Cmd, error) {
		if i := slices.Index(names(m), arg); i >= 0 {
			return do(m, i), nil
		}
		return nil, nearest.Unknown(what, arg, names(m))
	}
}

func setOp(m *Model, i int) tea.Cmd {
	if m.op = opNames(m)[i]; m.op == "all" {
		m.op = ""
	}
	return m.later(opText(m.op))
}

func (m *Model) setBaseline(i int) tea.Cmd {
	m.view.baseline = i / 2
	return m.later("baseline " + shownNames(m)[i/2])
}

// rerun is a command that runs again with a change.
func rerun(change func(c *Choice, arg string) error) func(*Model, string) (tea.Cmd, error) {
	return func(m *Model, arg string) (tea.Cmd, error) {
		if m.session == nil {
			return nil, errors.New("no run yet: choose one and press enter")
		}
		choice := m.choice
		choice.Set, choice.Axis = slices.Clone(choice.Set), slices.Clone(choice.Axis)
		if err := change(&choice, arg); err != nil {
			return nil, err
		}
		return m.launch(choice), nil
	}
}

func setSchemes(c *Choice, arg string) error {
	configs, err := session.Schemes(strings.Fields(arg))
	c.Schemes = names(configs, func(s *schemes.Config) string { return s.String() })
	return err
}

func setAxis(c *Choice, arg string) error {
	c.Axis = replaced(c.Axis, arg)
	return nil
}

func setOption(c *Choice, arg string) error {
	c.Set = replaced(c.Set, arg)
	return nil
}

// replaced are assignments with this one instead of that to the same name.
func replaced(list []string, assignment string) []string {
	name, _, _ := strings.Cut(assignment, "=")
	list = slices.DeleteFunc(list, func(s string) bool { return strings.HasPrefix(s, name+"=") })
	return append(list, assignment)
}

func setScript(c *Choice, arg string) error {
	c.Script, c.Set, c.Axis = arg, nil, nil
	return nil
}

func setSeed(c *Choice, arg string) (err error) {
	c.Seed, err = parseSeed(arg)
	return err
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
	return m.lookBack(d), nil
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
		return nil, fmt.Errorf("phase %q: write how many phases to move, such as +1 or -1", arg)
	}
	return m.skip(n), nil
}
