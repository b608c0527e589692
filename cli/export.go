package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/export"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
)

func newExportCommand(env *Env) *cobra.Command {
	o := export.Options{Lang: export.Langs[0]}
	command := &cobra.Command{Use: "export", RunE: func(_ *cobra.Command, args []string) error {
		c, err := schemes.Parse(args[0])
		if err != nil {
			return usage(err)
		}
		b := results.ThisBuild()
		o.Version = cmp.Or(b.Revision, b.Version)
		done, err := export.Write(args[1], c, o)
		if err != nil {
			return usage(fmt.Errorf("export: %w", err))
		}
		left := lists.Map(done.Lacks, func(op string) string { return "not exported: " + op })
		return env.lines(append(append(done.Files, left...), "", "Next: "+done.Next+".")...)
	}}
	command.Flags().Var(settings.Word(&o.Lang, export.Langs...), "lang", "the `language`: cuda, a C++ header for nvcc, clang and g++; c, with a library of C functions as well; go and python, packages that use the CPU or a GPU")
	env.usesSchemes(command)
	return command
}
