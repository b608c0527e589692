package results

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
)

// ThisHost describes this machine.
func ThisHost() Host {
	name, err := os.Hostname()
	if err != nil {
		name = "unknown"
	}
	return Host{Name: name, OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0)}
}

// ThisBuild describes the running program from the build information that go embeds.
func ThisBuild() Build {
	b := Build{
		Version:    "unknown",
		Go:         runtime.Version(),
		Compiler:   kernels.Compiler(),
		ABI:        kernels.ABIVersion,
		Generators: kernels.GeneratorVersion,
		Digests:    kernels.DigestVersion,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.read(info)
	}
	return b
}

func (b *Build) read(info *debug.BuildInfo) {
	b.Version = info.Main.Version
	var flags []string
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		case "-tags", "-race", "-asan", "CGO_CXXFLAGS":
			if s.Value != "" {
				flags = append(flags, s.Key+"="+s.Value)
			}
		}
	}
	b.Flags = strings.Join(flags, " ")
}
