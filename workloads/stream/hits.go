package stream

import "fmt"

// Queries of which some find their key and some do not.

var widthParam = wholeParam("width", 0, all, "bytes of a key: 4 or 8")

// keysOf is how many keys of the node's width a table takes: all numbers but the
// two largest, which are reserved.
func keysOf(n *node) (uint64, error) {
	width := n.whole("width")
	if width != 4 && width != 8 {
		return 0, fmt.Errorf("width is %d, allowed are 4 and 8 bytes", width)
	}
	return uint64(1)<<(8*width-1)*2 - 2, nil
}

func init() {
	declare(Kind{
		Name: "keys", Help: "all keys of a width that a table takes, each of them once, in random order",
		Params: []Param{widthParam, seed},
		expand: func(n *node) Stream {
			count, err := keysOf(n)
			if err != nil {
				return Stream{err: err}
			}
			return Unique(count, n.whole("seed"))
		},
	})
	declare(Kind{
		Name: "hits", Help: "queries: with probability ratio a number of the stream, else a key that it does not have",
		Inputs: []string{"of"},
		Params: []Param{realParam("ratio", 0, 1, "the part of the queries whose key is there: 0.5 is half"),
			wholeParam("n", 0, all, "how many queries; 0: as many as the stream has numbers").or(uint64(0)),
			widthParam, seed},
		expand: expandHits,
	})
}

// Keys are all keys of a width of 4 or 8 bytes that a table takes, each of them
// once, in random order: all but the two largest numbers, which are reserved.
// Different slices of it have no key in common.
func Keys(width int, seed uint64) Stream {
	return New("keys", nil, Params{"width": width, "seed": seed})
}

// Hits is N queries. Each is present with probability Ratio: one of the numbers of
// Of, all equally likely. The others are keys of Width bytes that Of does not
// have. This is certain where the expression of Of tells enough: for slices of
// Unique or Keys, also shuffled, put together, or with a constant added, multiplied
// or exclusive-ored, the others are from the rest of the permutation; for anything
// else whose numbers have a bound below the largest key, from above that; for
// Data, they were compared. What is left, such as 8-byte random numbers, gets
// random keys if each is absent but for a probability of at most 1e-9 (Doubt says
// which), and is refused otherwise.
type Hits struct {
	Of    Stream
	Ratio float64
	N     uint64 // 0: as many as Of has
	Width int    // of a key, in bytes
	Seed  uint64
}

// Stream is the queries.
func (h Hits) Stream() Stream {
	return New("hits", []Stream{h.Of}, Params{"ratio": h.Ratio, "n": h.N, "width": h.Width, "seed": h.Seed})
}

// Doubt is the probability that a query which should find nothing does: 0 nearly
// always.
func (h Hits) Doubt() float64 {
	if h.Stream().Err() != nil || h.Ratio == 1 {
		return 0
	}
	n := &node{kind: kinds["hits"], inputs: []*node{h.Of.node}}
	n.args, _ = n.kind.arguments(Params{"ratio": h.Ratio, "n": h.N, "width": h.Width, "seed": h.Seed})
	pool, _ := absentFor(n)
	return pool.doubt
}

func expandHits(n *node) Stream {
	of, ratio := n.inputs[0], n.real("ratio")
	count := queries(n)
	if _, err := keysOf(n); err != nil {
		return Stream{err: err}
	}
	if of.length == Endless {
		return wrong("of has no end; hint: take a number of it")
	}
	present := Const(0)
	if ratio > 0 {
		if of.length == 0 {
			return wrong("of has no numbers, so no query can find one; hint: ratio=0")
		}
		present = Stream{node: of}.At(Uniform(of.length, Derive(n.whole("seed"), "hits present")))
	}
	if ratio == 1 {
		return present.Take(count)
	}
	pool, err := absentFor(n)
	if err != nil {
		return Stream{err: err}
	}
	if ratio == 0 {
		return pool.keys.Take(count)
	}
	return Choose(ratio, Derive(n.whole("seed"), "hits"), present, pool.keys).Take(count)
}

func queries(n *node) uint64 {
	if count := n.whole("n"); count != 0 {
		return count
	}
	return n.inputs[0].length
}

func absentFor(n *node) (pool, error) {
	limit, err := keysOf(n)
	if err != nil {
		return pool{}, err
	}
	return absent(n.inputs[0], limit, max(queries(n), 1), Derive(n.whole("seed"), "hits absent"))
}
