//go:build asan

package cpu

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// The sanitizer sees a kernel write behind its block: without that, the other tests
// would pass under it whatever the kernels do. A process of its own does it and dies.
func TestSanitizerSeesBlocks(t *testing.T) {
	if os.Getenv("WRITE_BEHIND_BLOCK") != "" {
		writeBehindBlock(t)
		return
	}
	command := exec.Command(os.Args[0], "-test.run=TestSanitizerSeesBlocks")
	command.Env = append(os.Environ(), "WRITE_BEHIND_BLOCK=1")
	said, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(said), "heap-buffer-overflow") {
		t.Errorf("a kernel wrote behind its block: %v\n%s", err, said)
	}
}

// writeBehindBlock makes 11 numbers where there is room for 10.
func writeBehindBlock(t *testing.T) {
	dev := open(t, device.Options{Threads: 1})
	out := place(t, dev, make([]byte, 80))
	fill := kernels.Fill{Out: uint64(out), Width: 8}
	if err := dev.Launch("hz_generate", place(t, dev, kernels.Bytes(&kernels.Program{})), place(t, dev, kernels.Bytes(&fill)), 11); err != nil {
		t.Fatal(err)
	}
}
