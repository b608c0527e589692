package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/scripts"
)

var _ = register(newScriptsCommand)

func newScriptsCommand(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "scripts", Short: "list the scripts that ship, to run or to start from"}
	command.AddCommand(&cobra.Command{
		Use:               "show NAME",
		Short:             "print a script",
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
	return env.listing(command, func([]string) (any, func() error, error) {
		var data []map[string]string
		for _, s := range scripts.All() {
			data = append(data, map[string]string{"name": s.Name, "title": s.Title})
		}
		table := results.TableOf("script | what it does", scripts.All(), func(s scripts.Script) []string { return []string{s.Name, s.Title} })
		return data, func() error {
			return table.Print(env.Out, "hashzoo run NAME runs one, hashzoo run NAME --help lists its options, hashzoo scripts show NAME prints it.")
		}, nil
	})
}
