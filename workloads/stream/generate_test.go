package stream

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/zeebo/xxh3"
)

// near fails if a count out of n is more than five standard deviations from its expectation.
func near(t *testing.T, what string, count, n int, p float64) {
	t.Helper()
	off := math.Abs(float64(count) - p*float64(n))
	must.Hold(t, off <= 5*math.Sqrt(float64(n)*p*(1-p)), "%s: %d of %d, want a part of %g", what, count, n, p)
}

// part returns how many numbers satisfy a condition.
func part(numbers []uint64, holds func(x uint64) bool) (count int) {
	for _, x := range numbers {
		if holds(x) {
			count++
		}
	}
	return count
}

func TestKeysAreUniqueAndNotReserved(t *testing.T) {
	const n = 200_000
	for _, width := range []int{4, 8} {
		seen := map[uint64]bool{}
		for _, slice := range []Stream{Keys(width, 5).Take(n), Keys(width, 5).Slice(n, n), Keys(width, 5).Skip(1 << 31).Take(n)} {
			for _, key := range firstOf(t, slice, n) {
				if seen[key] || key >= uint64(1)<<(8*width-1)*2-2 {
					t.Fatalf("width %d: key %d occurs twice or is reserved", width, key)
				}
				seen[key] = true
			}
		}
	}
	have, want := Keys(4, 1).Len(), uint64(1<<32-2)
	must.Hold(t, have == want, "%d keys of 4 bytes, want %d", have, want)
}

func TestShuffleAndSample(t *testing.T) {
	s := Affine(3, 7).Take(1000)
	plain, shuffled := firstOf(t, s, 1000), firstOf(t, s.Shuffle(4), 1000)
	must.Hold(t, !slices.Equal(plain, shuffled), "the order is as it was")
	sample := firstOf(t, s.Sample(100, 4), 100)
	must.Match(t, sample, shuffled[:100], "a sample is not the start of the shuffled stream")
	slices.Sort(shuffled)
	must.Match(t, plain, shuffled, "the numbers are not those that there were")
}

func TestLatestGrows(t *testing.T) {
	const n, draws = 100, 50_000
	for _, growth := range []float64{0, 0.05, 0.5, 1, 2.75} {
		s := Latest(n, 0.99, growth, 8)
		newest := 0
		for i, x := range firstOf(t, s, draws) {
			top := n - 1 + uint64(float64(i)*growth)
			back := top - x
			// 0.05 is a binary fraction just off: at whole products it may be one less.
			must.Need(t, back < n || back == math.MaxUint64, "growth %v: number %d is %d, newest %d", growth, i, x, top)
			if x >= top {
				newest++
			}
		}
		must.Hold(t, newest >= draws/8, "growth %v: the newest was drawn %d times of %d", growth, newest, draws)
		must.Match(t, s.Take(draws).Largest(), n-1+uint64((draws-1)*growth), growth)
	}
}

func TestHotspot(t *testing.T) {
	const n, draws = 1000, 100_000
	for _, c := range []struct{ hot, share float64 }{{0.2, 0.8}, {0.01, 0.5}, {0.5, 0}, {0.5, 1}} {
		x := firstOf(t, Hotspot(n, c.hot, c.share, 6), draws)
		hot := uint64(n * c.hot)
		near(t, fmt.Sprint("hot ", c), part(x, func(x uint64) bool { return x < hot }), draws, c.share)
		near(t, fmt.Sprint("lower half of the hot ", c), part(x, func(x uint64) bool { return x < hot/2 }), draws, c.share/2)
		near(t, fmt.Sprint("upper half of the cold ", c), part(x, func(x uint64) bool { return x >= n-(n-hot)/2 }), draws, (1-c.share)/2)
		must.Hold(t, part(x, func(x uint64) bool { return x >= n }) <= 0, "%v: a number is out of range", c)
	}
	tiny := firstOf(t, Hotspot(10, 0, 0.9, 6), draws)
	near(t, "a hot part that rounds to nothing is one number", part(tiny, func(x uint64) bool { return x == 0 }), draws, 0.9)
	whole := firstOf(t, Hotspot(10, 1, 0.9, 6), draws)
	near(t, "a hot part that is everything", part(whole, func(x uint64) bool { return x == 9 }), draws, 0.1)
}

