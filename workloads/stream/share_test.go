package stream

import "testing"

// Streams that claim to be distinct are, and the streams that scripts insert are recognized.
func TestDistinct(t *testing.T) {
	keys := Keys(4, 3)
	const largest = 1<<32 - 1
	for text, s := range map[string]Stream{
		"a slice":           keys.Slice(10, 100),
		"a shuffled slice":  keys.Take(100).Shuffle(2),
		"two slices":        keys.Take(50).Concat(keys.Slice(50, 50)),
		"two of a shuffle":  keys.Take(50).Shuffle(1).Take(20).Concat(keys.Slice(60, 50)),
		"arithmetic":        Sequential().Take(100).Add(Const(1)),
		"times":             Unique(100, 1).Mul(Const(3)).Xor(Const(5)),
		"some of a shuffle": keys.At(Unique(100, 9)),
		"one":               Zipfian(10, 0.9, 1).Take(1),
	} {
		if !s.Distinct(largest) {
			t.Errorf("%s: not known to be distinct", text)
		}
	}
	for text, s := range map[string]Stream{
		"drawn":            keys.Take(50).At(Uniform(50, 1).Take(20)),
		"overlapping":      keys.Take(50).Concat(keys.Slice(49, 50)),
		"other shuffle":    keys.Take(50).Concat(Keys(4, 4).Slice(50, 50)),
		"of a shuffle":     keys.Take(100).Shuffle(1).Take(20).Concat(keys.Slice(60, 50)),
		"too large":        Unique(100, 1).Mul(Const(1 << 30)),
		"a bound too high": Keys(8, 1).Take(5),
		"nothing times":    Unique(100, 1).Mul(Const(0)),
		"divided":          Sequential().Take(10).Div(Const(2)),
		"endless":          Sequential(),
		"none":             {},
	} {
		if s.Distinct(largest) {
			t.Errorf("%s: said to be distinct", text)
		}
	}
}
