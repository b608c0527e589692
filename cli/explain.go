package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/step"
)

func newExplainCommand(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "explain"}
	all := command.Flags().Bool("all", false, "show all steps of operations that take many")
	command.RunE = func(_ *cobra.Command, args []string) error {
		config, err := schemes.Parse(args[0])
		if err != nil {
			return usage(err)
		}
		e := explanation{env, config, 80, *all}
		if width, terminal := results.Screen(env.Out); terminal {
			e.width = min(max(width, 40), 100)
		}
		e.essays()
		e.operations()
		e.params()
		e.figures()
		return e.steps()
	}
	env.usesSchemes(command)
	return command
}

// explanation describes a scheme.
type explanation struct {
	env    *Env
	config schemes.Config
	width  int
	all    bool // steps are shown, however many
}

func (e explanation) print(text string) { fmt.Fprint(e.env.text(), text) }

func (e explanation) heading(text string) {
	e.print("\n" + text + "\n" + strings.Repeat("-", len(text)) + "\n\n")
}

// essays prints the essays of the headers, without the names of these, with which they begin.
func (e explanation) essays() {
	c := e.config
	e.print(fmt.Sprintf("%v: %s\n\n%s\n\n%s", c, c.Title, wrap(c.About, e.width), hanging("Paper: ", c.Paper, e.width)))
	if c.Reference {
		return // its library has one
	}
	list, err := c.Essays()
	if err != nil {
		e.print("\n" + wrap(err.Error(), e.width) + "\n")
	}
	for _, essay := range list {
		lines := slices.Clone(essay.Lines)
		if len(lines) > 0 {
			lines[0] = strings.TrimPrefix(lines[0], essay.Header+": ")
		}
		e.heading(essay.Header)
		e.print(typeset(lines, e.width))
	}
}

// operations prints what each operation does, and which may run at the same time.
func (e explanation) operations() {
	caps := e.config.Caps
	table := results.TableOf("operation | what it does | how it runs", caps.Ops, func(op string) []string {
		return []string{op, kernels.Op(op).Help, carriedOut(e.config, op)}
	})
	together := lists.Either(len(caps.Concurrent) == 0, "No two operations share a batch: each is linearizable among operations of its kind.",
		"Linearizable in one batch with each other: "+strings.Join(caps.Concurrent, ", ")+".")
	e.heading("Operations")
	_ = table.Print(e.env.Out)
	e.print("\n" + wrap(together, e.width) + "\n")
}

func carriedOut(c schemes.Config, op string) string {
	switch {
	case kernels.Op(op).Kind == kernels.OnTable:
		return "by the host side"
	case kernels.Op(op).Kind == kernels.OnSlots:
		return "over all slots"
	case c.Host[op] != nil:
		return "one launch; the host side may add more"
	}
	return "one launch"
}

func (e explanation) params() {
	if len(e.config.Params) == 0 {
		return
	}
	text, settings := "", e.config.Settings()
	names := lists.Max(e.config.Params, func(p schemes.Param) int { return len(p.Name + settings[p.Name]) })
	for _, p := range e.config.Params {
		label := fmt.Sprintf("%-*s", names+4, p.Name+" = "+settings[p.Name])
		text += hanging(label+" ", p.Help+" ("+p.Allowed()+")", e.width)
	}
	e.heading("Parameters")
	e.print(text)
}

// figures prints the expected figures for these parameters, or for any if there are none for these, and how full tables
// get.
func (e explanation) figures() {
	mine := slices.DeleteFunc(slices.Clone(e.config.Expected), func(f schemes.Figure) bool {
		config, err := e.config.Configure(f.Settings)
		return err != nil || config.String() != e.config.String()
	})
	if len(mine) == 0 {
		mine = e.config.Expected
	}
	table := results.TableOf("settings | #load | operation | counter | #per operation", mine, func(f schemes.Figure) []string {
		op := f.Op + lists.Either(f.Op == "find", fmt.Sprintf(", %g%% present", f.Present), "")
		return []string{cmp.Or(f.Settings, "defaults"), fmt.Sprintf("%g", f.Load), op, f.Counter, fmt.Sprintf("%g", f.PerOp)}
	})
	source := func(f schemes.Figure) string { return hanging(f.Source.Kind+": ", f.Source.Text, e.width) }
	sources := strings.Join(lists.Unique(lists.Map(mine, source)), "")
	if sources != "" {
		sources = "\n" + sources + "\n"
	}
	e.heading("Expected figures")
	_ = table.Print(e.env.Out)
	e.print(sources + fmt.Sprintf("Tables with these parameters fill to a load factor of %.2f.\n", e.config.MaxLoad(e.config)))
}

