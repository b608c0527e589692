package stream

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/zeebo/xxh3"
)

// near fails if a count of n is more than five standard deviations from what the
// probability says.
func near(t *testing.T, what string, count, n int, p float64) {
	t.Helper()
	if off := math.Abs(float64(count) - p*float64(n)); off > 5*math.Sqrt(float64(n)*p*(1-p)) {
		t.Errorf("%s: %d of %d, want a part of %g", what, count, n, p)
	}
}

// part is how many of the numbers the condition holds for.
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
					t.Fatalf("width %d: key %d is there twice or reserved", width, key)
				}
				seen[key] = true
			}
		}
	}
	if have, want := Keys(4, 1).Len(), uint64(1<<32-2); have != want {
		t.Errorf("%d keys of 4 bytes, want %d", have, want)
	}
}

func TestShuffleAndSample(t *testing.T) {
	s := Affine(3, 7).Take(1000)
	plain, shuffled := firstOf(t, s, 1000), firstOf(t, s.Shuffle(4), 1000)
	if slices.Equal(plain, shuffled) {
		t.Error("the order is as it was")
	}
	sample := firstOf(t, s.Sample(100, 4), 100)
	if !slices.Equal(sample, shuffled[:100]) {
		t.Error("a sample is not the start of the shuffled stream")
	}
	slices.Sort(shuffled)
	if !slices.Equal(plain, shuffled) {
		t.Error("the numbers are not those that there were")
	}
}

// The three sorts of ranks have the frequencies of exact zipfian probabilities;
// kernels/gen_random_test.go looks closer at the step.
func TestZipfianStreams(t *testing.T) {
	const n, draws, theta = 1000, 200_000, 0.99
	harmonic := 0.0
	for k := 1; k <= n; k++ {
		harmonic += math.Pow(float64(k), -theta)
	}
	ranks := firstOf(t, Zipfian(n, theta, 3), draws)
	scramble := ScrambledZipfian(n, theta, 3)
	scrambled := firstOf(t, scramble, draws)
	latest := firstOf(t, Latest(n, theta, 0, 3), draws)
	for k := range uint64(5) {
		p := math.Pow(float64(k)+1, -theta) / harmonic
		near(t, fmt.Sprint("rank ", k), part(ranks, func(x uint64) bool { return x == k }), draws, p)
		place := oneStep(t, k, "permute", seedOf(scramble.node, " scramble"), n)
		near(t, fmt.Sprint("scrambled rank ", k), part(scrambled, func(x uint64) bool { return x == place }), draws, p)
		near(t, fmt.Sprint("latest, back ", k), part(latest, func(x uint64) bool { return n-1-x == k }), draws, p)
	}
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
			if back >= n && back != math.MaxUint64 {
				t.Fatalf("growth %v: number %d is %d, newest %d", growth, i, x, top)
			}
			if x >= top {
				newest++
			}
		}
		if newest < draws/8 {
			t.Errorf("growth %v: the newest was drawn %d times of %d", growth, newest, draws)
		}
		if top := s.Take(draws).Largest(); top != n-1+uint64((draws-1)*growth) {
			t.Errorf("growth %v: the bound is %d", growth, top)
		}
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
		if part(x, func(x uint64) bool { return x >= n }) > 0 {
			t.Errorf("%v: a number is out of range", c)
		}
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
	if all := within(300, 1000); all != draws {
		t.Errorf("%d of %d are within the range", all, draws)
	}
}

