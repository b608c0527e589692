package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/step"
)

func newExplainCommand(env *Env) *cobra.Command {
	command := &cobra.Command{
		Use:               "explain SCHEME[:param=value,...]",
		Short:             "explain a scheme: its idea, its operations, and what they do to a small table, step by step",
		ValidArgsFunction: env.completeOneScheme,
	}
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
		return cmp.Or(e.essays(), e.operations(), e.params(), e.figures(), e.steps())
	}
	env.usesSchemes(command)
	return command
}

// completeOneScheme completes a scheme with its parameters.
func (env *Env) completeOneScheme(command *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return env.completeSchemes(command, args, word)
}

// explanation writes what there is to say about a scheme.
type explanation struct {
	env    *Env
	config schemes.Config
	width  int
	all    bool // steps are shown, however many
}

func (e explanation) print(text string) error {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = results.Plain(lines[i])
	}
	_, err := fmt.Fprint(e.env.Out, strings.Join(lines, "\n"))
	return err
}

func (e explanation) heading(text string) error {
	return e.print("\n" + text + "\n" + strings.Repeat("-", len(text)) + "\n\n")
}

// essays prints what the headers say, without their names, with which they begin.
func (e explanation) essays() error {
	c := e.config
	err := e.print(fmt.Sprintf("%v: %s\n\n%s\n\n%s", c, c.Title, wrap(c.About, e.width), hanging("Paper: ", c.Paper, e.width)))
	if err != nil {
		return err
	}
	if c.Reference {
		return nil // its library has one
	}
	list, err := c.Essays()
	if err != nil {
		return e.print("\n" + wrap(err.Error(), e.width) + "\n")
	}
	for _, essay := range list {
		lines := slices.Clone(essay.Lines)
		if len(lines) > 0 {
			lines[0] = strings.TrimPrefix(lines[0], essay.Header+": ")
		}
		if err := cmp.Or(e.heading(essay.Header), e.print(typeset(lines, e.width))); err != nil {
			return err
		}
	}
	return nil
}

// operations prints what each operation does, and with what it may run at the same time.
func (e explanation) operations() error {
	caps := e.config.Caps
	table := results.TableOf("operation | what it does | how it runs", caps.Ops, func(op string) []string {
		return []string{op, kernels.Op(op).Help, carriedOut(e.config, op)}
	})
	together := "Linearizable in one batch with each other: " + strings.Join(caps.Concurrent, ", ") + "."
	if len(caps.Concurrent) == 0 {
		together = "No two operations share a batch: each is linearizable among operations of its kind."
	}
	return cmp.Or(e.heading("Operations"), table.Print(e.env.Out), e.print("\n"+wrap(together, e.width)+"\n"))
}

// carriedOut says how an operation is carried out.
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

func (e explanation) params() error {
	if len(e.config.Params) == 0 {
		return nil
	}
	text, settings, names := "", e.config.Settings(), 0
	for _, p := range e.config.Params {
		names = max(names, len(p.Name+settings[p.Name]))
	}
	for _, p := range e.config.Params {
		label := fmt.Sprintf("%-*s", names+4, p.Name+" = "+settings[p.Name])
		text += hanging(label+" ", p.Help+" ("+p.Allowed()+")", e.width)
	}
	return cmp.Or(e.heading("Parameters"), e.print(text))
}

// figures prints what is expected per operation with these parameters, or with any if there
// is nothing for these, and how full tables get.
func (e explanation) figures() error {
	mine := slices.DeleteFunc(slices.Clone(e.config.Expected), func(f schemes.Figure) bool {
		config, err := e.config.Configure(f.Settings)
		return err != nil || config.String() != e.config.String()
	})
	if len(mine) == 0 {
		mine = e.config.Expected
	}
	table := results.TableOf("settings | #load | operation | counter | #per operation", mine, func(f schemes.Figure) []string {
		op := f.Op
		if op == "find" {
			op = fmt.Sprintf("find, %g%% present", f.Present)
		}
		return []string{cmp.Or(f.Settings, "defaults"), fmt.Sprintf("%g", f.Load), op, f.Counter, fmt.Sprintf("%g", f.PerOp)}
	})
	sources := ""
	for _, f := range mine {
		if source := hanging(f.Source.Kind+": ", f.Source.Text, e.width); !strings.Contains(sources, source) {
			sources += source
		}
	}
	if sources != "" {
		sources = "\n" + sources + "\n"
	}
	fills := fmt.Sprintf("Tables with these parameters fill to a load factor of %.2f.\n", e.config.MaxLoad(e.config))
	return cmp.Or(e.heading("Expected figures"), table.Print(e.env.Out), e.print(sources+fills))
}

// steps plays the scheme's vectors.
func (e explanation) steps() error {
	if err := e.heading("Step by step"); err != nil {
		return err
	}
	if err := step.Instrumented(e.config); err != nil {
		return e.print(wrap(err.Error(), e.width) + "\n")
	}
	var shown []string
	var places []string
	return step.Play(e.config, func(l step.Line) error {
		if l.Words[0] == "places" {
			places = append(places, l.Words[1]+" -> "+strings.Join(l.Words[2:], " "))
			return nil
		}
		if len(places) > 0 {
			if err := e.print(hanging("  places: ", strings.Join(places, ", "), e.width)); err != nil {
				return err
			}
			places = nil
		}
		rows := rowTexts(l.State)
		changed := l.Words[0] == "table" || !slices.Equal(rows, shown)
		shown = rows
		return e.line(l, changed)
	})
}

// line prints a line of the vectors: what its comments say, its steps, and the table if it
// has changed.
func (e explanation) line(l step.Line, changed bool) error {
	var b strings.Builder
	for i, about := range l.About {
		if i > 0 || l.Words[0] != "table" || l.Number > 10 {
			b.WriteString("\n")
		}
		b.WriteString(typeset(strings.Split(about, "\n"), e.width))
	}
	switch {
	case l.Done != nil:
		b.WriteString("\n" + hanging("> ", strings.Join(l.Words, " "), e.width))
		b.WriteString(e.stepTexts(l.Done.Steps))
	case l.Words[0] == "slots":
	default:
		b.WriteString(hanging("  ", strings.Join(l.Words, " "), e.width))
	}
	if changed {
		for _, row := range rowTexts(l.State) {
			b.WriteString(hanging("      ", row, e.width))
		}
	}
	return e.print(b.String())
}

// mostSteps is how many steps of an operation are shown unless all are asked for.
const mostSteps = 20

func (e explanation) stepTexts(steps []step.Step) string {
	var b strings.Builder
	for i, s := range steps {
		if left := len(steps) - 1 - i; i >= mostSteps && left > 1 && !e.all {
			if i == mostSteps {
				fmt.Fprintf(&b, "    ... and %d more steps, which --all shows\n", left)
			}
			continue
		}
		b.WriteString(hanging("    ", s.Text, e.width))
	}
	return b.String()
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