func TestNormalStream(t *testing.T) {
	const draws = 100_000
	x := firstOf(t, Normal(500, 100, 300, 1000, 2), draws)
	within := func(low, high uint64) int {
		return part(x, func(x uint64) bool { return x >= low && x <= high })
	}
	near(t, "below the mean", within(0, 499), draws, 0.5*math.Erfc(0.5/100/math.Sqrt2))
	near(t, "clamped below", within(300, 300), draws, 0.5*math.Erfc(199.5/100/math.Sqrt2))
	must.Match(t, within(300, 1000), draws, "numbers within the range")
}

// The choice is independent of the numbers, even with equal seeds: the chosen part must be a fair sample.
func TestChooseIsIndependent(t *testing.T) {
	const draws = 100_000
	x := firstOf(t, Choose(0.25, 1, Uniform(1000, 1), Const(5000)), draws)
	near(t, "first", part(x, func(x uint64) bool { return x < 1000 }), draws, 0.25)
	near(t, "first, lower half", part(x, func(x uint64) bool { return x < 500 }), draws, 0.125)
	for p, want := range map[float64]uint64{0: 7, 1: 3} {
		must.Match(t, part(firstOf(t, Choose(p, 1, Const(3), Const(7)), draws), func(x uint64) bool { return x == want }), draws, p, want)
	}
}

func TestMix(t *testing.T) {
	const draws = 100_000
	weights := []float64{0.2, 0.2, 0, 0.6}
	x := firstOf(t, Mix(1, weights, []Stream{Const(0), Const(1), Const(2), Const(3)}), draws)
	for op, p := range weights {
		near(t, fmt.Sprint("operation ", op), part(x, func(x uint64) bool { return x == uint64(op) }), draws, p)
	}
}

