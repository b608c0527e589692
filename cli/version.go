package cli

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/results"
)

var _ = register(newVersionCommand)

func newVersionCommand(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "version", Short: "show the version, the compiler and the interfaces of this program"}
	return env.listing(command, func([]string) (any, func() error, error) {
		b := results.ThisBuild()
		return b, func() error { return describeBuild(env.Out, b) }, nil
	})
}

func describeBuild(to io.Writer, b results.Build) error {
	revision := cmp.Or(b.Revision, "unknown revision")
	if b.Modified {
		revision += ", modified"
	}
	_, err := fmt.Fprintf(to, "hashzoo %s (%s)\n%s, kernels by %s\nkernel interface %d, generators %d, digests %d, results %s\n",
		b.Version, revision, b.Go, b.Compiler, b.ABI, b.Generators, b.Digests, results.Schema)
	return err
}
