// Man writes a man page of every command of hashzoo: man FOLDER. tools/release.sh runs it.
// It is a program of its own, because what writes man pages takes a CPU second to compile.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra/doc"

	"github.com/hashzoo/hashzoo/cli"
)

func main() {
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "man: %v\n", err)
		os.Exit(1)
	}
}

func write(folder string) error {
	root := cli.Commands()
	root.DisableAutoGenTag = true
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "hashzoo " + root.Version, Manual: "hashzoo"}, folder)
}
