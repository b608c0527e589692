package engine

import (
	"math/big"

	"github.com/hashzoo/hashzoo/kernels"
)

// Prime is p of the universal family.
const Prime = 4294967291

// PlaceOf is the definition of both hash families, as the papers write it: where a hash
// function sends a key of a width. It shares no code with the kernels.
func PlaceOf(t kernels.Table, function int, key uint64, width int) uint64 {
	h, number := t.Hash[function], func(x uint64) *big.Int { return new(big.Int).SetUint64(x) }
	if t.Family == kernels.Universal {
		sum := number(key & 0xffffffff)
		sum.Mul(sum, number(h.A))
		high := number(key >> 32)
		sum.Add(sum, high.Mul(high, number(h.C)))
		sum.Add(sum, number(h.B))
		return sum.Mod(sum, number(Prime)).Uint64() % t.Buckets
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
	place := number(mixed)
	return place.Rsh(place.Mul(place, number(t.Buckets)), 32).Uint64()
}
