package stream

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Keys that are not among those of a stream: what is known of an expression says
// where to take them from.

// pool is keys to draw from.
type pool struct {
	keys Stream
	size uint64
	// doubt is the probability that one of them is among the stream's after all.
	doubt float64
}

// mostDoubt is what makes no difference to a measurement: of a billion keys, less
// than one is there that should not be.
const mostDoubt = 1e-9

// absent is keys below a limit that a stream does not have, at least `want`
// different ones if there are. Of several ways to have them, the first one counts
// that gives enough: the rest of the permutation that the stream is a part of,
// numbers above all of the stream's, numbers that were tried one by one.
func absent(n *node, limit, want, seed uint64) (pool, error) {
	var best pool
	for _, find := range []func(*node, uint64, uint64, uint64) pool{permuted, above, tried, improbable} {
		if found := find(n, limit, want, seed); found.size > best.size {
			best = found
		}
		if best.size >= want && best.size > 0 {
			break
		}
	}
	if best.size == 0 {
		return pool{}, fmt.Errorf("it cannot be known which keys are absent from of, whose numbers can be as large as %d, "+
			"and a random one below %d would be there with probability %.2g; hint: make of from unique or keys",
			n.largest(max(n.length, 1)-1), limit, doubtOf(n, limit))
	}
	return best, nil
}

// above is the numbers from the bound of the stream's on.
func above(n *node, limit, _, seed uint64) pool {
	from := uint64(0)
	if n.length > 0 {
		from = addBounds(n.largest(n.length-1), 1)
	}
	if from >= limit {
		return pool{}
	}
	return pool{keys: Uniform(limit-from, seed).Add(Const(from)), size: limit - from}
}

// improbable is any keys, if hardly any of them is one of the stream's.
func improbable(n *node, limit, _, seed uint64) pool {
	if doubt := doubtOf(n, limit); doubt <= mostDoubt {
		return pool{keys: Uniform(limit, seed), size: limit, doubt: doubt}
	}
	return pool{}
}

func doubtOf(n *node, limit uint64) float64 { return min(1, float64(n.length)/float64(limit)) }

// permuted is the largest slice of a permutation that a stream which is made of
// slices of it leaves out.
func permuted(n *node, limit, _, seed uint64) pool {
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

// share says which numbers of a permutation a stream may have.
type share struct {
	of     *node                 // unique
	spans  []span                // of its indices
	mapped func(s Stream) Stream // what was made of its numbers, one to one
}

// span is the indices from, and up to but not including, to.
type span struct{ from, to uint64 }

// shareOf finds the permutation under a stream.
func shareOf(n *node) (share, bool) {
	switch {
	case n.is("unique"):
		return share{n, []span{{0, n.length}}, func(s Stream) Stream { return s }}, true
	case n.is("take"), n.is("skip"):
		return cutShare(n)
	case n.is("shuffle"):
		return shareOf(n.inputs[0])
	case n.is("at"):
		of, index := n.inputs[0], n.inputs[1]
		last := index.largest(max(index.length, 1) - 1)
		return shareOf(Stream{node: of}.Take(min(of.length, addBounds(last, 1))).node)
	case n.is("concat"), n.is("choose"):
		return joinShares(n)
	case n.is("add"), n.is("mul"), n.is("xor"):
		return mappedShare(n)
	}
	return share{}, false
}

// cutShare: of a permutation itself a slice leaves out the rest; of a part in
// another order nobody knows which.
func cutShare(n *node) (share, bool) {
	from, of := uint64(0), n.inputs[0]
	if n.is("skip") {
		from = n.whole("count")
	} else if of.is("skip") {
		from, of = of.whole("count"), of.inputs[0]
	}
	p, ok := shareOf(of)
	if of.is("unique") {
		p.spans = []span{{from, from + n.length}}
	}
	return p, ok
}

// joinShares has what either of two streams has, of the same permutation.
func joinShares(n *node) (share, bool) {
	a, ok1 := shareOf(n.inputs[0])
	b, ok2 := shareOf(n.inputs[1])
	probe := Const(1) // tells maps apart, whose texts say what they are
	if !ok1 || !ok2 || !slices.Equal(a.of.args, b.of.args) || a.mapped(probe).String() != b.mapped(probe).String() {
		return share{}, false
	}
	a.spans = append(slices.Clone(a.spans), b.spans...)
	return a, true
}

// mappedShare: arithmetic with a constant that gives different numbers for
// different numbers, as long as none becomes too large, which the caller checks.
func mappedShare(n *node) (share, bool) {
	of, constant := n.inputs[0], n.inputs[1]
	if of.is("constant") {
		of, constant = constant, of
	}
	if !constant.is("constant") || n.is("mul") && constant.whole("value") == 0 {
		return share{}, false
	}
	p, ok := shareOf(of)
	inner := p.mapped
	p.mapped = func(s Stream) Stream { return New(n.kind.Name, []Stream{inner(s), {node: constant}}, nil) }
	return p, ok
}

// gap is the largest slice of the permutation that no span has a part of.
func (p share) gap() (from, size uint64) {
	spans := slices.SortedFunc(slices.Values(p.spans), func(a, b span) int {
		if a.from < b.from {
			return -1
		}
		return 1
	})
	at := uint64(0)
	for _, s := range append(spans, span{p.of.length, p.of.length}) {
		if s.from > at && s.from-at > size {
			from, size = at, s.from-at
		}
		at = max(at, s.to)
	}
	return from, size
}

// tried is keys of which the host has seen that none is in the array which the
// stream takes all its numbers from.
func tried(n *node, limit, _, seed uint64) pool {
	a := arrayOf(n)
	if a == nil || a.largest >= limit {
		return pool{}
	}
	keys := a.absent(limit)
	size := keys.Len()
	if size == 0 {
		return pool{}
	}
	return pool{keys: keys.At(Uniform(size, seed)), size: size}
}

// arrayOf is the array of which a stream's numbers are, all of them, or nil.
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

// mostTried is how many different keys are looked for.
const mostTried = 1 << 20

// absent is keys below the limit, as many as there are numbers or a few more, that
// are not among them. They are looked for once: a script asks for every batch.
func (a *array) absent(limit uint64) Stream {
	if known, ok := a.others.Load(limit); ok {
		return known.(Stream)
	}
	present := make(map[uint64]bool, len(a.numbers))
	for _, x := range a.numbers {
		present[x] = true
	}
	var keys []uint64
	want := min(max(len(a.numbers), 1024), mostTried)
	random := rand.NewPCG(limit, uint64(len(a.numbers)))
	for range 4 * want {
		if key, _ := bits.Mul64(random.Uint64(), limit); !present[key] && len(keys) < want {
			keys, present[key] = append(keys, key), true
		}
	}
	found, _ := a.others.LoadOrStore(limit, Data("keys that are not in "+a.label, keys))
	return found.(Stream)
}
