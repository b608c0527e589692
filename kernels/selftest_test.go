package kernels_test

import (
	"testing"

	"github.com/hashzoo/hashzoo/runtime/cpu"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/workloads/check"
)

// Runs the verbs of the tile on the CPU. `hashzoo check` runs the same kernels on any
// device.
func TestTileVerbs(t *testing.T) {
	for _, threads := range []int{1, 2} {
		dev, err := cpu.Backend().Open(0, device.Options{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		for _, f := range check.SelfTest(dev, 1) {
			if f.Status != check.Passed {
				t.Errorf("%d threads: %s: %s %s", threads, f.What, f.Status, f.Why)
			}
		}
	}
}
