package stream

import (
	"cmp"
	"slices"
)

// share describes which numbers of a permutation a stream may contain.
type share struct {
	of     *node                 // unique
	spans  []span                // of its indices
	mapped func(s Stream) Stream // the one-to-one arithmetic applied to its numbers
}

// span is the index range [from, to).
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

// cutShare narrows the span of a slice of a permutation; other slices may have any of its numbers.
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

// joinShares joins the shares of two streams in the same permutation.
func joinShares(n *node) (share, bool) {
	a, ok1 := shareOf(n.inputs[0])
	b, ok2 := shareOf(n.inputs[1])
	probe := Const(1) // equal maps of it have equal texts
	if !ok1 || !ok2 || !slices.Equal(a.of.args, b.of.args) || a.mapped(probe).String() != b.mapped(probe).String() {
		return share{}, false
	}
	a.spans = append(slices.Clone(a.spans), b.spans...)
	return a, true
}

// mappedShare follows arithmetic with a constant, one-to-one unless it overflows, which the caller checks.
func mappedShare(n *node) (share, bool) {
	of, constant, ok := n.withConstant()
	if !ok {
		return share{}, false
	}
	p, ok := shareOf(of)
	inner := p.mapped
	p.mapped = func(s Stream) Stream { return New(n.kind.Name, []Stream{inner(s), {node: constant}}, nil) }
	return p, ok
}

// withConstant splits one-to-one arithmetic of a stream and a constant.
func (n *node) withConstant() (of, constant *node, ok bool) {
	of, constant = n.inputs[0], n.inputs[1]
	if of.is("constant") {
		of, constant = constant, of
	}
	return of, constant, constant.is("constant") && !(n.is("mul") && constant.whole("value") == 0)
}

func (p share) sorted() []span {
	return slices.SortedFunc(slices.Values(p.spans), func(a, b span) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
}

// gap returns the largest slice of the permutation outside all spans.
func (p share) gap() (from, size uint64) {
	at := uint64(0)
	for _, s := range append(p.sorted(), span{p.of.length, p.of.length}) {
		if s.from > at && s.from-at > size {
			from, size = at, s.from-at
		}
		at = max(at, s.to)
	}
	return from, size
}

// Distinct reports whether the expression guarantees that no number occurs twice and all
// are at most largest. False may mean that it is not known.
func (s Stream) Distinct(largest uint64) bool {
	return s.Err() == nil && s.Len() != Endless && s.Largest() <= largest && s.node.distinct()
}

func (n *node) distinct() bool {
	switch {
	case n.length <= 1, n.is("unique"), n.is("sequential"):
		return true
	case n.is("take"), n.is("skip"), n.is("shuffle"):
		return n.inputs[0].distinct()
	case n.is("at"):
		return n.inputs[0].distinct() && n.inputs[1].distinct()
	case n.is("add"), n.is("mul"), n.is("xor"):
		of, _, ok := n.withConstant()
		return ok && of.distinct()
	case n.is("concat"):
		both, ok := shareOf(n)
		for i, spans := 1, both.sorted(); i < len(spans); i++ {
			ok = ok && spans[i].from >= spans[i-1].to // no two overlap
		}
		return ok && n.inputs[0].distinct() && n.inputs[1].distinct()
	}
	return false
}
