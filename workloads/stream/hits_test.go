package stream

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// has returns the set of a stream's numbers, truncated to a key width.
func has(t tb, s Stream, width int) map[uint64]bool {
	set := map[uint64]bool{}
	for _, x := range firstOf(t, s, s.Len()) {
		set[x<<(64-8*width)>>(64-8*width)] = true
	}
	return set
}

// hitStreams are streams whose absent keys are certain, for both widths.
func hitStreams() map[string]Stream {
	keys := Keys(4, 1)
	ids := Data("ids", []uint64{17, 4, 4_294_967_000, 4_294_967_293, 99, 99, 3_000_000_000})
	return map[string]Stream{
		"a prefix of keys":              keys.Take(1000),
		"a slice of keys":               keys.Slice(500, 1000),
		"the last keys":                 keys.Skip(keys.Len() - 1000),
		"two slices":                    keys.Slice(9000, 500).Concat(keys.Take(700)),
		"two slices in random order":    keys.Take(100).Concat(keys.Slice(50, 200)).Shuffle(3),
		"a choice of two slices":        Choose(0.2, 1, keys.Take(300), keys.Slice(2000, 300)),
		"a sample of a prefix":          keys.Take(5000).Sample(300, 4),
		"keys at zipfian indices":       keys.At(Zipfian(600, 0.99, 1)).Take(500),
		"a slice of all of a range":     Unique(100, 5).Slice(10, 50),
		"all of a range":                Unique(1000, 5),
		"a range, times 2 plus 1":       Unique(2_000_000_000, 5).Take(1000).Mul(Const(2)).Add(Const(1)),
		"a range, exclusive-or":         Const(0xffff).Xor(Unique(1<<31, 5).Slice(1000, 1000)),
		"half of a range in two slices": Const(5).Add(Unique(5000, 5).Take(10)).Concat(Unique(5000, 5).Slice(400, 500).Add(Const(5))),
		"the trace i+1":                 Sequential().Add(Const(1)).Take(1000),
		"the trace 3i+5":                Sequential().Mul(Const(3)).Add(Const(5)).Take(1000),
		"uniform numbers":               Uniform(777, 1).Take(1000),
		"normal numbers":                Normal(500, 100, 0, 5000, 1).Take(1000),
		"data":                          ids,
		"data in another order":         ids.Shuffle(1).Concat(ids.Take(3)).Cycle().Take(900),
		"one key":                       keys.Take(1),
		"of two permutations":           Unique(50_000, 1).Take(5000).Concat(Unique(50_000, 2).Take(5000)),
		"of two maps of one":            Unique(50_000, 1).Take(5000).Concat(Unique(50_000, 1).Take(5000).Add(Const(7))),
		"two slices of a small range":   Unique(100_000, 1).Slice(100, 500).Concat(Unique(100_000, 1).Slice(60_000, 1000)),
		"a few after shuffling":         Unique(100_000, 1).Take(50_000).Shuffle(1).Take(20),
		"indices in a small range":      Unique(41_000, 1).At(Uniform(300, 1)).Take(9000),
		"times zero":                    Unique(50_000, 1).Take(5).Mul(Const(0)),
		"pairs":                         Pairs{Pairs: 900, Unique: 300, MaxDuplicates: 40, Skew: 1, Width: 4, Seed: 1}.Stream(),
	}
}

func TestHits(t *testing.T) {
	const n = 40_000
	for what, of := range hitStreams() {
		for _, width := range []int{4, 8} {
			present := has(t, of, width)
			for _, ratio := range []float64{0, 0.25, 0.5, 1} {
				h := Hits{Of: of, Ratio: ratio, N: n, Width: width, Seed: 7}
				s := h.Stream()
				must.Need(t, s.Err() == nil, "%s: %v", what, s.Err())
				must.Match(t, h.Doubt(), 0, what)
				queries := firstOf(t, s, s.Len())
				found := part(queries, func(x uint64) bool { return present[x] })
				where := fmt.Sprintf("%s, width %d, ratio %v", what, width, ratio)
				must.Hold(t, ratio != 0 && ratio != 1 || found == int(ratio)*n, "%s: %d of %d are present", where, found, n)
				near(t, where, found, n, ratio)
				limit, largest := uint64(1)<<(8*width-1)*2-2, slices.Max(queries)
				must.Hold(t, s.Len() == n && largest < limit, "%s: %d queries up to %d", where, s.Len(), largest)
			}
		}
	}
}

