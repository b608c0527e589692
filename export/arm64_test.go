//go:build emulated

package export

import (
	"testing"

	"github.com/hashzoo/hashzoo/schemes"
)

// On arm64, emulated by qemu, exported tables pass their tests: make arm64-check.
func TestArm64(t *testing.T) {
	for _, s := range schemes.Names() {
		t.Run(s, func(t *testing.T) {
			dir, _ := exported(t, s, "cuda")
			run(t, dir, nil, "", "make", "test_cpu", "CXX=aarch64-linux-gnu-g++", "CXXFLAGS=-O1 -static -march=armv8.1-a -Dalways_inline=unused")
			run(t, dir, nil, " 0 wrong\n", "qemu-aarch64", "-cpu", "max", "./test_cpu")
		})
	}
}
