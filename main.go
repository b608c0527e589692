// Hashzoo compares hash-table schemes on GPUs and CPUs. README.md says how.
package main

import (
	"os"

	"github.com/hashzoo/hashzoo/cli"
)

func main() { os.Exit(cli.Main()) }
