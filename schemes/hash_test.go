package schemes

import (
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// The constants never make a hash function degenerate.
func TestHashConstants(t *testing.T) {
	for seed := range uint64(2000) {
		for _, family := range []uint32{kernels.Fast, kernels.Universal} {
			for i, h := range hashConstants(seed, family) {
				fast := h.A%2 == 1
				universal := h.A >= 1 && h.A < prime && h.B < prime && h.C >= 1 && h.C < prime
				must.Need(t, (family != kernels.Fast || fast) && (family != kernels.Universal || universal), "seed %d, family %d, function %d: %+v", seed, family, i, h)
			}
		}
	}
}
