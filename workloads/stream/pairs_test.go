package stream

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	"pgregory.net/rapid"
)

// multiplicities returns how often each number occurs, most frequent first.
func multiplicities(numbers []uint64) []uint64 {
	counts := map[uint64]uint64{}
	for _, x := range numbers {
		counts[x]++
	}
	var list []uint64
	for _, c := range counts {
		list = append(list, c)
	}
	slices.Sort(list)
	slices.Reverse(list)
	return list
}

func duplicates(pairs, unique, most uint64, skew float64) Stream {
	return New("duplicates", nil, Params{"pairs": pairs, "unique": unique, "max_duplicates": most, "skew": skew, "seed": 1})
}

// Every valid combination is met exactly: the numbers, the different numbers, and the
// occurrences of 0, the most frequent.
func TestPairsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unique := rapid.Uint64Range(1, 300).Draw(t, "unique")
		most := rapid.Uint64Range(1, 60).Draw(t, "most")
		pairs := unique
		if most > 1 {
			pairs = rapid.Uint64Range(unique+most-1, unique*most).Draw(t, "pairs")
		}
		skew := rapid.OneOf(rapid.SampledFrom([]float64{0, math.SmallestNonzeroFloat64, 1e-300, 0.001, 1, 100}), rapid.Float64Range(0, 5)).Draw(t, "skew")
		s := duplicates(pairs, unique, most, skew)
		must.Need(t, s.Err() == nil, "%v", s.Err())
		numbers := firstOf(t, s, s.Len())
		counts := make([]uint64, unique)
		for _, x := range numbers {
			counts[x]++
		}
		must.Need(t, uint64(len(numbers)) == pairs && slices.Min(counts) != 0 && counts[0] == most && slices.Max(counts) == most,
			"%s: %d numbers, from %d to %d of each", s, len(numbers), slices.Min(counts), slices.Max(counts))
		must.Need(t, slices.IsSortedFunc(counts, func(a, b uint64) int { return int(b) - int(a) }), "%s: the numbers are not by frequency", s)
		again, err := read(written(t, s))
		must.Need(t, err == nil && again.String() == s.String() && slices.Equal(firstOf(t, again, pairs), numbers), "%s became %s: %v", s, again, err)
	})
}

// The statistics of the data sets in Table 2 of the DyCuckoo paper, at a thousandth of the size.
func TestPairsLikeDataSets(t *testing.T) {
	for _, c := range []struct {
		name                string
		pairs, unique, most uint64
	}{
		{"TW", 50_876_784, 44_523_684, 4}, {"RE", 48_104_875, 41_466_682, 2}, {"LINE", 50_000_000, 45_159_880, 4},
		{"COM", 10_000_000, 4_583_941, 14}, {"RAND", 100_000_000, 100_000_000, 1},
	} {
		for _, width := range []int{4, 8} {
			p := Pairs{Pairs: c.pairs / 1000, Unique: c.unique / 1000, MaxDuplicates: c.most, Skew: 1, Width: width, Seed: 3}
			keys := firstOf(t, p.Stream(), p.Pairs)
			if have := multiplicities(keys); uint64(len(have)) != p.Unique || have[0] != p.MaxDuplicates {
				t.Errorf("%s: %d different keys, %d of one; want %d and %d", c.name, len(have), have[0], p.Unique, p.MaxDuplicates)
			}
			must.Hold(t, slices.Max(keys) < uint64(1)<<(8*width-1)*2-2, "%s: a key of %d bytes is %d", c.name, width, slices.Max(keys))
		}
		whole := Pairs{Pairs: c.pairs, Unique: c.unique, MaxDuplicates: c.most, Skew: 1, Width: 4, Seed: 3}.Stream()
		err := whole.Check()
		must.Hold(t, err == nil && whole.Len() == c.pairs, "%s: %v, %d pairs", c.name, err, whole.Len())
	}
}

// The k-th most frequent key has extra pairs in proportion to k^-skew.
func TestPairsSkew(t *testing.T) {
	const pairs, unique, most = 200_000, 20_000, 5000
	for _, skew := range []float64{0.5, 0.7, 1, 1.5, 3} {
		compared := 0
		have := multiplicities(firstOf(t, duplicates(pairs, unique, most, skew), pairs))
		// Away from the ends, where the bounds bite.
		rank := func(extra uint64) float64 { return float64(extraAtLeast(have, extra)) }
		for _, e := range []uint64{4, 8, 16, 32} {
			a, b := rank(e), rank(4*e)
			if b < 50 || a > 0.9*unique {
				continue
			}
			compared++
			slope := math.Log(4) / math.Log(a/b)
			must.Hold(t, math.Abs(slope/skew-1) <= 0.05, "skew %v: %v keys have %d extra pairs, %v have %d, which is a skew of %.3f", skew, a, e, b, 4*e, slope)
		}
		must.Hold(t, compared != 0, "skew %v: nothing to compare", skew)
	}
}

