package engine

import (
	"math/bits"

	"github.com/hashzoo/hashzoo/kernels"
)

// Prime is p of the universal family.
const Prime = 4294967291

// PlaceOf returns the bucket of a key by a hash function, as the papers write it. It shares no code with the kernels.
func PlaceOf(t kernels.Table, function int, key uint64, width int) uint64 {
	h := t.Hash[function]
	if t.Family == kernels.Universal {
		low, high := key&0xffffffff, key>>32
		return (low*h.A%Prime + high*h.C%Prime + h.B) % Prime % t.Buckets
	}
	var mixed uint64
	if width == 4 {
		x := uint32(key)*uint32(h.A) + uint32(h.B)
		x = (x ^ x>>16) * 0x21f0aaad
		mixed = uint64((x ^ x>>15) * 0x735a2d97)
	} else {
		x := key*h.A + h.B
		x = (x ^ x>>32) * 0xe9846af9b1a615dd
		mixed = (x ^ x>>28) * 0x9e3779b97f4a7c15 >> 32
	}
	high, low := bits.Mul64(mixed, t.Buckets)
	return high<<32 | low>>32
}
