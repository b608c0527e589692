package tui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	numbers "github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/live"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Command is a command of the command line. The hint above the line and docs/tui.md read it.
type Command struct {
	Name string
	Args string // what it takes; in brackets: optional; empty: nothing
	Help string

	values func(*Model) []string // completions of the argument
	many   bool                  // it takes several of them
	do     func(m *Model, arg string) error
}

// Commands returns all commands.
func Commands() []Command {
	return []Command{
		// These change what is run, and run it again.
		{Name: "schemes", Args: "NAME[:PARAM=VALUE,...],...", Help: "run again with these schemes", many: true,
			do: rerun(func(c *Choice, arg string) error {
				configs, err := session.Schemes(strings.Fields(arg))
				c.Schemes = lists.Map(configs, schemes.Config.String)
				return err
			}),
			values: func(*Model) []string { return schemes.Names() }},
		{Name: "load", Args: "VALUES", Help: "run again at these load factors: the axis load of a script that has it",
			do: func(m *Model, arg string) error { return m.assign("load="+arg, true) }},
		{Name: "axis", Args: "NAME=VALUES", Help: "run again with other values on an axis",
			do:     func(m *Model, arg string) error { return m.assign(arg, true) },
			values: func(m *Model) []string { return m.optionNames(true) }},
		{Name: "set", Args: "NAME=VALUE", Help: "run again with another value of an option",
			do:     func(m *Model, arg string) error { return m.assign(arg, false) },
			values: func(m *Model) []string { return m.optionNames(false) }},
		{Name: "seed", Args: "NUMBER", Help: "run again with this seed",
			do: rerun(func(c *Choice, arg string) (err error) { c.Seed, err = parseSeed(arg); return err })},
		{Name: "device", Args: "NAME", Help: "run again on this device",
			do:     rerun(func(c *Choice, name string) error { c.Device = name; return nil }),
			values: func(m *Model) []string { return m.form.device.known }},
		{Name: "script", Args: "NAME", Help: "run another script or recording", values: func(m *Model) []string {
			return lists.Map(m.form.catalog.Scripts, func(s Script) string { return s.Name })
		},
			do: rerun(func(c *Choice, name string) error { c.Script, c.Set, c.Axis = name, nil, nil; return nil })},
		{Name: "again", Help: "run again with the next seed", do: plainly((*Model).again)},

		// These are about all runs of this session.
		{Name: "runs", Args: "[NUMBER]", Help: "list the runs of this session, or show one", values: runNumbers, do: (*Model).showRuns},
		{Name: "compare", Args: "OLD NEW", Help: "compare two runs, or repeated ones: 1,3 2,4", values: runNumbers, many: true,
			do: (*Model).compareTyped},

		// These change what is shown.
		{Name: "window", Args: "TIME|all", Help: "look this far back: 45s, 2m", values: func(*Model) []string { return lists.Map(windows, windowName) },
			do: func(m *Model, text string) error {
				d, err := time.ParseDuration(text)
				if text != "all" && (err != nil || d < time.Second) {
					return fmt.Errorf("window %q: write a time of a second or more, such as 45s or 2m, or all", text)
				}
				m.lookBack(d)
				return nil
			}},
		{Name: "op", Args: "NAME|all", Help: "show one operation, or all together", values: opNames,
			do: oneOf("operation", opNames, (*Model).setOperation)},
		{Name: "baseline", Args: "SCHEME", Help: "compare the others with this scheme", values: shownNames,
			do: oneScheme((*Model).setBaseline)},
		{Name: "select", Args: "SCHEME", Help: "select this scheme", values: shownNames,
			do: oneScheme(func(m *Model, i int) { m.selected = i })},
		{Name: "sort", Args: "COLUMN", Help: "sort the schemes by this column", values: orderNames,
			do: oneOf("column", orderNames, (*Model).sortBy)},
		{Name: "filter", Args: "[TEXT]", Help: "show only schemes, lines of the log, or scripts of the form, that contain this text; without a text, all", values: shownNames,
			do: typed((*Model).setFilter)},
		{Name: "screen", Args: "NAME", Help: "go to this screen", values: screenNames,
			do: oneOf("screen", screenNames, func(m *Model, i int) { m.show(screen(i)) })},
		{Name: "step", Args: "SCHEME", Help: "show a scheme's operations on a small table, step by step", do: typed((*Model).openStep),
			values: func(*Model) []string { return schemes.Names() }},
		{Name: "help", Help: "show the keys of this screen", do: plainly((*Model).toggleHelp)},

		// These act on the run.
		{Name: "pause", Help: "pause the run, or continue", do: plainly((*Model).pause)},
		{Name: "speed", Args: "FACTOR", Help: "set the pace of a replay", do: func(m *Model, text string) error {
			factor, ok := numbers.Parse(text)
			if !ok || factor <= 0 {
				return fmt.Errorf("speed %q: it is a factor above 0, such as 0.5 or 4", text)
			}
			m.setSpeed(factor)
			return nil
		}},
		{Name: "phase", Args: "STEPS", Help: "move a replay by this many phases: +1, -1", do: func(m *Model, text string) error {
			n, ok := numbers.Integer(text)
			if !ok || n == 0 {
				return fmt.Errorf("phase %q: write how many phases to move, such as +1 or -1", text)
			}
			m.skip(int(n))
			return nil
		}},
		{Name: "record", Args: "[FILE]", Help: "record from the next point on; without a file, end the recording", do: typed((*Model).recordTo)},
		{Name: "save", Help: "write the results so far, and a picture of the screen", do: plainly((*Model).save)},
		{Name: "picture", Args: "FILE", Help: "write a picture of the screen, as SVG", do: typed(func(m *Model, path string) {
			m.prompt.close()
			picture := m.picture()
			m.slowly(func() (string, error) { return "wrote " + path, regular.WriteText(path, picture) })
		})},
		{Name: "quit", Help: "end the run and print its table", do: plainly((*Model).quit)},
	}
}