// Queries are uniform over the stream, and absent keys vary.
func TestHitsAreUniform(t *testing.T) {
	const n, draws = 100, 100_000
	counts := map[uint64]int{}
	for _, x := range firstOf(t, Hits{Of: Keys(4, 1).Slice(50, n), Ratio: 0.5, N: draws, Width: 4, Seed: 1}.Stream(), draws) {
		counts[x]++
	}
	for _, x := range firstOf(t, Keys(4, 1).Slice(50, n), n) {
		near(t, fmt.Sprint("key ", x), counts[x], draws, 0.5/n)
		delete(counts, x)
	}
	once := 0
	for _, c := range counts {
		if c == 1 {
			once++
		}
	}
	must.Hold(t, once >= draws/2-2000, "%d absent keys occur once, of about %d", once, draws/2)
}

// Absent keys of slices come from the rest of the same permutation, so they resemble the present ones.
func TestAbsentKeysAreOfThePermutation(t *testing.T) {
	const all = 5000
	of := Unique(all, 3).Slice(100, 400)
	most := slices.Max(firstOf(t, Hits{Of: of, N: 2000, Width: 8, Seed: 1}.Stream(), 2000))
	must.Hold(t, most < all, "a key is %d, the permutation is of numbers below %d", most, all)
	odd := part(firstOf(t, Hits{Of: of.Mul(Const(2)), N: 2000, Width: 8, Seed: 1}.Stream(), 2000), func(x uint64) bool { return x%2 == 1 })
	must.Match(t, odd, 0, "keys are odd, twice a permutation is even")
}

func TestHitsDefaultsAndSeeds(t *testing.T) {
	of := Keys(8, 1).Take(500)
	h := Hits{Of: of, Ratio: 0.5, Width: 8, Seed: 1}
	must.Match(t, h.Stream().Len(), 500, "queries by default, want as many as keys")
	other := h
	other.Seed = 2
	a, b := firstOf(t, h.Stream(), 500), firstOf(t, other.Stream(), 500)
	equal := 0
	for i := range a {
		if a[i] == b[i] {
			equal++
		}
	}
	must.Hold(t, equal <= 20, "%d of 500 queries do not depend on the seed", equal)
	readsBack(t, h.Stream())
	short, err := read(`{"kind":"hits","of":[{"kind":"take","of":[{"kind":"keys","args":{"width":8,"seed":1}}],"args":{"count":500}}],"args":{"ratio":0.5,"width":8,"seed":1}}`)
	must.Hold(t, err == nil && short.String() == h.Stream().String(), "%v: %s, want %s", err, short, h.Stream())
}

// Uncertain absent keys are used only where the doubt is negligible.
func TestHitsDoubt(t *testing.T) {
	random := Random(1).Take(1_000_000)
	h := Hits{Of: random, Ratio: 0.5, Width: 8, Seed: 1}
	want := 1e6 / math.Exp2(64)
	must.Hold(t, h.Stream().Err() == nil && math.Abs(h.Doubt()/want-1) <= 1e-9, "%v, doubt %g, want %g", h.Stream().Err(), h.Doubt(), want)
	h.Ratio = 1
	must.Match(t, h.Doubt(), 0, "the doubt where all are present")
}

