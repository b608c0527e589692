package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/schemes"
)

var _ = register(newRunCommand)

const runLong = `Run a script on schemes side by side: one that ships (hashzoo scripts lists them), or
one of your own. Without --schemes it runs on all schemes of the zoo, with their
defaults; those that lack what the script asks for are left out, and it says why. Schemes
take turns batch by batch, and are given the same input.

hashzoo run SCRIPT --help lists what can be chosen about a script. Rates are of
completed operations, by the device's own clock.`

// runExample names two schemes, since not all of the zoo have pairs of every width.
func runExample() string {
	first, last := schemes.All()[0], schemes.All()[len(schemes.All())-1]
	return fmt.Sprintf(`  hashzoo run quickstart
  hashzoo run quickstart --help
  hashzoo run rates --set n=20M --axis load=0.5:0.9:0.1 --sort "100%% find"
  hashzoo run ycsb/a --schemes %s,%s --device cuda:0 --count --json results.json
  hashzoo run my.lua --seed 7 --verify`, first.Name, last.Name)
}

func newRunCommand(env *Env) *cobra.Command {
	s := newSession(env)
	command := &cobra.Command{
		Use:               "run SCRIPT",
		Short:             "run a script on schemes side by side",
		Long:              runLong,
		Example:           runExample(),
		Args:              exactly("SCRIPT"),
		ValidArgsFunction: completeScripts,
		RunE:              func(c *cobra.Command, args []string) error { return s.runScript(c.Context(), args[0]) },
	}
	command.Flags().SortFlags = false
	s.schemeFlag(command, "(default: all)")
	s.scriptFlags(command)
	env.usesSchemes(command, scriptSettings...)
	s.flags(command)
	s.plainFlags(command)
	usual := command.HelpFunc()
	command.SetHelpFunc(func(c *cobra.Command, args []string) {
		if name := c.Flags().Arg(0); name != "" {
			env.failed = usage(env.scriptHelp(name))
		} else {
			usual(c, args)
		}
	})
	return command
}

// runScript runs the script that the command line names.
func (s *session) runScript(ctx context.Context, name string) error {
	j, err := s.scriptJob(ctx, s.choice(name))
	if err != nil {
		return usage(err)
	}
	return s.carryOut(ctx, j)
}

// scriptFlags are what can be chosen about a script.
func (s *session) scriptFlags(command *cobra.Command) {
	f := command.Flags()
	f.StringArrayVar(&s.set, "set", nil, "give an option of the script a value: `name=value`")
	f.StringArrayVar(&s.axis, "axis", nil, "give an axis other values: `name=values`, which are 1,2,3 or from:to:step or from:to:*factor")
}

// scriptSettings are the settings that scripts need.
var scriptSettings = []string{"device", "threads", "seed", "repeat.noise", "engine.batch_timeout",
	"lua.steps", "lua.time", "lua.memory", "lua.vectors", "lua.from"}