func (m *Model) command(line string) error {
	name, arg, _ := strings.Cut(line, " ")
	arg = strings.TrimSpace(arg)
	c, err := commandNamed(name)
	switch {
	case err != nil:
		return err
	case arg == "" && c.Args != "" && c.Args[0] != '[':
		return fmt.Errorf("%s: it takes %s", c.Name, c.Args)
	case arg != "" && c.Args == "":
		return fmt.Errorf("%s: it takes nothing, not %q", c.Name, arg)
	}
	return c.do(m, arg)
}

// commandNamed finds a command by its name or an unambiguous prefix.
func commandNamed(name string) (*Command, error) {
	list := Commands()
	known := lists.Map(list, Command.name)
	i := slices.Index(known, name)
	if begun := begin(known, name); i < 0 && len(begun) == 1 {
		i = slices.Index(known, begun[0])
	}
	if i < 0 {
		return nil, nearest.Unknown("command", name, known)
	}
	return &list[i], nil
}

// completions returns what the last word of a line can become, and the line before that word.
func (m *Model) completions(line string) (head string, list []string) {
	name, arg, spaced := strings.Cut(line, " ")
	if !spaced {
		return "", begin(lists.Map(Commands(), Command.name), name)
	}
	c, err := commandNamed(name)
	if err != nil || c.values == nil {
		return "", nil
	}
	from := either(c.many, strings.LastIndexAny(arg, " ,")+1, 0)
	return name + " " + arg[:from], begin(c.values(m), arg[from:])
}

func begin(words []string, text string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !strings.HasPrefix(w, text) })
}

func (c Command) name() string { return c.Name }

func orderNames(*Model) []string  { return lists.Map(orders, func(o order) string { return o.name }) }
func screenNames(*Model) []string { return lists.Map(panes[:], func(p pane) string { return p.name }) }

func shownNames(m *Model) []string {
	if m.latest == nil {
		return nil
	}
	return lists.Map(m.latest.Schemes, func(s live.Scheme) string { return s.Name })
}

func opNames(m *Model) []string {
	if m.latest == nil {
		return []string{"all"}
	}
	return append(slices.Clip(m.latest.Ops), "all")
}

func (m *Model) optionNames(axis bool) []string {
	options := lists.Filter(m.form.options[m.choice.Script], func(o field) bool { return o.axis == axis })
	return lists.Map(options, func(o field) string { return o.name + "=" })
}

func typed(do func(*Model, string)) func(*Model, string) error {
	return func(m *Model, arg string) error {
		do(m, arg)
		return nil
	}
}

func plainly(do func(*Model)) func(*Model, string) error {
	return typed(func(m *Model, _ string) { do(m) })
}

func oneOf(what string, names func(*Model) []string, do func(m *Model, i int)) func(*Model, string) error {
	return func(m *Model, arg string) error {
		i := slices.Index(names(m), arg)
		if i < 0 {
			return nearest.Unknown(what, arg, names(m))
		}
		do(m, i)
		return nil
	}
}

// oneScheme makes a command that takes the name or the letter of a scheme.
func oneScheme(do func(m *Model, scheme int)) func(*Model, string) error {
	return func(m *Model, arg string) error {
		shown := shownNames(m)
		for i, name := range shown {
			if mark(i) == arg {
				arg = name
			}
		}
		return oneOf("scheme of this run", shownNames, do)(m, arg)
	}
}

func rerun(change func(c *Choice, arg string) error) func(*Model, string) error {
	return func(m *Model, arg string) error {
		choice := m.choice
		if err := change(&choice, arg); err != nil {
			return err
		}
		if m.session == nil {
			return errors.New("no run yet: choose one and press enter")
		}
		m.launch(choice)
		return nil
	}
}

