package lua

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// Each state has its own generator for math.random, seeded by the run's seed. All states share
// the interpreter's generator, which cannot be seeded.

func newRandom(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(stream.Derive(seed, "math.random"), seed))
}

func (h *host) random(L *glua.LState) (int, error) {
	low, high := 1.0, 0.0
	switch L.GetTop() {
	case 0:
		return sandbox.Return(L, glua.LNumber(h.rng.Float64()))
	case 1:
		high = float64(L.CheckNumber(1))
	default:
		low, high = float64(L.CheckNumber(1)), float64(L.CheckNumber(2))
	}
	low, high = math.Floor(low), math.Floor(high)
	if !(low <= high) || math.Abs(low) > 1<<53 || math.Abs(high) > 1<<53 {
		return 0, fmt.Errorf("from %v to %v: it takes whole numbers up to 2^53, the first not above the second", low, high)
	}
	return sandbox.Return(L, glua.LNumber(low+float64(h.rng.Uint64N(uint64(high-low)+1))))
}

func (h *host) randomseed(L *glua.LState) (int, error) {
	h.rng = newRandom(math.Float64bits(float64(L.CheckNumber(1))))
	return 0, nil
}

// nextSeed draws the seed of a random choice without a given seed. All states of a run draw
// the same seeds in the same order.
func (h *host) nextSeed() uint64 {
	h.drawn++
	return stream.Derive(h.setup.Seed, "script "+strconv.FormatUint(h.drawn, 10))
}