// The choice is independent of what is chosen, also when seeds are equal: the
// part that is chosen must be a fair sample.
func TestChooseIsIndependent(t *testing.T) {
	const draws = 100_000
	x := firstOf(t, Choose(0.25, 1, Uniform(1000, 1), Const(5000)), draws)
	near(t, "first", part(x, func(x uint64) bool { return x < 1000 }), draws, 0.25)
	near(t, "first, lower half", part(x, func(x uint64) bool { return x < 500 }), draws, 0.125)
	for p, want := range map[float64]uint64{0: 7, 1: 3} {
		if n := part(firstOf(t, Choose(p, 1, Const(3), Const(7)), draws), func(x uint64) bool { return x == want }); n != draws {
			t.Errorf("with probability %v, %d of %d are %d", p, n, draws, want)
		}
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

// A hit ratio: half of the queries are of keys that are there.
func TestHitRatio(t *testing.T) {
	const n, draws = 1000, 100_000
	keys := Keys(8, 9)
	present := map[uint64]bool{}
	for _, k := range firstOf(t, keys.Take(n), n) {
		present[k] = true
	}
	hits := keys.Take(n).At(ScrambledZipfian(n, 0.99, 1))
	misses := keys.Skip(n).Take(n).At(Uniform(n, 1))
	x := firstOf(t, Choose(0.5, 2, hits, misses), draws)
	near(t, "hits", part(x, func(x uint64) bool { return present[x] }), draws, 0.5)
}

func TestSeedsMatter(t *testing.T) {
	make := map[string]func(seed uint64) Stream{
		"unique":    func(seed uint64) Stream { return Unique(1<<20, seed) },
		"random":    Random,
		"uniform":   func(seed uint64) Stream { return Uniform(1<<20, seed) },
		"zipfian":   func(seed uint64) Stream { return Zipfian(1<<20, 0.5, seed) },
		"scrambled": func(seed uint64) Stream { return ScrambledZipfian(1<<20, 0.5, seed) },
		"hotspot":   func(seed uint64) Stream { return Hotspot(1<<20, 0.2, 0.8, seed) },
		"latest":    func(seed uint64) Stream { return Latest(1<<20, 0.5, 0, seed) },
		"normal":    func(seed uint64) Stream { return Normal(1<<20, 1<<16, 0, math.MaxUint64, seed) },
		"shuffle":   func(seed uint64) Stream { return Sequential().Take(1 << 20).Shuffle(seed) },
		"choose":    func(seed uint64) Stream { return Choose(0.5, seed, Affine(2, 0), Affine(2, 1)) },
	}
	for name, stream := range make {
		const n = 1000
		same, again, other := firstOf(t, stream(1), n), firstOf(t, stream(1), n), firstOf(t, stream(2), n)
		if !slices.Equal(same, again) {
			t.Errorf("%s: the same seed gives other numbers", name)
		}
		equal := 0
		for i := range same {
			if same[i] == other[i] {
				equal++
			}
		}
		if limit := map[string]int{"choose": 600}[name]; equal > max(limit, 30) {
			t.Errorf("%s: %d of %d numbers do not depend on the seed", name, equal, n)
		}
	}
}

// golden are digests of the first 4096 numbers. A change here makes recordings
// give other numbers: raise HZ_GENERATOR_VERSION in kernels/abi.h with it.
var golden = []struct {
	text   string
	digest string
}{
	{"sequential()", "552fedbc0d7e2d94"},
	{"affine(a=3, b=5)", "6c5e9015c2d388c6"},
	{"unique(n=4294967294, seed=1)", "968a254bb4feed69"},
	{"unique(n=18446744073709551614, seed=1)", "06843d6863c55ae6"},
	{"unique(n=5000, seed=1)", "9d5c9e6ab839381e"},
	{"random(seed=1)", "2a69e445cdd514cd"},
	{"uniform(n=1000000, seed=1)", "74178fabfea93604"},
	{"uniform(n=13835058055282163712, seed=1)", "66eda59a132da43c"},
	{"zipfian(n=1000000, theta=0, seed=1)", "717463fcbe6088a7"},
	{"zipfian(n=1000000, theta=0.5, seed=1)", "9bba16442741ac08"},
	{"zipfian(n=1000000, theta=0.99, seed=1)", "f7c8e6588a0f1139"},
	{"zipfian(n=1000000, theta=1, seed=1)", "ed337eff3eadf1d9"},
	{"zipfian(n=1000000, theta=2, seed=1)", "fa46ee25cea3e04b"},
	{"zipfian(n=4503599627370496, theta=0.99, seed=1)", "f3f5c145aec141d8"},
	{"scrambled_zipfian(n=1000000, theta=0.99, seed=1)", "b3bc25bbd50bf40c"},
	{"hotspot(n=1000000, hot=0.2, share=0.8, seed=1)", "11190e73b3670a19"},
	{"latest(n=1000000, theta=0.99, growth=0.05, seed=1)", "742f5da19da0194d"},
	{"normal(mean=1e+15, stddev=1e+14, low=0, high=18446744073709551615, seed=1)", "2b68016a4c7d8e5b"},
	{"choose(take(unique(n=4294967294, seed=1), count=100000), take(skip(unique(n=4294967294, seed=1), count=100000), count=100000), p=0.5, seed=2)", "5ba36ac25b9e1ccc"},
	{"concat(take(sequential(), count=1000), shuffle(take(affine(a=7, b=1), count=5000), seed=3))", "64c586ca1cd3d309"},
	{"at(take(unique(n=4294967294, seed=1), count=1000), scrambled_zipfian(n=1000, theta=0.5, seed=4))", "bbe4e4be4d37270b"},
	{"add(xor(sequential(), 255), mul(div(random(seed=5), 1000), mod(sequential(), 7)))", "eb3d75d974f187ef"},
	{"fnv(sequential())", "9c5de8fc2375892b"},
	{"mod(fnv(zipfian(n=10000000000, theta=0.99, seed=1)), 1000000)", "461dc6c2a4427091"},
	{"duplicates(pairs=50876784, unique=44523684, max_duplicates=4, skew=1, seed=1)", "6034c80462725b1d"},
	{"duplicates(pairs=200000, unique=20000, max_duplicates=5000, skew=0.7, seed=1)", "73875adc288145f4"},
	{"duplicates(pairs=200000, unique=20000, max_duplicates=5000, skew=0, seed=1)", "2d224896359b7465"},
}

func TestGolden(t *testing.T) {
	if kernels.GeneratorVersion != 1 {
		t.Fatal("a new version of the generators has new numbers: change them here")
	}
	for _, g := range golden {
		s, err := Parse(g.text)
		if err != nil {
			t.Fatal(err)
		}
		numbers := firstOf(t, s, 4096)
		if have := fmt.Sprintf("%016x", hashOf(numbers)); have != g.digest {
			t.Errorf("{`%s`, %q},", g.text, have)
		}
	}
}

// hashOf is the XXH3 of the numbers as 8 bytes each, low byte first.
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

func BenchmarkStreams(b *testing.B) {
	const n = 1 << 16
	for _, c := range []struct {
		name string
		s    Stream
	}{
		{"sequential", Sequential()},
		{"affine", Affine(3, 5)},
		{"random", Random(1)},
		{"unique keys of 4 bytes", Keys(4, 1)},
		{"unique keys of 8 bytes", Keys(8, 1)},
		{"unique, worst n", Unique(1<<31+1, 1)},
		{"uniform", Uniform(100_000_000, 1)},
		{"zipfian 0.99", Zipfian(100_000_000, 0.99, 1)},
		{"zipfian 1", Zipfian(100_000_000, 1, 1)},
		{"scrambled_zipfian 0.99", ScrambledZipfian(100_000_000, 0.99, 1)},
		{"hotspot", Hotspot(100_000_000, 0.2, 0.8, 1)},
		{"latest 0.99", Latest(100_000_000, 0.99, 0.05, 1)},
		{"normal", Normal(1e6, 1e5, 0, math.MaxUint64, 1)},
		{"choose of 2 slices of keys", Choose(0.5, 1, Keys(4, 1).Take(1<<30), Keys(4, 1).Slice(1<<30, 1<<30))},
		{"shuffled slice of keys", Keys(4, 1).Take(50_000_000).Shuffle(1)},
		{"keys at zipfian 0.99", Keys(4, 1).Take(50_000_000).At(Zipfian(50_000_000, 0.99, 1))},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				firstOf(b, c.s, n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/number")
		})
	}
}
