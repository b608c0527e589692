package manifest

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
)

// function is a function of one to `most` numbers.
type function struct {
	most int
	of   func([]float64) float64
}

func of1(f func(float64) float64) function {
	return function{1, func(x []float64) float64 { return f(x[0]) }}
}

// functions are the functions that expressions can call. The prime search needs no limit:
// expressions are about table sizes, and the next prime is near.
var functions = map[string]function{
	"ceil":   of1(math.Ceil),
	"floor":  of1(math.Floor),
	"round":  of1(math.Round),
	"log2":   of1(math.Log2),
	"sqrt":   of1(math.Sqrt),
	"power2": of1(power2),
	"prime":  of1(prime),
	"min":    {8, slices.Min[[]float64]},
	"max":    {8, slices.Max[[]float64]},
}

func (f function) takes() string {
	if f.most == 1 {
		return "1 number"
	}
	return fmt.Sprintf("1 to %d numbers", f.most)
}

// call runs the function for Lua.
func (f function) call(L *glua.LState) (int, error) {
	var args []float64
	for i := 1; i <= L.GetTop(); i++ {
		n, ok := L.Get(i).(glua.LNumber)
		if !ok {
			return 0, fmt.Errorf("a function is given %s: it takes a number", sandbox.Describe(L.Get(i)))
		}
		args = append(args, float64(n))
	}
	L.Push(glua.LNumber(f.of(args)))
	return 1, nil
}

// power2 returns the smallest power of two that is at least x.
func power2(x float64) float64 {
	if x <= 1 || math.IsInf(x, 0) || math.IsNaN(x) {
		return max(x, 1)
	}
	fraction, exponent := math.Frexp(x)
	if fraction == 0.5 {
		exponent--
	}
	return math.Ldexp(1, exponent)
}

// prime returns the smallest prime that is at least x, or an error beyond 2^53, where
// doubles are not exact.
func prime(x float64) float64 {
	if !(x <= 1<<53) {
		return math.NaN()
	}
	for n := int64(max(2, math.Ceil(x))); ; n++ {
		if big.NewInt(n).ProbablyPrime(0) { // exact below 2^64
			return float64(n)
		}
	}
}
