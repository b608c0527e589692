package kernels_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"sort"
	"testing"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/must"
)

func float(x float64) uint64 { return math.Float64bits(x) }

// chiSquared fails if counts are improbable (about 1 in a million) for the given
// probabilities. Bins with a small expected count are merged with their neighbors.
func chiSquared(t *testing.T, what string, counts []int, probabilities []float64) {
	t.Helper()
	total := 0
	for _, c := range counts {
		total += c
	}
	sum, bins := 0.0, 0
	have, want := 0.0, 0.0
	for i := range counts {
		have += float64(counts[i])
		want += probabilities[i] * float64(total)
		if want >= 20 {
			sum += (have - want) * (have - want) / want
			bins++
			have, want = 0, 0
		}
	}
	if bins < 2 {
		must.Hold(t, bins != 0 && have <= want+20, "%s: %d bins: the rest has %g items, want %g", what, bins, have, want)
		return
	}
	// Wilson and Hilferty: the cube root of chi-squared is nearly normal.
	free := float64(bins - 1)
	z := (math.Cbrt(sum/free) - (1 - 2/(9*free))) / math.Sqrt(2/(9*free))
	must.Hold(t, math.Abs(z) <= 4.9, "%s: chi-squared %.1f of %d bins is %.1f standard deviations off", what, sum, bins, z)
}

func equal(n int) []float64 {
	p := make([]float64, n)
	for i := range p {
		p[i] = 1 / float64(n)
	}
	return p
}

// The images of index 0 and index 1 must depend on the seed like random places, for small
// ranges too, and neighbors must not stay neighbors.
func TestPermuteLooksRandom(t *testing.T) {
	for _, n := range []uint64{3, 5, 6, 16, 100, 1000} {
		places, gaps := make([]int, n), make([]int, n-1)
		for seed := range uint64(40_000) {
			x := numbers(t, program(t, step("permute", randomAt(1, seed), n)), 0, 2)
			places[x[0]]++
			gaps[(x[1]+n-x[0])%n-1]++
		}
		chiSquared(t, fmt.Sprintf("permute below %d: place of index 0", n), places, equal(int(n)))
		chiSquared(t, fmt.Sprintf("permute below %d: gap to index 1", n), gaps, equal(int(n-1)))
	}
	const n, bins = 1<<32 - 2, 256
	high, low, gaps := make([]int, bins), make([]int, bins), make([]int, bins)
	last := uint64(0)
	for i, x := range numbers(t, program(t, step("permute", randomAt(2, 2), uint64(n))), 0, 500_000) {
		high[x>>24]++
		low[x%bins]++
		if i > 0 {
			gaps[((x+n-last)%n)>>24]++
		}
		last = x
	}
	chiSquared(t, "permute below 2^32-2: upper byte", high, equal(bins))
	chiSquared(t, "permute below 2^32-2: lower byte", low, equal(bins))
	chiSquared(t, "permute below 2^32-2: gaps", gaps, equal(bins))
}

// rankEdges divides the ranks below n into bins: single ranks at first, then eighths of
// powers of two. Bin k goes from edge k up to, but not including, edge k+1.
func rankEdges(n uint64) []uint64 {
	var edges []uint64
	for at := uint64(0); at < n; at += max(1, uint64(1)<<bits.Len64(at)>>4) {
		edges = append(edges, at)
	}
	return append(edges, n)
}

// zipfianProbabilities are the exact probabilities of the bins. Far out, the sum over a
// bin is approximated by an integral; a test of this size cannot detect its error.
func zipfianProbabilities(edges []uint64, theta float64) []float64 {
	weights, sum := make([]float64, len(edges)-1), 0.0
	for k := range weights {
		if from, to := edges[k], edges[k+1]; from < 1000 {
			for rank := from; rank < to; rank++ {
				weights[k] += math.Pow(float64(rank)+1, -theta)
			}
		} else {
			a, b := float64(from)+0.5, float64(to)+0.5
			weights[k] = math.Pow(a, 1-theta) * math.Expm1((1-theta)*math.Log(b/a)) / (1 - theta)
			if theta == 1 {
				weights[k] = math.Log(b / a)
			}
		}
		sum += weights[k]
	}
	for k := range weights {
		weights[k] /= sum
	}
	return weights
}

func TestZipfianFrequencies(t *testing.T) {
	thetas := []float64{0, 0.1, 0.5, 0.99, 0.999999, 1 - 1e-12, 1, 1 + 1e-12, 1.000001, 1.2, 1.5, 2}
	for _, n := range []uint64{1, 2, 3, 10, 1000, 1_000_000, 1 << 52} {
		for i, theta := range thetas {
			t.Run(fmt.Sprintf("n=%d theta=%v", n, theta), func(t *testing.T) {
				edges := rankEdges(n)
				counts := make([]int, len(edges)-1)
				p := program(t, step("zipfian", kernels.ZipfianConstants(randomAt(n, uint64(i)), n, theta)))
				for _, x := range numbers(t, p, 0, 300_000) {
					if x >= n {
						t.Fatalf("rank %d of %d", x, n)
					}
					counts[sort.Search(len(edges), func(k int) bool { return edges[k] > x })-1]++
				}
				chiSquared(t, "zipfian", counts, zipfianProbabilities(edges, theta))
			})
		}
	}
}

