package stream

import (
	"fmt"
	"math"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// The generators against their definitions in YCSB: the probabilities from its source,
// computed here and compared with many draws.

// zeta returns the sum of k^-theta for k from 1 to n: the first terms exactly, the rest by the Euler-Maclaurin formula.
func zeta(n, theta float64) float64 {
	const exact = 100_000
	sum := 0.0
	for k := 1.0; k < min(n, exact); k++ {
		sum += math.Pow(k, -theta)
	}
	a, b := min(n, exact), n
	integral := (math.Pow(b, 1-theta) - math.Pow(a, 1-theta)) / (1 - theta)
	return sum + integral + (math.Pow(a, -theta)+math.Pow(b, -theta))/2 +
		theta/12*(math.Pow(a, -theta-1)-math.Pow(b, -theta-1))
}

// fnvhash64 is Utils.fnvhash64 of YCSB.
func fnvhash64(val int64) int64 {
	hash := int64(-3750763034362895579)
	for range 8 {
		hash = (hash ^ val&0xff) * 1099511628211
		val >>= 8
	}
	if hash < 0 {
		return -hash
	}
	return hash
}

// ScrambledZipfianGenerator, which workloads a, b, c and f use: a rank r below 10^10 with
// probability (r+1)^-0.99 / ZETAN, then fnvhash64(r) % n.
func TestYCSBScrambledZipfian(t *testing.T) {
	const n, draws, theta, known = 100, 400_000, 0.99, 1_000_000
	zetan := zeta(1e10, theta)
	must.Need(t, math.Abs(zetan-26.46902820178302) <= 1e-9, "zeta is %.14f, YCSB has ZETAN = 26.46902820178302", zetan)
	p := [n]float64{}
	rest := 1.0
	for rank := range int64(known) {
		weight := math.Pow(float64(rank+1), -theta) / zetan
		p[fnvhash64(rank)%n] += weight
		rest -= weight
	}
	counts := [n]int{}
	for _, x := range firstOf(t, YCSBZipfian(n, 4), draws) {
		counts[x]++
	}
	for x, count := range counts {
		near(t, fmt.Sprint("number ", x), count, draws, p[x]+rest/n)
	}
	top := fnvhash64(0) % 1_000_000
	x := firstOf(t, YCSBZipfian(1_000_000, 4), draws)
	near(t, "the most frequent of a million", part(x, func(x uint64) bool { return x == uint64(top) }), draws, 1/zetan)
}

// SkewedLatestGenerator, which workload d uses: the newest number minus a zipfian rank among all existing numbers.
func TestYCSBLatest(t *testing.T) {
	const n, draws, theta = 1000, 400_000, 0.99
	for _, growth := range []float64{0, 0.05} {
		back := make([]int, 5)
		for i, x := range firstOf(t, Latest(n, theta, growth, 2), draws) {
			if k := n - 1 + uint64(float64(i)*growth+1e-9) - x; k < uint64(len(back)) {
				back[k]++
			}
		}
		for k, count := range back {
			near(t, fmt.Sprintf("growth %v, back %d", growth, k), count, draws, math.Pow(float64(k+1), -theta)/zeta(n, theta))
		}
	}
}

// ZipfianGenerator: rank r with probability (r+1)^-0.99 / zeta(n). YCSB approximates ranks from 2 on; these are exact.
func TestYCSBZipfian(t *testing.T) {
	const n, draws, theta = 200, 400_000, 0.99
	counts := [n]int{}
	for _, x := range firstOf(t, Zipfian(n, theta, 2), draws) {
		counts[x]++
	}
	for rank, count := range counts {
		near(t, fmt.Sprint("rank ", rank), count, draws, math.Pow(float64(rank+1), -theta)/zeta(n, theta))
	}
}