func TestHitsErrors(t *testing.T) {
	keys := Keys(4, 1)
	for _, c := range []struct {
		h    Hits
		want string
	}{
		{Hits{}, "uninitialized stream: use the functions of package stream"},
		{Hits{Of: keys, Ratio: 1.5, Width: 4}, "hits: ratio is 1.5, allowed are numbers from 0 to 1; hint: the fraction of queries that find their key, such as 0.5"},
		{Hits{Of: keys, Ratio: 1}, "hits: width is 0, allowed are 4 and 8 bytes"},
		{Hits{Of: Random(1), Width: 8}, "hits: of has no end; hint: take a number of it"},
		{Hits{Of: keys.Take(0), Ratio: 0.1, N: 5, Width: 4}, "hits: of has no numbers, so no query can find one; hint: ratio=0"},
		{Hits{Of: Keys(8, 1).Take(900), Width: 4}, "hits: cannot tell which keys are absent from of: its numbers can be as large as 18446744073709551613, and a random key below 4294967294 is present with probability 2.1e-07; hint: make of from unique or keys"},
		{Hits{Of: keys.Take(900).Mul(Const(2)), Width: 4}, "hits: cannot tell which keys are absent from of: its numbers can be as large as 8589934586, and a random key below 4294967294 is present with probability 2.1e-07; hint: make of from unique or keys"},
		{Hits{Of: keys.Take(900).Add(Const(1)), Width: 4}, "hits: cannot tell which keys are absent from of: its numbers can be as large as 4294967294, and a random key below 4294967294 is present with probability 2.1e-07; hint: make of from unique or keys"},
		{Hits{Of: Data("ids", someNumbers(900, 1)), Width: 4}, "hits: cannot tell which keys are absent from of: its numbers can be as large as 18429111743582906248, and a random key below 4294967294 is present with probability 2.1e-07; hint: make of from unique or keys"},
		{Hits{Of: keys, Ratio: 0.1, Width: 4}, "hits: cannot tell which keys are absent from of: its numbers can be as large as 4294967293, and a random key below 4294967294 is present with probability 1; hint: make of from unique or keys"},
		{Hits{Of: Random(1).Take(1e6), Ratio: 0.1, Width: 4}, "hits: cannot tell which keys are absent from of: its numbers can be as large as 18446744073709551615, and a random key below 4294967294 is present with probability 0.00023; hint: make of from unique or keys"},
		{Hits{Of: Keys(8, 1).Take(9), Width: 5}, "hits: width is 5, allowed are 4 and 8 bytes"},
	} {
		must.Equal(t, c.h.Stream().Err(), c.want)
	}
	s := (Hits{Of: keys.Take(0), N: 5, Width: 4}).Stream()
	must.Hold(t, s.Err() == nil && s.Len() == 5, "all absent from nothing: %v", s)
}

// Keys absent from data were compared with it, once.
func TestKeysAbsentFromData(t *testing.T) {
	numbers := firstOf(t, Sequential(), 1000)
	a := newArray("numbers", numbers)
	found := a.absent(1500)
	list := firstOf(t, found, found.Len())
	smallest := slices.Min(list)
	must.Hold(t, len(list) >= 400 && smallest >= 1000 && slices.Max(list) < 1500, "%d keys from %d to %d", len(list), smallest, slices.Max(list))
	slices.Sort(list)
	must.Match(t, len(slices.Compact(list)), int(found.Len()), "a key occurs twice")
	must.Match(t, a.absent(1500).node == found.node, true, "they were looked for again")
	must.Match(t, a.absent(1000).Len(), 0, "keys from an empty array")
}

// Queries are present or absent as they should be for any expression. Permutations are small,
// so that a wrong slice shows.
func TestHitsOfAnyExpression(t *testing.T) {
	tried, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		all++
		of := expression(t, rapid.IntRange(0, 4).Draw(t, "depth"))
		of = of.Take(min(of.Len(), 200))
		width := rapid.SampledFrom([]int{4, 8}).Draw(t, "width")
		h := Hits{Of: of, N: 100, Width: width, Seed: rapid.Uint64().Draw(t, "seed")}
		if err := h.Stream().Err(); err != nil {
			must.Need(t, strings.Contains(err.Error(), "cannot tell") || strings.Contains(err.Error(), "has no"), "%s: %v", of, err)
			return
		}
		tried++
		present := has(t, of, width)
		for i, x := range firstOf(t, h.Stream(), 100) {
			if present[x] || x >= uint64(1)<<(8*width-1)*2-2 {
				t.Fatalf("%s: number %d of %s is %d", of, i, h.Stream(), x)
			}
		}
	})
	must.Hold(t, tried >= all/4, "only %d of %d expressions had queries", tried, all) // most have; with -short there are few in all
}