func TestNormalDistribution(t *testing.T) {
	const n, mean, deviation = 1_000_000, 1e12, 1e9
	p := program(t, step("normal", 21, float(mean), float(deviation), 0, ^uint64(0)))
	var moment [5]float64
	counts := make([]int, 200)
	for _, x := range numbers(t, p, 0, n) {
		z := (float64(x) - mean) / deviation
		for k, power := 1, z; k <= 4; k, power = k+1, power*z {
			moment[k] += power / n
		}
		counts[int(200*0.5*math.Erfc(-z/math.Sqrt2))]++
	}
	// The standard deviation of the k-th moment is the root of (m_2k - m_k^2) / n.
	for k, want := range map[int][2]float64{1: {0, 1}, 2: {1, 2}, 3: {0, 15}, 4: {3, 96}} {
		off := math.Abs(moment[k]-want[0]) / math.Sqrt(want[1]/n)
		must.Hold(t, off <= 5, "moment %d is %g, %.1f standard deviations from %g", k, moment[k], off, want[0])
	}
	chiSquared(t, "normal quantiles", counts, equal(200))
}

func TestNormalIsRoundedAndClamped(t *testing.T) {
	const n = 100_000
	p := program(t, step("normal", 22, float(100), float(4), 95, 104))
	counts := make([]int, 105)
	for _, x := range numbers(t, p, 0, n) {
		must.Need(t, x >= 95 && x <= 104, "%d is outside 95 to 104", x)
		counts[x]++
	}
	below := func(x float64) float64 { return 0.5 * math.Erfc(-(x-100)/4/math.Sqrt2) }
	want := make([]float64, 105)
	for x := 95; x <= 104; x++ {
		want[x] = below(float64(x)+0.5) - below(float64(x)-0.5)
	}
	want[95], want[104] = below(95.5), 1-below(103.5)
	chiSquared(t, "clamped normal", counts, want)

	huge := program(t, step("normal", 23, float(math.MaxUint64), float(1e18), 5, ^uint64(0)))
	all := 0
	for _, x := range numbers(t, huge, 0, 1000) {
		if x == math.MaxUint64 {
			all++
		}
	}
	must.Hold(t, all >= 400 && all <= 600, "around 2^64, %d of 1000 numbers are clamped, want about half", all)
	none := program(t, step("normal", 24, float(-1e18), float(1), 17, 18))
	compare(t, "far below the range", numbers(t, none, 0, 100), func(int) uint64 { return 17 })
}

// reals returns the logarithm, exponential and normal quantile of each x.
func reals(t *testing.T, x []float64) (log, exp, quantile []float64) {
	t.Helper()
	y := make([]float64, 3*len(x))
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&x[0])
	pin.Pin(&y[0])
	run(t, "hz_real", unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0]), 0, uint64(len(x)))
	for i := range x {
		log, exp, quantile = append(log, y[3*i]), append(exp, y[3*i+1]), append(quantile, y[3*i+2])
	}
	return log, exp, quantile
}

// units returns the distance of two numbers in units in the last place.
func units(a, b float64) float64 {
	if a == b {
		return 0
	}
	_, exponent := math.Frexp(b)
	return math.Abs(a-b) / math.Ldexp(1, exponent-53)
}

// Go's own Exp is only accurate to one unit in the last place, in assembly.
func TestLogarithmAndExponential(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	near := func() float64 { return (r.Float64() - 0.5) * math.Exp(-30*r.Float64()) }
	x := []float64{1, 2, 0.5, math.E, math.Nextafter(1, 0), math.Nextafter(1, 2), math.Sqrt2, math.Sqrt(0.5), 1e300, 1e-300}
	y := []float64{0, 1, -1, 709, -708, math.Ln2 / 2, -math.Ln2 / 2, 1e-300, -1e-17}
	for range 200_000 {
		x = append(x, math.Exp(r.Float64()*1400-700), 1+near())
		y = append(y, r.Float64()*1417-708, near())
	}
	log, _, _ := reals(t, x)
	_, exp, _ := reals(t, y)
	offLog, offExp := 0.0, 0.0
	for i := range x {
		offLog = max(offLog, units(log[i], math.Log(x[i])))
	}
	for i := range y {
		offExp = max(offExp, units(exp[i], math.Exp(y[i])))
	}
	must.Hold(t, log[0] == 0 && exp[0] == 1 && offLog <= 1.5 && offExp <= 2,
		"ln 1 is %g and e^0 %g; elsewhere off by up to %.2f and %.2f units in the last place, want at most 1.5 and 2", log[0], exp[0], offLog, offExp)
}

// The quantile is checked through its inverse, which package math computes by another method.
func TestNormalQuantile(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	x := []float64{0.5, 0.075, 0.925, 0x1p-53, 1 - 0x1p-53, 0x1p-60}
	for range 100_000 {
		x = append(x, r.Float64(), math.Exp(-36*r.Float64()))
	}
	_, _, z := reals(t, x)
	must.Hold(t, z[0] == 0, "the quantile of 1/2 is %g", z[0])
	for i, p := range x {
		if p >= 1 || p <= 0 {
			continue
		}
		// An error dz of z appears as density(z) dz, and Erfc adds its own error.
		density := math.Exp(-z[i]*z[i]/2) / math.Sqrt(2*math.Pi)
		off := (0.5*math.Erfc(-z[i]/math.Sqrt2) - p) / density
		must.Need(t, math.Abs(off) <= 1e-14*(1+math.Abs(z[i]))+2e-16/density*boolToFloat(p > 0.5), "the quantile of %g is %.17g, off by %g", p, z[i], off)
	}
}

// boolToFloat returns 1 for true: above one half, p itself is only accurate to 1e-16 absolutely, not relatively.
func boolToFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
