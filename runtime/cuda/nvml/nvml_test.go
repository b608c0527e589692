package nvml

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// library compiles the library for tests.
func library(t *testing.T, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "libnvidia-ml.so.1")
	build := bounded.Command(t, cmp.Or(os.Getenv("CC"), "cc"), append(flags, "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-o", path, "testdata/nvml.c")...)
	out, err := build.CombinedOutput()
	must.Need(t, err == nil, "%v: %v\n%s", build, err, out)
	return path
}

const address = "00000000:3b:00.0"

func TestState(t *testing.T) {
	for name, c := range map[string]struct {
		flags []string
		want  device.State
	}{
		"whole": {nil, device.State{
			Figures:   map[string]float64{device.GPUClock: 1980, device.GPUMemoryClock: 3201, device.GPUTemperature: 61, device.GPUPower: 352.5},
			Throttled: []string{"power cap", "hardware thermal slowdown", "reason 0x400"},
		}},
		"old": {[]string{"-DOLD"}, device.State{Figures: map[string]float64{device.GPUClock: 1980}}},
	} {
		t.Run(name, func(t *testing.T) {
			var got device.State
			Open(library(t, c.flags...), address).AddState(&got)
			must.Match(t, got, c.want)
		})
	}
}

// Without the library, or for a GPU that it does not know, there is no figure.
func TestNoFigures(t *testing.T) {
	for path, at := range map[string]string{library(t): "00000000:00:00.0", "no-such-library.so.1": address, "testdata/nvml.c": address} {
		var got device.State
		Open(path, at).AddState(&got)
		must.Match(t, got, device.State{}, path)
	}
}
