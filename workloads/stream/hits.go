package stream

import (
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// Keys that a table takes, and queries of which some find a key and some do not.

var widthParam = wholeParam("width", 0, all, "bytes of a key: 4 or 8")

// keysOf returns how many keys of the node's width a table takes: all but the two largest numbers.
func keysOf(n *node) (uint64, error) {
	width := n.whole("width")
	if width != 4 && width != 8 {
		return 0, fmt.Errorf("width is %d, allowed are 4 and 8 bytes", width)
	}
	return uint64(1)<<(8*width-1)*2 - 2, nil
}

func init() {
	declare(Kind{
		Name: "keys", Help: "all keys of a width that a table takes, in random order, each once",
		Params: []Param{widthParam, seed},
		expand: func(n *node) Stream {
			count, err := keysOf(n)
			if err != nil {
				return Stream{err: err}
			}
			return Unique(count, n.whole("seed"))
		},
	}, Kind{
		Name: "hits", Help: "queries: with probability ratio a number of the stream, otherwise a key that it does not contain",
		Inputs: []string{"of"},
		Params: []Param{realParam("ratio", 0, 1, "the fraction of queries that find their key, such as 0.5"),
			wholeParam("n", 0, all, "how many queries; 0: as many as the stream has numbers").or(uint64(0)),
			widthParam, seed},
		expand: expandHits,
	})
}

// Keys is all keys of 4 or 8 bytes that a table takes, in random order, each once.
func Keys(width int, seed uint64) Stream {
	return New("keys", nil, Params{"width": width, "seed": seed})
}

// expandHits makes queries. Present ones are drawn uniformly from the stream. Absent ones are certainly absent where
// the expression says enough: for slices of unique or keys, also shuffled, joined, or combined with a constant by +,
// * or xor, they come from the rest of the permutation; for other streams with a bound below the largest key, from
// above it; for data they were compared. For anything else, such as random 8-byte numbers, they are random keys if
// each is present with probability 1e-9 at most, and refused otherwise.
func expandHits(n *node) Stream {
	of, ratio, drawn := n.inputs[0], n.real("ratio"), n.whole("seed")
	count := cmp.Or(n.whole("n"), of.length)
	limit, err := keysOf(n)
	switch {
	case err != nil:
		return Stream{err: err}
	case of.length == Endless:
		return wrong("of has no end; hint: take a number of it")
	case of.length == 0 && ratio > 0:
		return wrong("of has no numbers, so no query can find one; hint: ratio=0")
	}
	present := Const(0)
	if ratio > 0 {
		present = Stream{node: of}.At(Uniform(of.length, Derive(drawn, "hits present")))
	}
	if ratio == 1 {
		return present.Take(count)
	}
	pool, err := absent(of, limit, max(count, 1), Derive(drawn, "hits absent"))
	switch {
	case err != nil:
		return Stream{err: err}
	case ratio == 0:
		return pool.keys.Take(count)
	}
	return Choose(ratio, Derive(drawn, "hits"), present, pool.keys).Take(count)
}

// pool is a set of absent keys to draw from.
type pool struct {
	keys  Stream
	size  uint64
	doubt float64 // probability that one of the keys is present after all
}

// mostDoubt is too small to affect a measurement: fewer than one key in a billion is present.
const mostDoubt = 1e-9

// absent returns keys below limit that a stream does not contain, at least want different ones if possible,
// from the first source that provides enough.
func absent(n *node, limit, want, seed uint64) (pool, error) {
	var best pool
	for _, find := range []func(n *node, limit, seed uint64) pool{permuted, above, compared} {
		if found := find(n, limit, seed); found.size > best.size {
			best = found
		}
		if best.size >= want && best.size > 0 {
			break
		}
	}
	doubt := min(1, float64(n.length)/float64(limit))
	if best.size < want && doubt <= mostDoubt && limit > best.size { // any key, if almost none of them is in the stream
		best = pool{keys: Uniform(limit, seed), size: limit, doubt: doubt}
	}
	if best.size == 0 {
		return pool{}, fmt.Errorf("cannot tell which keys are absent from of: its numbers can be as large as %d, "+
			"and a random key below %d is present with probability %.2g; hint: make of from unique or keys",
			n.largest(max(n.length, 1)-1), limit, doubt)
	}
	return best, nil
}

// permuted returns the largest slice that a stream made of slices of a permutation leaves out.
func permuted(n *node, limit, seed uint64) pool {
	p, ok := shareOf(n)
	if !ok {
		return pool{}
	}
	from, size := p.gap()
	if size == 0 || p.mapped(Stream{node: p.of}).Largest() >= limit {
		return pool{}
	}
	rest := Stream{node: p.of}.Slice(from, size).At(Uniform(size, seed))
	return pool{keys: p.mapped(rest), size: size}
}

// above returns the numbers above the stream's bound.
func above(n *node, limit, seed uint64) pool {
	from := uint64(0)
	if n.length > 0 {
		from = addBounds(n.largest(n.length-1), 1)
	}
	if from >= limit {
		return pool{}
	}
	return pool{keys: Uniform(limit-from, seed).Add(Const(from)), size: limit - from}
}

// compared returns keys compared with the array from which the stream takes all its numbers.
func compared(n *node, limit, seed uint64) pool {
	a := arrayOf(n)
	if a == nil || a.largest >= limit {
		return pool{}
	}
	keys := a.absent(limit)
	if keys.Len() == 0 {
		return pool{}
	}
	return pool{keys: keys.At(Uniform(keys.Len(), seed)), size: keys.Len()}
}

// arrayOf returns the array that all numbers of a stream come from, or nil.
func arrayOf(n *node) *array {
	switch {
	case n.kind == dataKind:
		return n.array
	case n.is("take"), n.is("skip"), n.is("shuffle"), n.is("at"):
		return arrayOf(n.inputs[0])
	case n.is("concat"), n.is("choose"):
		if a := arrayOf(n.inputs[0]); a != nil && a == arrayOf(n.inputs[1]) {
			return a
		}
	}
	return nil
}

// mostCompared bounds the number of keys that array.absent returns.
const mostCompared = 1 << 20

// absent returns keys below limit that are not in the array, about as many as the array
// has numbers. It remembers them, because scripts ask for every batch.
func (a *array) absent(limit uint64) Stream {
	if known, ok := a.others.Load(limit); ok {
		return known.(Stream)
	}
	present := make(map[uint64]bool, len(a.numbers))
	for _, x := range a.numbers {
		present[x] = true
	}
	var keys []uint64
	want := min(max(len(a.numbers), 1024), mostCompared)
	random := rand.NewPCG(limit, uint64(len(a.numbers)))
	for range 4 * want {
		if key, _ := bits.Mul64(random.Uint64(), limit); !present[key] && len(keys) < want {
			keys, present[key] = append(keys, key), true
		}
	}
	found, _ := a.others.LoadOrStore(limit, Data("keys that are not in "+a.label, keys))
	return found.(Stream)
}
