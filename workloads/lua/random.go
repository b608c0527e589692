package lua

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/workloads/stream"
)

// math.random of a state has a generator of its own, seeded by the run's seed: the
// interpreter's is shared by all states and cannot be seeded.

func newRandom(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(stream.Derive(seed, "math.random"), seed))
}

func (h *host) random(L *glua.LState) (int, error) {
	low, high := 1.0, 0.0
	switch L.GetTop() {
	case 0:
		L.Push(glua.LNumber(h.rng.Float64()))
		return 1, nil
	case 1:
		high = float64(L.CheckNumber(1))
	default:
		low, high = float64(L.CheckNumber(1)), float64(L.CheckNumber(2))
	}
	low, high = math.Floor(low), math.Floor(high)
	if !(low <= high) || math.Abs(low) > 1<<53 || math.Abs(high) > 1<<53 {
		return 0, fmt.Errorf("math.random: from %v to %v: it takes whole numbers up to 2^53, the first one not above the second", low, high)
	}
	L.Push(glua.LNumber(low + float64(h.rng.Uint64N(uint64(high-low)+1))))
	return 1, nil
}

func (h *host) randomseed(L *glua.LState) (int, error) {
	h.rng = newRandom(math.Float64bits(float64(L.CheckNumber(1))))
	return 0, nil
}

// nextSeed is the seed of the next thing that makes random choices and is not given
// a seed. All states of a run draw the same ones in the same order.
func (h *host) nextSeed() uint64 {
	h.drawn++
	return stream.Derive(h.seed, "script "+strconv.FormatUint(h.drawn, 10))
}
