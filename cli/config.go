package cli

import (
	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/runtime/results"
)

var _ = register(newConfigCommand)

func newConfigCommand(env *Env) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "config",
		Short: "show the settings in effect, and where each comes from",
		Long: "Show the settings in effect, and where each comes from. A flag overrides a variable (HASHZOO_SEED,\n" +
			"HASHZOO_REPEAT_NOISE), which overrides config.toml in the current folder, which overrides the defaults.",
		Args: atMost(0),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return env.printJSON(inForce(env))
			}
			table := results.Table{Columns: []results.Column{{Title: "setting"}, {Title: "value"}, {Title: "from"}, {Title: "flag"}}}
			for _, s := range settings.Table {
				table.Rows = append(table.Rows, []string{s.Key, env.Settings.Text(s.Key), env.Settings.From[s.Key], "--" + s.Flag})
			}
			return table.Print(env.Out)
		},
	}
	var keys []string
	for _, s := range settings.Table {
		keys = append(keys, s.Key)
	}
	env.uses(command, keys...)
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

type settingInForce struct {
	Value string `json:"value"`
	From  string `json:"from"`
}

func inForce(env *Env) map[string]settingInForce {
	all := map[string]settingInForce{}
	for _, s := range settings.Table {
		all[s.Key] = settingInForce{env.Settings.Text(s.Key), env.Settings.From[s.Key]}
	}
	return all
}
