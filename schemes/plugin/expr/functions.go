package expr

import (
	"math"
	"math/big"
	"slices"
)

// operator is an infix operator; those that bind closer have a higher rank.
type operator struct {
	rank int
	of   func(x, y float64) float64
}

// operators are all of them. == and != also take words.
var operators = map[string]operator{
	"||": {1, func(x, y float64) float64 { return truth(x != 0 || y != 0) }},
	"&&": {2, func(x, y float64) float64 { return truth(x != 0 && y != 0) }},
	"==": {3, nil},
	"!=": {3, nil},
	"<":  {3, func(x, y float64) float64 { return truth(x < y) }},
	"<=": {3, func(x, y float64) float64 { return truth(x <= y) }},
	">":  {3, func(x, y float64) float64 { return truth(x > y) }},
	">=": {3, func(x, y float64) float64 { return truth(x >= y) }},
	"+":  {4, func(x, y float64) float64 { return x + y }},
	"-":  {4, func(x, y float64) float64 { return x - y }},
	"*":  {5, func(x, y float64) float64 { return x * y }},
	"/":  {5, func(x, y float64) float64 { return x / y }},
	"%":  {5, math.Mod},
}

// function takes so many numbers at least and at most.
type function struct {
	least, most int
	of          func([]float64) float64
}

func of1(f func(float64) float64) function {
	return function{1, 1, func(x []float64) float64 { return f(x[0]) }}
}

// functions are all of them. An expression is of the size of a table, so the next prime
// is not far.
var functions = map[string]function{
	"ceil":   of1(math.Ceil),
	"floor":  of1(math.Floor),
	"round":  of1(math.Round),
	"log2":   of1(math.Log2),
	"sqrt":   of1(math.Sqrt),
	"power2": of1(power2),
	"prime":  of1(prime),
	"min":    {1, 8, func(x []float64) float64 { return slices.Min(x) }},
	"max":    {1, 8, func(x []float64) float64 { return slices.Max(x) }},
}

// power2 is the smallest power of two that is not below x.
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

// prime is the smallest prime that is not below x; beyond 2^53, where numbers are not
// exact, there is none.
func prime(x float64) float64 {
	if !(x <= 1<<53) {
		return math.NaN()
	}
	for n := int64(max(2, math.Ceil(x))); ; n++ {
		if big.NewInt(n).ProbablyPrime(0) {
			return float64(n)
		}
	}
}
