package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/results"
)

func newVersionCommand(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "version", Short: "show the version, the compiler and the interfaces of this program"}
	return env.listing(command, func([]string) (any, func() error, error) {
		b := results.ThisBuild()
		revision := cmp.Or(b.Revision, "unknown revision")
		if b.Modified {
			revision += ", modified"
		}
		return b, func() error {
			return env.lines([]string{
				fmt.Sprintf("hashzoo %s (%s)", b.Version, revision),
				fmt.Sprintf("%s, kernels by %s", b.Go, b.Compiler),
				fmt.Sprintf("kernel interface %d, generators %d, digests %d, results %s", b.ABI, b.Generators, b.Digests, results.Schema),
			})
		}, nil
	})
}
