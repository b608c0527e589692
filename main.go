// Hashzoo compares hash-table schemes on GPUs and CPUs. README.md says how.
package main

import (
	_ "embed"
	"os"

	"github.com/hashzoo/hashzoo/cli"
)

// config has every setting's default.
//
//go:embed config.toml
var config string

func main() { os.Exit(cli.Main(config)) }
