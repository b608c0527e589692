package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/results"
)

var _ = register(newVersionCommand)

func newVersionCommand(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "show the version, the compiler and the backends of this program",
		RunE: func(*cobra.Command, []string) error {
			b := results.ThisBuild()
			revision := b.Revision
			if revision == "" {
				revision = "unknown revision"
			}
			if b.Modified {
				revision += ", modified"
			}
			_, err := fmt.Fprintf(env.Out, "hashzoo %s (%s)\n%s, kernels by %s\nkernel interface %d, generators %d, digests %d, results %s\n",
				b.Version, revision, b.Go, b.Compiler, b.ABI, b.Generators, b.Digests, results.Schema)
			return err
		},
	}
}
