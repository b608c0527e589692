package stream

import "fmt"

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

// expandHits makes queries. Present ones are drawn uniformly from the stream. Absent ones
// are certainly absent where the expression says enough: for slices of unique or keys, also
// shuffled, joined, or combined with a constant by +, * or xor, they come from the rest of
// the permutation; for other streams with a bound below the largest key, from above it; for
// data they were compared. For anything else, such as random 8-byte numbers, they are
// random keys if each is present with probability 1e-9 at most, and refused otherwise.
func expandHits(n *node) Stream {
	of, ratio, drawn := n.inputs[0], n.real("ratio"), n.whole("seed")
	count := n.whole("n")
	if count == 0 {
		count = of.length
	}
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