// assign runs again with other values on an axis or of an option, or points to the command for the other.
func (m *Model) assign(assignment string, axis bool) error {
	name, _, _ := strings.Cut(assignment, "=")
	if slices.Contains(m.optionNames(!axis), name+"=") {
		what, other := either(axis, "an option", "an axis"), either(axis, "set", "axis")
		return fmt.Errorf("%s is %s of %s; hint: :%s %s", name, what, m.choice.Script, other, assignment)
	}
	return rerun(func(c *Choice, arg string) error {
		list := either(axis, &c.Axis, &c.Set) // an assignment replaces earlier ones to the same name
		*list = append(lists.Filter(*list, func(s string) bool { return !strings.HasPrefix(s, name+"=") }), arg)
		return nil
	})(m, assignment)
}

func parseSeed(text string) (uint64, error) {
	seed, ok := numbers.Seed(text)
	if !ok {
		return 0, numbers.NotSeed(strconv.Quote(text))
	}
	return seed, nil
}

func unless(right bool, format string, args ...any) error {
	if right {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// prompt is the last line while the user types a command or a filter.
type prompt struct {
	sign    string // ":" before a command, "/" before a filter, stepSign before an operation; empty: closed
	input   textinput.Model
	matches []string // completions of the last word
	match   int      // the one that is shown
	head    string   // the line before that word
	failure error
	history []string
	back    int // steps back in the history; 0: a new line
}

func newInput(sign, text string) textinput.Model {
	input := textinput.New()
	input.SetStyles(textinput.Styles{}) // plain, also with NO_COLOR
	input.Prompt = sign
	input.SetValue(text)
	input.Focus()
	return input
}

func (p *prompt) open(sign, text string) {
	*p = prompt{sign: sign, input: newInput(sign, text), history: p.history}
}

func (p *prompt) close() { p.sign = "" }

func (p *prompt) set(text string) {
	p.input.SetValue(text)
	p.input.CursorEnd()
}

func (p *prompt) drawHint(a area) {
	a = a.part(0, 0, a.w-1, 1)
	switch {
	case p.failure != nil:
		a.text(1, 0, bold|bad, p.failure.Error())
	case len(p.matches) > 1:
		x := 1
		from, to := visible(len(p.matches), max(1, a.w/16), p.match)
		for i := from; i < to; i++ {
			x = a.text(x, 0, either(i == p.match, bold|accent, faint), p.matches[i]) + 2
		}
	default:
		text := "a command: tab completes, enter runs it, esc goes back"
		name, _, _ := strings.Cut(p.input.Value(), " ")
		if c, err := commandNamed(name); err == nil {
			text = strings.TrimSpace(c.Name+" "+c.Args) + ": " + c.Help
		}
		a.text(1, 0, faint, text)
	}
}

func (m *Model) promptKey(name string, msg tea.Msg) {
	p, sign := &m.prompt, m.prompt.sign
	step := map[string]int{"tab": 1, "shift+tab": -1, "up": -1, "down": 1}[name]
	switch {
	case name == "esc":
		if p.close(); sign == "/" {
			m.setFilter("")
		}
	case name == "enter":
		m.accept()
	case step != 0 && sign == stepSign:
		ops := m.stepper.ops[1:]
		op, rest, _ := strings.Cut(p.input.Value(), " ")
		p.failure = nil
		p.set(ops[(max(slices.Index(ops, op), 0)+step+len(ops))%len(ops)] + " " + rest)
	case step != 0 && sign == ":" && strings.HasSuffix(name, "tab"):
		m.complete(step)
	case step != 0 && sign == ":":
		n := len(p.history)
		p.failure, p.back = nil, clamp(p.back-step, 0, n)
		p.set(append(p.history[:n:n], "")[n-p.back])
	case step == 0:
		p.input, _ = p.input.Update(msg)
		p.matches, p.match, p.failure = nil, 0, nil
		if sign == "/" {
			m.setFilter(p.input.Value())
		}
	}
}

func (m *Model) accept() {
	p := &m.prompt
	line := strings.TrimSpace(p.input.Value())
	if p.sign == stepSign {
		op, words, err := m.stepper.parse(line)
		if p.failure = err; err == nil && !m.stepper.busy {
			m.carryOut(op, words, false)
		}
		return
	}
	if p.sign == ":" && line != "" {
		if p.failure = m.command(line); p.failure != nil {
			return
		}
		p.history = append(p.history, line)
	}
	p.close()
}

func (m *Model) complete(step int) {
	p := &m.prompt
	if n := len(p.matches); n > 0 {
		p.match = (p.match + step + n) % n
	} else if p.head, p.matches = m.completions(p.input.Value()); len(p.matches) == 0 {
		return
	}
	p.set(p.head + p.matches[p.match])
	if len(p.matches) == 1 {
		p.matches = nil
	}
}
