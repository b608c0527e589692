// Hashzoo compares hash-table schemes on GPUs and CPUs. README.md says how.
package main

import (
	_ "embed"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/hashzoo/hashzoo/cli"
)

// config has every setting's default.
//
//go:embed config.toml
var config string

func main() {
	collectLate()
	os.Exit(cli.Main(config))
}

// collectLate has the first garbage collection at 32 MB instead of 4: collections were half of the time that a short
// command takes.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(800)
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}