// golden lists digests of the first 4096 numbers. A change changes the numbers of recordings
// and requires a new HZ_GENERATOR_VERSION in kernels/abi.h.
var golden = []struct {
	json   string
	digest string
}{
	{`{"kind":"sequential"}`, "552fedbc0d7e2d94"},
	{`{"kind":"affine","args":{"a":3,"b":5}}`, "6c5e9015c2d388c6"},
	{`{"kind":"unique","args":{"n":4294967294,"seed":1}}`, "968a254bb4feed69"},
	{`{"kind":"unique","args":{"n":18446744073709551614,"seed":1}}`, "06843d6863c55ae6"},
	{`{"kind":"unique","args":{"n":5000,"seed":1}}`, "9d5c9e6ab839381e"},
	{`{"kind":"random","args":{"seed":1}}`, "2a69e445cdd514cd"},
	{`{"kind":"uniform","args":{"n":1000000,"seed":1}}`, "74178fabfea93604"},
	{`{"kind":"uniform","args":{"n":13835058055282163712,"seed":1}}`, "66eda59a132da43c"},
	{`{"kind":"zipfian","args":{"n":1000000,"seed":1,"theta":0}}`, "717463fcbe6088a7"},
	{`{"kind":"zipfian","args":{"n":1000000,"seed":1,"theta":0.5}}`, "9bba16442741ac08"},
	{`{"kind":"zipfian","args":{"n":1000000,"seed":1,"theta":0.99}}`, "f7c8e6588a0f1139"},
	{`{"kind":"zipfian","args":{"n":1000000,"seed":1,"theta":1}}`, "ed337eff3eadf1d9"},
	{`{"kind":"zipfian","args":{"n":1000000,"seed":1,"theta":2}}`, "fa46ee25cea3e04b"},
	{`{"kind":"zipfian","args":{"n":4503599627370496,"seed":1,"theta":0.99}}`, "f3f5c145aec141d8"},
	{`{"kind":"scrambled_zipfian","args":{"n":1000000,"seed":1,"theta":0.99}}`, "b3bc25bbd50bf40c"},
	{`{"kind":"hotspot","args":{"hot":0.2,"n":1000000,"seed":1,"share":0.8}}`, "11190e73b3670a19"},
	{`{"kind":"latest","args":{"growth":0.05,"n":1000000,"seed":1,"theta":0.99}}`, "742f5da19da0194d"},
	{`{"kind":"normal","args":{"high":18446744073709551615,"low":0,"mean":1e+15,"seed":1,"stddev":1e+14}}`, "2b68016a4c7d8e5b"},
	{`{"kind":"choose","of":[{"kind":"take","of":[{"kind":"unique","args":{"n":4294967294,"seed":1}}],"args":{"count":100000}},{"kind":"take","of":[{"kind":"skip","of":[{"kind":"unique","args":{"n":4294967294,"seed":1}}],"args":{"count":100000}}],"args":{"count":100000}}],"args":{"p":0.5,"seed":2}}`, "5ba36ac25b9e1ccc"},
	{`{"kind":"concat","of":[{"kind":"take","of":[{"kind":"sequential"}],"args":{"count":1000}},{"kind":"shuffle","of":[{"kind":"take","of":[{"kind":"affine","args":{"a":7,"b":1}}],"args":{"count":5000}}],"args":{"seed":3}}]}`, "64c586ca1cd3d309"},
	{`{"kind":"at","of":[{"kind":"take","of":[{"kind":"unique","args":{"n":4294967294,"seed":1}}],"args":{"count":1000}},{"kind":"scrambled_zipfian","args":{"n":1000,"seed":4,"theta":0.5}}]}`, "bbe4e4be4d37270b"},
	{`{"kind":"add","of":[{"kind":"xor","of":[{"kind":"sequential"},{"kind":"constant","args":{"value":255}}]},{"kind":"mul","of":[{"kind":"div","of":[{"kind":"random","args":{"seed":5}},{"kind":"constant","args":{"value":1000}}]},{"kind":"mod","of":[{"kind":"sequential"},{"kind":"constant","args":{"value":7}}]}]}]}`, "eb3d75d974f187ef"},
	{`{"kind":"fnv","of":[{"kind":"sequential"}]}`, "9c5de8fc2375892b"},
	{`{"kind":"mod","of":[{"kind":"fnv","of":[{"kind":"zipfian","args":{"n":10000000000,"seed":1,"theta":0.99}}]},{"kind":"constant","args":{"value":1000000}}]}`, "461dc6c2a4427091"},
	{`{"kind":"duplicates","args":{"max_duplicates":4,"pairs":50876784,"seed":1,"skew":1,"unique":44523684}}`, "6034c80462725b1d"},
	{`{"kind":"duplicates","args":{"max_duplicates":5000,"pairs":200000,"seed":1,"skew":0.7,"unique":20000}}`, "73875adc288145f4"},
	{`{"kind":"duplicates","args":{"max_duplicates":5000,"pairs":200000,"seed":1,"skew":0,"unique":20000}}`, "2d224896359b7465"},
}

// read makes the stream of an expression.
func read(text string) (Stream, error) {
	var e Expression
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return Stream{}, err
	}
	s := e.Stream()
	return s, s.Err()
}

// written is the expression of a stream.
func written(t tb, s Stream) string {
	t.Helper()
	e := must.Get(s.Expression())(t)
	text := must.Get(json.Marshal(e))(t)
	return string(text)
}

func TestGolden(t *testing.T) {
	must.Need(t, kernels.GeneratorVersion == 1, "a new version of the generators has new numbers: change them here")
	for _, g := range golden {
		s := must.Get(read(g.json))(t)
		must.Match(t, written(t, s), g.json)
		numbers := firstOf(t, s, 4096)
		must.Match(t, fmt.Sprintf("%016x", hashOf(numbers)), g.digest, g.json)
	}
}

// hashOf returns the XXH3 of the numbers as little-endian words.
func hashOf(numbers []uint64) uint64 {
	h := xxh3.New()
	for _, x := range numbers {
		var word [8]byte
		for k := range word {
			word[k] = byte(x >> (8 * k))
		}
		h.Write(word[:])
	}
	return h.Sum64()
}

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
