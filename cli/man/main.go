// Man writes a man page of every command of hashzoo: man FOLDER, beside config.toml. tools/release.sh runs it.
// It is a program of its own, because what writes man pages takes a CPU second to compile.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra/doc"

	"github.com/hashzoo/hashzoo/cli"
	"github.com/hashzoo/hashzoo/cli/settings"
)

func main() {
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "man: %v\n", err)
		os.Exit(1)
	}
}

func write(folder string) error {
	config, err := os.ReadFile("config.toml")
	if err != nil {
		return err
	}
	settings.Shipped = string(config)
	root := cli.Commands()
	root.DisableAutoGenTag = true
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "hashzoo " + root.Version, Manual: "hashzoo"}, folder)
}
