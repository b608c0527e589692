package stream

import "slices"

// Distinct says whether no number comes twice, as far as the expression tells: false may
// mean that nobody knows. Numbers are compared as keys that are at most the largest given.
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
		of, constant := n.inputs[0], n.inputs[1]
		if of.is("constant") {
			of, constant = constant, of
		}
		return constant.is("constant") && of.distinct() && !(n.is("mul") && constant.whole("value") == 0)
	case n.is("concat"):
		return n.inputs[0].distinct() && n.inputs[1].distinct() && n.apart()
	}
	return false
}

// apart says whether the two streams of a concat are of slices of one permutation that
// have nothing in common.
func (n *node) apart() bool {
	all, ok := shareOf(n)
	if !ok {
		return false
	}
	spans := slices.SortedFunc(slices.Values(all.spans), func(a, b span) int {
		if a.from < b.from {
			return -1
		}
		return 1
	})
	for i, s := range spans[1:] {
		if s.from < spans[i].to {
			return false
		}
	}
	return true
}
