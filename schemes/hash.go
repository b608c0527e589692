package schemes

import (
	"math/bits"

	"github.com/hashzoo/hashzoo/kernels"
)

// prime is the modulus of the universal family (kernels/hash.h).
const prime = 4294967291

// hashConstants draws the random constants of a table's hash functions: odd multipliers
// for the fast family, multipliers from 1 to p-1 for the universal one.
func hashConstants(seed uint64, family int64) [kernels.MaxHashes]kernels.Hash {
	var functions [kernels.MaxHashes]kernels.Hash
	random := splitmix(seed)
	for i := range functions {
		a, b, c := random(), random(), random()
		if family == kernels.Universal {
			functions[i] = kernels.Hash{A: 1 + a%(prime-1), B: b % prime, C: 1 + c%(prime-1)}
		} else {
			functions[i] = kernels.Hash{A: a | 1, B: b, C: c}
		}
	}
	return functions
}

// splitmix is SplitMix64: small, and identical on every machine and in every version of
// Go.
func splitmix(state uint64) func() uint64 {
	return func() uint64 {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
}

// Reseed returns a seed for other hash functions than those of the given seed.
func Reseed(seed uint64) uint64 { return splitmix(bits.Reverse64(seed))() }
