// Hashzoo compares hash-table schemes on GPUs and CPUs. README.md says how.
package main

import (
	_ "embed"
	"os"

	"github.com/hashzoo/hashzoo/cli"
	"github.com/hashzoo/hashzoo/cli/settings"
)

//go:embed config.toml
var config string

func main() {
	settings.Shipped = config
	os.Exit(cli.Main())
}