func (e explanation) steps() error {
	e.heading("Step by step")
	if err := step.Instrumented(e.config); err != nil {
		e.print(wrap(err.Error(), e.width) + "\n")
		return nil
	}
	var shown []string
	var places []string
	return step.Play(e.config, func(l step.Line) error {
		if l.Words[0] == "places" {
			places = append(places, l.Words[1]+" -> "+strings.Join(l.Words[2:], " "))
			return nil
		}
		if len(places) > 0 {
			e.print(hanging("  places: ", strings.Join(places, ", "), e.width))
			places = nil
		}
		rows := rowTexts(l.State)
		changed := l.Words[0] == "table" || !slices.Equal(rows, shown)
		shown = rows
		e.line(l, changed)
		return nil
	})
}

// line prints a line of the vectors: its comments, its steps, and the table if it has changed.
func (e explanation) line(l step.Line, changed bool) {
	for i, about := range l.About {
		if i > 0 || l.Words[0] != "table" || l.Number > 10 {
			e.print("\n")
		}
		e.print(typeset(strings.Split(about, "\n"), e.width))
	}
	switch {
	case l.Done != nil:
		e.print("\n" + hanging("> ", strings.Join(l.Words, " "), e.width))
		e.printSteps(l.Done.Steps)
	case l.Words[0] != "slots":
		e.print(hanging("  ", strings.Join(l.Words, " "), e.width))
	}
	if !changed {
		return
	}
	for _, row := range rowTexts(l.State) {
		e.print(hanging("      ", row, e.width))
	}
}

func (e explanation) printSteps(steps []step.Step) {
	const mostSteps = 20 // of an operation, unless all are asked for
	for i, s := range steps {
		switch left := len(steps) - 1 - i; {
		case i < mostSteps || left < 2 || e.all:
			e.print(hanging("    ", s.Text, e.width))
		case i == mostSteps:
			e.print(fmt.Sprintf("    ... and %d more steps, which --all shows\n", left))
		}
	}
}

// rowTexts are the rows of a table as text; rows of one slot share a line.
func rowTexts(s step.State) (list []string) {
	var slots []string
	for _, r := range s.Rows {
		if len(r.Cells) == 1 && strings.HasPrefix(r.Title, "slot ") {
			slots = append(slots, r.Cells[0])
			continue
		}
		list = append(list, strings.TrimSpace(r.Title+": "+step.List(r.Cells)))
	}
	if slots != nil {
		list = append(list, "slots: "+strings.Join(slots, " "))
	}
	return list
}

// typeset lays out the lines of an essay: paragraphs are wrapped, and indented lines (pictures and lists) stay as they
// are, except lists that are too wide.
func typeset(lines []string, width int) string {
	var b strings.Builder
	for _, block := range blocks(lines) {
		switch list, at := items(block); {
		case block[0] == "":
			b.WriteString("\n")
		case !isIndented(block[0]):
			b.WriteString(wrap(strings.Join(block, " "), width) + "\n")
		case list == nil || slices.Max(lists.Map(block, ansi.StringWidth)) <= width:
			b.WriteString(strings.Join(block, "\n") + "\n")
		default:
			for _, item := range list {
				b.WriteString(hanging(item[:at], item[at:], width))
			}
		}
	}
	return b.String()
}

// blocks splits lines into empty ones, indented ones and paragraphs.
func blocks(lines []string) (list [][]string) {
	for i, line := range lines {
		if i == 0 || line == "" || lines[i-1] == "" || isIndented(line) != isIndented(lines[i-1]) {
			list = append(list, nil)
		}
		last := len(list) - 1
		list[last] = append(list[last], line)
	}
	return list
}

func isIndented(line string) bool { return strings.HasPrefix(line, "  ") }

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// items returns the items of a list, each in one line, and where their texts begin: the further lines of an item begin
// there, too. It returns nil if the lines are something else, such as a picture.
func items(lines []string) (list []string, at int) {
	deeper := func(line string) bool { return indent(line) > indent(lines[0]) }
	i := slices.IndexFunc(lines, deeper)
	if i <= 0 {
		return nil, 0
	}
	at = indent(lines[i])
	for _, line := range lines {
		isItem := indent(line) == indent(lines[0]) && len(line) > at && line[at-1] == ' ' && line[at] != ' '
		switch {
		case !isItem && indent(line) != at || strings.Contains(line[at:], "  "):
			return nil, 0
		case isItem:
			list = append(list, line)
		default:
			list[len(list)-1] += " " + strings.TrimSpace(line)
		}
	}
	return list, at
}

// hanging wraps a text behind a label.
func hanging(label, text string, width int) string {
	at := ansi.StringWidth(label)
	lines := strings.Split(wrap(text, max(20, width-at)), "\n")
	return label + strings.Join(lines, "\n"+strings.Repeat(" ", at)) + "\n"
}
