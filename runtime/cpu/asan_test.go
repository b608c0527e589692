//go:build asan

package cpu

import (
	"os"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// The sanitizer detects a kernel that writes past its block; otherwise the other tests would
// prove nothing. A child process does it and dies.
func TestSanitizerSeesBlocks(t *testing.T) {
	if os.Getenv("WRITE_BEHIND_BLOCK") != "" {
		writeBehindBlock(t)
		return
	}
	command := bounded.Command(t, os.Args[0], "-test.run=TestSanitizerSeesBlocks")
	command.Env = append(os.Environ(), "WRITE_BEHIND_BLOCK=1")
	said, err := command.CombinedOutput()
	must.Hold(t, err != nil && strings.Contains(string(said), "heap-buffer-overflow"), "a kernel wrote past its block: %v\n%s", err, said)
}

// writeBehindBlock writes 11 numbers into room for 10.
func writeBehindBlock(t *testing.T) {
	dev := open(t, device.Options{Threads: 1})
	out := place(t, dev, make([]byte, 80))
	fill := kernels.Fill{Out: uint64(out), Width: 8}
	must.OK(t, dev.Launch("hz_generate", place(t, dev, kernels.Bytes(&kernels.Program{})), place(t, dev, kernels.Bytes(&fill)), 11))
}
