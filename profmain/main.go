package main

import (
	_ "embed"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/hashzoo/hashzoo/cli"
)

//go:embed config.toml
var config string

func main() {
	f, _ := os.Create(os.Getenv("HZPROF"))
	runtime.SetCPUProfileRate(1000); pprof.StartCPUProfile(f)
	code := cli.Main(config)
	pprof.StopCPUProfile()
	f.Close()
	os.Exit(code)
}
