package kernels_test

import (
	"testing"

	_ "github.com/hashzoo/hashzoo/runtime/compile" // compiles them
	"github.com/hashzoo/hashzoo/runtime/cpu"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/workloads/check"
)

// Runs the verbs of the tile on one thread; the tests of workloads/check take two.
func TestTileVerbs(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the tests of workloads/check do")
	}
	dev, err := cpu.Backend().Open(0, device.Options{Threads: 1})
	must.OK(t, err)
	defer dev.Close()
	err = check.Run(t.Context(), check.Plan{Device: dev, Seed: 1, Part: "verbs"}, func(e check.Event) {
		if f := e.Finding; f != nil && f.Status != check.Passed {
			t.Errorf("%s: %s %s", f.What, f.Status, f.Why)
		}
	})
	if err != nil {
		t.Error(err)
	}
}
