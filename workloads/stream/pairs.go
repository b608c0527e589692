package stream

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/hashzoo/hashzoo/kernels"
)

// Keys that occur as often as those of a data set.
//
// In layers: layer 1 has every key once, layer 2 those that occur twice or more,
// and so on up to the layer of the most frequent key. A layer has the first keys
// of the one below it, so a place in it is the number of a key. Layers of the
// same size are a run, and a table of where the runs begin and how large their
// layers are is all there is to store: few entries, as there are few sizes.

// maxLayers bounds the time to find the sizes of the layers, about 0.1 s.
const maxLayers = 1 << 20

var pairsParams = []Param{
	wholeParam("pairs", 1, maxRanks, "how many pairs there are"),
	wholeParam("unique", 1, maxRanks, "how many different keys they have"),
	wholeParam("max_duplicates", 1, maxLayers, "how often the most frequent key occurs"),
	realParam("skew", 0, 100, "how fast the others fall behind it: 0 as evenly as can be, 1 like Zipf's law").or(1.0),
}

func init() {
	declare(Kind{
		Name: "duplicates", Help: "the numbers below unique in random order, each of them one to max_duplicates times: 0 is the most frequent",
		Params:  append(slices.Clone(pairsParams), seed),
		length:  asManyAs("pairs"),
		largest: func(n *node, _ uint64) uint64 { return n.whole("unique") - 1 },
		simplify: func(n *node) (*node, error) {
			if err := possible(n); err != nil {
				return nil, fmt.Errorf("duplicates: %w", err)
			}
			n.table = sync.OnceValue(func() *array { return newArray("duplicates", layers(n).table()) })
			return n, nil
		},
		emit: emitDuplicates,
	})
	declare(Kind{
		Name: "pairs", Help: "keys with the statistics of a data set: how many pairs, different keys, and pairs of the most frequent key",
		Params: append(slices.Clone(pairsParams), widthParam, seed),
		expand: expandPairs,
	})
}

// Pairs are keys with the statistics of a data set, in random order. The k-th
// most frequent key has extra pairs, those after its first one, in proportion to
// k^-Skew, as far as the other numbers allow; with skew 0 all but the most
// frequent key have equally many, give or take one.
type Pairs struct {
	Pairs         uint64
	Unique        uint64 // different keys
	MaxDuplicates uint64 // pairs of the most frequent key
	Skew          float64
	Width         int // of a key, in bytes
	Seed          uint64
}

// Stream is the keys.
func (p Pairs) Stream() Stream {
	return New("pairs", nil, Params{"pairs": p.Pairs, "unique": p.Unique, "max_duplicates": p.MaxDuplicates,
		"skew": p.Skew, "width": p.Width, "seed": p.Seed})
}

func expandPairs(n *node) Stream {
	keys, err := keysOf(n)
	if err != nil {
		return Stream{err: err}
	}
	unique := n.whole("unique")
	if unique > keys {
		return wrong("unique is %d, there are %d keys of %d bytes", unique, keys, n.whole("width"))
	}
	if err := possible(n); err != nil {
		return Stream{err: err}
	}
	numbers := New("duplicates", nil, Params{"pairs": n.whole("pairs"), "unique": unique,
		"max_duplicates": n.whole("max_duplicates"), "skew": n.real("skew"), "seed": n.whole("seed")})
	return Unique(keys, n.whole("seed")).Take(unique).At(numbers)
}

// possible refuses numbers that no data set has together.
func possible(n *node) error {
	pairs, unique, most := n.whole("pairs"), n.whole("unique"), n.whole("max_duplicates")
	switch {
	case unique > pairs:
		return fmt.Errorf("unique is %d, allowed are at most as many as pairs, %d", unique, pairs)
	case most > pairs-unique+1:
		return fmt.Errorf("max_duplicates is %d, allowed are at most %d: that many of %d pairs are left for one of %d keys",
			most, pairs-unique+1, pairs, unique)
	case pairs > multiplyBounds(unique, most):
		return fmt.Errorf("pairs is %d, allowed are at most %d: %d different keys with max_duplicates=%d each",
			pairs, multiplyBounds(unique, most), unique, most)
	}
	return nil
}

// run is layers of the same size.
type run struct{ start, size uint64 }

type runs []run

// table is the starts of the runs, then their sizes.
func (r runs) table() []uint64 {
	table := make([]uint64, 2*len(r))
	for i, run := range r {
		table[i], table[len(r)+i] = run.start, run.size
	}
	return table
}

// layers finds the sizes of all layers: the first has every key.
func layers(n *node) runs {
	unique := n.whole("unique")
	list, start := runs{{0, unique}}, unique
	for _, size := range extraLayers(n.whole("pairs")-unique, unique, int(n.whole("max_duplicates")-1), n.real("skew")) {
		if list[len(list)-1].size != size {
			list = append(list, run{start, size})
		}
		start += size
	}
	return list
}

// extraLayers cuts what is left after the first layer into the sizes of the
// others, none of them larger than the one before, and none empty. If key k has
// extra pairs in proportion to k^-skew, the keys with e or more of them are in
// proportion to e^(-1/skew); the factor is the largest that is not too large.
func extraLayers(extra, unique uint64, count int, skew float64) []uint64 {
	sizes := make([]uint64, count)
	if skew > 0 {
		shape := kernels.Powers(count, -1/skew)
		factor := sort.Search(math.MaxInt64-1<<52, func(bits int) bool {
			return sumSizes(sizes, shape, math.Float64frombits(uint64(bits)), unique, extra) > extra
		})
		extra -= sumSizes(sizes, shape, math.Float64frombits(uint64(factor-1)), unique, extra)
	} else {
		extra -= sumSizes(sizes, make([]float64, count), 0, unique, extra)
		for e := range sizes {
			more := min(extra, unique-sizes[e])
			sizes[e] += more
			extra -= more
		}
	}
	spread(sizes, unique, extra)
	return sizes
}

// sumSizes writes the sizes for a factor and adds them up; it may stop once they
// are more than a limit.
func sumSizes(sizes []uint64, shape []float64, factor float64, unique, limit uint64) (sum uint64) {
	for e, w := range shape {
		sizes[e] = unique
		if size := factor * w; size < float64(unique) {
			sizes[e] = max(1, uint64(size))
		}
		if sum += sizes[e]; sum > limit {
			break
		}
	}
	return sum
}

// spread adds what rounding left over, one for each layer from the first on that
// has room, so that no layer becomes larger than the one before.
func spread(sizes []uint64, unique, rest uint64) {
	for rest > 0 {
		for e := range sizes {
			if rest > 0 && sizes[e] < unique {
				sizes[e]++
				rest--
			}
		}
	}
}

// emitDuplicates has, with i where the index goes in random order, and r the run
// that i is in: (i - start of r) modulo the size of r.
func emitDuplicates(c *compiler, n *node) {
	numbers := n.table()
	table, runs := c.array(numbers), uint64(len(numbers.numbers))/2
	c.step("permute", seedOf(n, ""), n.length)
	i := c.Top()
	c.Step("get", i)
	c.Step("search", table+8, runs-1)
	r := c.Top()
	c.Step("get", i)
	c.Step("get", r)
	c.Step("load", table, runs)
	c.Step("sub")
	c.Step("get", r)
	c.Step("load", table+8*runs, runs)
	c.Step("mod")
	c.Step("keep")
	c.Step("keep")
}
