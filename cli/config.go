package cli

import (
	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/runtime/results"
)

func newConfigCommand(env *Env) *cobra.Command {
	command := &cobra.Command{
		Use:   "config",
		Short: "show the settings in effect, and where each comes from",
		Long: "Show the settings in effect, and where each comes from. A flag overrides a variable (HASHZOO_SEED,\n" +
			"HASHZOO_REPEAT_NOISE), which overrides config.toml in the current folder, which overrides hashzoo/config.toml\n" +
			"in your configuration folder ($XDG_CONFIG_HOME or ~/.config), which overrides the defaults. The current\n" +
			"folder's file names no plugins and raises no limit of scripts, since it may have come with an archive.",
	}
	for _, s := range env.Settings.Table() {
		env.uses(command, s.Key)
	}
	return env.listing(command, func([]string) (any, func() error, error) {
		type source struct {
			Value string `json:"value"`
			From  string `json:"from"`
		}
		inForce := map[string]source{}
		all := env.Settings.Table()
		for _, s := range all {
			inForce[s.Key] = source{s.String(), env.Settings.From[s.Key]}
		}
		table := results.TableOf("setting | value | from | flag", all, func(s settings.Setting) []string {
			return []string{s.Key, s.String(), env.Settings.From[s.Key], "--" + s.Flag}
		})
		return inForce, func() error { return table.Print(env.Out) }, nil
	})
}