// extraAtLeast returns how many keys have at least that many pairs after their first one.
func extraAtLeast(multiplicities []uint64, extra uint64) (keys int) {
	for _, m := range multiplicities {
		if m > extra {
			keys++
		}
	}
	return keys
}

// With skew 0 all but the most frequent key are as even as possible; with a large skew, few keys have all extra pairs.
func TestPairsSkewEnds(t *testing.T) {
	even := multiplicities(firstOf(t, duplicates(10_000, 3000, 500, 0), 10_000))
	must.Hold(t, even[0] == 500 && even[1] <= 4 && even[2999] >= 3, "skew 0: %d, %d ... %d of a key", even[0], even[1], even[2999])
	steep := multiplicities(firstOf(t, duplicates(10_000, 3000, 500, 100), 10_000))
	n, more := extraAtLeast(steep, 470), extraAtLeast(steep, 30)
	must.Hold(t, n >= 12 && more <= n+3, "skew 100: %d keys have 470 extra pairs and more, %d have 30; 14 have room for 7000", n, more)
}

// The order is random: duplicates are anywhere.
func TestPairsOrder(t *testing.T) {
	const pairs, most = 10_000, 2000
	numbers := firstOf(t, duplicates(pairs, 1000, most, 1), pairs)
	for quarter := range 4 {
		part := part(numbers[quarter*pairs/4:][:pairs/4], func(x uint64) bool { return x == 0 })
		near(t, fmt.Sprint("quarter ", quarter), part, pairs/4, float64(most)/pairs)
	}
	other := firstOf(t, New("duplicates", nil, Params{"pairs": pairs, "unique": 1000, "max_duplicates": most, "seed": 2}), pairs)
	must.Hold(t, !slices.Equal(numbers, other), "the seed does not matter")
}

func TestPairsErrors(t *testing.T) {
	good := Pairs{Pairs: 100, Unique: 50, MaxDuplicates: 5, Skew: 1, Width: 4, Seed: 1}
	for want, change := range map[string]func(p *Pairs){
		"pairs: pairs is 0, allowed are whole numbers from 1 to 4503599627370496; hint: how many pairs":                                                          func(p *Pairs) { p.Pairs = 0 },
		"pairs: unique is 0, allowed are whole numbers from 1 to 4503599627370496; hint: how many different keys":                                                func(p *Pairs) { p.Unique = 0 },
		"pairs: unique is 101, allowed are at most as many as pairs, 100":                                                                                        func(p *Pairs) { p.Unique = 101 },
		"pairs: max_duplicates is 52, allowed are at most 51: more than that of 100 pairs cannot belong to one of 50 keys":                                       func(p *Pairs) { p.MaxDuplicates = 52 },
		"pairs: max_duplicates is 0, allowed are whole numbers from 1 to 1048576; hint: how often the most frequent key occurs":                                  func(p *Pairs) { p.MaxDuplicates = 0 },
		"pairs: pairs is 251, allowed are at most 250: 50 different keys with max_duplicates=5 each":                                                             func(p *Pairs) { p.Pairs = 251 },
		"pairs: pairs is 100, allowed are at most 50: 50 different keys with max_duplicates=1 each":                                                              func(p *Pairs) { p.MaxDuplicates = 1 },
		"pairs: skew is -1, allowed are numbers from 0 to 100; hint: how fast the frequencies of the other keys fall: 0 is as even as possible, 1 is Zipf's law": func(p *Pairs) { p.Skew = -1 },
		"pairs: width is 3, allowed are 4 and 8 bytes":                                                                                                           func(p *Pairs) { p.Width = 3 },
		"pairs: unique is 5000000000, only 4294967294 keys of 4 bytes exist":                                                                                     func(p *Pairs) { p.Pairs, p.Unique = 6e9, 5e9 },
		"duplicates: max_duplicates is 3, allowed are at most 1: more than that of 50 pairs cannot belong to one of 50 keys":                                     nil,
	} {
		s := duplicates(50, 50, 3, 1)
		if change != nil {
			p := good
			change(&p)
			s = p.Stream()
		}
		must.Equal(t, s.Err(), want)
	}
}

// The program handles the largest table.
func TestLargestPairs(t *testing.T) {
	s := duplicates(maxRanks, maxRanks/3, maxLayers, 0.7)
	table := runs(s.node)
	must.Hold(t, len(table) <= 2*maxLayers, "%d runs", len(table)/2)
	last := uint64(maxRanks - 40)
	for i, x := range numbersAt(t, programOf(t, s), last, 40) {
		must.Hold(t, x < maxRanks/3, "number %d is %d", last+uint64(i), x)
	}
}
