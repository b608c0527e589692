package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/scripts"
)

var _ = register(newScriptsCommand)

func newScriptsCommand(env *Env) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "scripts",
		Short: "list the scripts that ship, to run or to start from",
		RunE: func(_ *cobra.Command, args []string) error {
			if asJSON {
				return env.printJSON(shipped())
			}
			return printScripts(env)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	command.AddCommand(&cobra.Command{
		Use:               "show NAME",
		Short:             "print a script",
		Args:              exactly("NAME"),
		ValidArgsFunction: completeScripts,
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := scripts.Find(args[0])
			if err != nil {
				return usage(err)
			}
			_, err = fmt.Fprint(env.Out, s.Source)
			return err
		},
	})
	return command
}

// scriptInfo describes a script for `scripts --json`.
type scriptInfo struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

func shipped() []scriptInfo {
	var list []scriptInfo
	for _, s := range scripts.All() {
		list = append(list, scriptInfo{s.Name, s.Title})
	}
	return list
}

func printScripts(env *Env) error {
	table := results.Table{Columns: []results.Column{{Title: "script"}, {Title: "what it does"}}}
	for _, s := range scripts.All() {
		table.Rows = append(table.Rows, []string{s.Name, s.Title})
	}
	if err := table.Print(env.Out); err != nil {
		return err
	}
	_, err := fmt.Fprint(env.Out, "\nhashzoo run NAME runs one, hashzoo run NAME --help lists its options, hashzoo scripts show NAME prints it.\n")
	return err
}

func completeScripts(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []cobra.Completion
	for _, s := range scripts.All() {
		names = append(names, cobra.CompletionWithDesc(s.Name, s.Title))
	}
	return names, cobra.ShellCompDirectiveDefault
}
