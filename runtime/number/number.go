// Package number reads and writes numbers as users do: 0.5, 1e6, 1_000_000, 20k, 0.01M, 1G.
package number

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// factors are what a last letter multiplies by.
var factors = map[byte]float64{'k': 1e3, 'K': 1e3, 'M': 1e6, 'G': 1e9}

// split separates the digits of a number from the factor of its last letter.
func split(text string) (digits string, factor float64) {
	digits = strings.ReplaceAll(text, "_", "")
	if last := len(digits) - 1; last >= 0 && factors[digits[last]] != 0 {
		return digits[:last], factors[digits[last]]
	}
	return digits, 1
}

// Parse reads a finite number.
func Parse(text string) (float64, bool) {
	digits, factor := split(text)
	if strings.Trim(digits, "+-.eE0123456789") != "" { // no inf, nan, 0x
		return 0, false
	}
	x, err := strconv.ParseFloat(digits, 64)
	return x * factor, err == nil && !math.IsInf(x*factor, 0)
}

// Integer reads a whole number. One with a fraction or exponent is exact up to 2^53.
func Integer(text string) (int64, bool) {
	digits, factor := split(text)
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		limit := math.MaxInt64 / int64(factor)
		return n * int64(factor), -limit <= n && n <= limit
	}
	x, ok := Parse(text)
	return int64(x), ok && x == math.Trunc(x) && math.Abs(x) <= 1<<53
}

// Text writes a number, without an exponent if it is whole and not too large.
func Text(x float64) string {
	format := lists.Either[byte](x == math.Trunc(x) && math.Abs(x) < 1e15, 'f', 'g')
	return strconv.FormatFloat(x, format, -1, 64)
}

// Count writes a number of things: 1 point, 2 points.
func Count(n int, noun string) string {
	return lists.Either(n == 1, "1 "+noun, fmt.Sprintf("%d %ss", n, noun))
}

// Scaled returns a value in the first unit in which it has at most three digits. Each is a multiple of the one before.
func Scaled(x, times float64, units ...string) (float64, string) {
	for math.Abs(x) >= 999.95 && len(units) > 1 {
		x, units = x/times, units[1:]
	}
	return x, units[0]
}

// Bytes writes an amount of memory: 1.5 KiB, 16 GiB.
func Bytes(n int64) string {
	x, unit := Scaled(float64(n), 1024, "B", "KiB", "MiB", "GiB", "TiB")
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0") + " " + unit
}

// MaxSeed is the largest seed that users give, in flags, config files, scripts and recordings.
const MaxSeed = 1<<63 - 1

// Seeds describes the seeds that users give.
const Seeds = "a whole number, 0 to 2^63-1"

// Seed reads a seed.
func Seed(text string) (uint64, bool) {
	n, ok := Integer(text)
	return uint64(n), ok && n >= 0
}

// NotSeed is the error of a value that is no seed.
func NotSeed(shown string) error { return fmt.Errorf("seed is %s: it takes %s", shown, Seeds) }
