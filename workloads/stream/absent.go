package stream

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

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
	for _, find := range []func(n *node, limit, seed uint64) pool{permuted, above, compared, improbable} {
		if found := find(n, limit, seed); found.size > best.size {
			best = found
		}
		if best.size >= want && best.size > 0 {
			break
		}
	}
	if best.size == 0 {
		return pool{}, fmt.Errorf("cannot tell which keys are absent from of: its numbers can be as large as %d, "+
			"and a random key below %d is present with probability %.2g; hint: make of from unique or keys",
			n.largest(max(n.length, 1)-1), limit, doubtOf(n, limit))
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

// improbable returns any keys, if almost none of them is in the stream.
func improbable(n *node, limit, seed uint64) pool {
	if doubt := doubtOf(n, limit); doubt <= mostDoubt {
		return pool{keys: Uniform(limit, seed), size: limit, doubt: doubt}
	}
	return pool{}
}

func doubtOf(n *node, limit uint64) float64 { return min(1, float64(n.length)/float64(limit)) }

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
