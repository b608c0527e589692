package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/results"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // the schemes that ship
	"github.com/hashzoo/hashzoo/schemes"
)

var _ = register(newSchemesCommand)

func newSchemesCommand(env *Env) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:               "schemes [NAME]",
		Short:             "list the schemes of the zoo, or describe one",
		Args:              atMost(1),
		ValidArgsFunction: env.completeSchemeNames,
		RunE: func(_ *cobra.Command, args []string) error {
			list := schemes.All()
			if len(args) == 1 {
				one, err := schemes.Find(args[0])
				if err != nil {
					return usage(err)
				}
				list = []*schemes.Scheme{one}
			}
			switch {
			case asJSON:
				return env.printJSON(describeAll(list))
			case len(args) == 1:
				return printScheme(env, describe(list[0]))
			}
			return printSchemes(env, list)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	env.usesSchemes(command)
	return command
}

func describeAll(list []*schemes.Scheme) []schemeInfo {
	var all []schemeInfo
	for _, s := range list {
		all = append(all, describe(s))
	}
	return all
}

func printSchemes(env *Env, list []*schemes.Scheme) error {
	table := results.Table{Columns: []results.Column{{Title: "scheme"}, {Title: "title"}, {Title: "operations"},
		{Title: "mixed"}, {Title: "fills to", Number: true}}}
	for _, s := range list {
		table.Rows = append(table.Rows, []string{s.Name, s.Title, strings.Join(s.Caps.Ops, " "), mixing(s.Caps),
			fmt.Sprintf("%.2f", s.MaxLoad(s.Defaults()))})
	}
	if err := table.Print(env.Out); err != nil {
		return err
	}
	_, err := fmt.Fprintf(env.Out, "\nhashzoo schemes NAME says more about one.\n")
	return err
}

// mixing describes how a mixed batch runs.
func mixing(c schemes.Capabilities) string {
	keyed := slices.DeleteFunc(slices.Clone(c.Ops), func(op string) bool { return !slices.Contains(engine.Keyed, op) })
	switch {
	case len(c.Concurrent) == 0:
		return "in phases"
	case len(c.Concurrent) == len(keyed):
		return "concurrently"
	}
	return "concurrently (" + strings.Join(c.Concurrent, ", ") + "), others in phases"
}

func printScheme(env *Env, s schemeInfo) error {
	fmt.Fprintf(env.Out, "%s: %s\n\n%s\n\nPaper: %s\n\n", s.Name, s.Title, wrap(s.About, 90), s.Paper)
	if err := paramTable(s.Params).Print(env.Out); err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "\nOperations: %s; mixed batches run %s.\n", strings.Join(s.Operations, ", "), s.Mixed)
	fmt.Fprintf(env.Out, "Pairs: %s. %s\n", strings.Join(s.Pairs, ", "), strings.Join(properties(s), ". "))
	fmt.Fprintf(env.Out, "Fills to a load factor of %.2f with the default parameters.\n\n", s.MaxLoad)
	if err := printIfAny(env, gaugeTable(s.Gauges)); err != nil {
		return err
	}
	fmt.Fprintln(env.Out)
	if err := variantTable(s.Variants).Print(env.Out); err != nil || len(kernels.PTXNames()) > 0 {
		return err
	}
	_, err := fmt.Fprintln(env.Out, "\nThis build has no kernels for cuda: hashzoo devices says why.")
	return err
}

func properties(s schemeInfo) []string {
	say := func(yes bool, positive, negative string) string {
		if yes {
			return positive
		}
		return negative
	}
	stays := "Pairs stay in place"
	if s.MovesWith != nil {
		stays += ", except with " + strings.Join(s.MovesWith, " or ")
	}
	return []string{
		say(s.Stable, stays, "Pairs move"),
		say(s.Duplicates, "A key can have several pairs", "A key has one pair"),
		say(s.HostMemory, "The table can be in host memory.", "The table is in device memory."),
	}
}

func paramTable(params []paramInfo) results.Table {
	table := results.Table{Columns: []results.Column{{Title: "parameter"}, {Title: "takes"}, {Title: "default"}, {Title: "what it is"}}}
	for _, p := range params {
		table.Rows = append(table.Rows, []string{p.Name, p.Allowed, p.Default, p.Help})
	}
	return table
}

func gaugeTable(gauges []gaugeInfo) results.Table {
	table := results.Table{Columns: []results.Column{{Title: "gauge"}, {Title: "unit"}, {Title: "what it shows"}}}
	for _, g := range gauges {
		table.Rows = append(table.Rows, []string{g.Name, g.Unit, g.Help})
	}
	return table
}

// variantTable has a line for each variant, with the pairs that each backend takes.
func variantTable(variants []variantInfo) results.Table {
	table := results.Table{Columns: []results.Column{{Title: "compiled variant"}, {Title: "cpu"}, {Title: "cuda"}}}
	for _, v := range variants {
		last := len(table.Rows) - 1
		if last < 0 || table.Rows[last][0] != v.Name {
			table.Rows = append(table.Rows, []string{v.Name, "", ""})
			last++
		}
		row := table.Rows[last]
		if v.CPU {
			row[1] = strings.TrimPrefix(row[1]+" "+v.Pair, " ")
		}
		if v.CUDA != "" {
			row[2] = strings.TrimPrefix(row[2]+", "+v.Pair+" on "+v.CUDA+" and later", ", ")
		}
	}
	return table
}

// wrap breaks a paragraph into lines.
func wrap(text string, width int) string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return strings.Join(append(lines, line), "\n")
}
