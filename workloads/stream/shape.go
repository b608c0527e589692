package stream

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Kinds that map the index of other streams: slices, concatenation, another order.

func init() {
	declare(Kind{
		Name: "take", Help: "the first count numbers", Inputs: []string{"of"},
		Params:  []Param{wholeParam("count", 0, all, "how many numbers to take")},
		length:  func(n *node) (uint64, error) { return n.whole("count"), n.within("count") },
		largest: func(n *node, last uint64) uint64 { return n.inputs[0].largest(min(last, max(n.length, 1)-1)) },
		emit:    func(c *compiler, n *node) { c.number(n.inputs[0]) },
		// Repeated cuts become one take of one skip, so scripts can cut in loops, and equal slices have equal texts.
		simplify: func(n *node) (*node, error) {
			of := n.inputs[0]
			if n.length == of.length {
				return of, nil
			}
			if of.is("take") {
				return build("take", []Stream{{node: of.inputs[0]}}, Params{"count": n.length})
			}
			return n, nil
		},
	}, Kind{
		Name: "skip", Help: "all but the first count numbers", Inputs: []string{"of"},
		Params: []Param{wholeParam("count", 0, all, "how many numbers to skip")},
		length: func(n *node) (uint64, error) {
			if n.inputs[0].length == Endless {
				return Endless, nil
			}
			return n.inputs[0].length - n.whole("count"), n.within("count")
		},
		largest: func(n *node, last uint64) uint64 { return n.inputs[0].largest(addBounds(last, n.whole("count"))) },
		emit: func(c *compiler, n *node) {
			c.at(n.inputs[0], func() {
				c.Step("get", c.index)
				c.with("add", n.whole("count"))
			})
		},
		simplify: func(n *node) (*node, error) {
			switch of, count := n.inputs[0], n.whole("count"); {
			case count == 0:
				return of, nil
			case of.is("skip"):
				return build("skip", []Stream{{node: of.inputs[0]}}, Params{"count": of.whole("count") + count})
			case of.is("take"):
				return New("skip", []Stream{{node: of.inputs[0]}}, Params{"count": count}).Take(n.length).node, nil
			}
			return n, nil
		},
	}, Kind{
		Name: "concat", Help: "one stream, then another", Inputs: []string{"first", "second"},
		length: func(n *node) (uint64, error) {
			if n.inputs[0].length == Endless {
				return 0, fmt.Errorf("the first stream has no end; hint: take a number of it")
			}
			return addBounds(n.inputs[0].length, n.inputs[1].length), nil
		},
		largest: func(n *node, last uint64) uint64 {
			first := n.inputs[0].length
			if last < first {
				return n.inputs[0].largest(last)
			}
			return max(n.inputs[0].largest(max(first, 1)-1), n.inputs[1].largest(last-first))
		},
		// It computes both streams at every index, because programs do not branch, and selects one.
		emit: func(c *compiler, n *node) {
			first := n.inputs[0].length
			c.number(n.inputs[0])
			c.at(n.inputs[1], func() {
				c.Step("get", c.index)
				c.with("sub", first)
			})
			c.Step("get", c.index)
			c.with("less", first)
			c.Step("select")
		},
		simplify: func(n *node) (*node, error) {
			if n.parts < mostJoined || n.length > mostNumbers || !n.isData() {
				return n, nil
			}
			list := make([]uint64, 0, n.length)
			err := n.numbers(func(x uint64) { list = append(list, x) })
			return OfFields(joined, list, n.fields()).node, err
		},
	}, Kind{
		Name: "shuffle", Help: "the same numbers in random order", Inputs: []string{"of"},
		Params: []Param{seed},
		length: func(n *node) (uint64, error) {
			if n.inputs[0].length == Endless {
				return 0, fmt.Errorf("a stream without an end cannot be shuffled; hint: take a number of it first")
			}
			return n.inputs[0].length, nil
		},
		largest: func(n *node, _ uint64) uint64 { return n.inputs[0].largest(max(n.length, 1) - 1) },
		emit:    func(c *compiler, n *node) { c.at(n.inputs[0], func() { c.step("permute", seedOf(n, ""), n.length) }) },
	}, Kind{
		Name: "at", Help: "the numbers of one stream at the indices that another one contains", Inputs: []string{"of", "index"},
		length: func(n *node) (uint64, error) { // indices may not be past the end of the stream
			of, index := n.inputs[0], n.inputs[1]
			if index.length == 0 {
				return 0, nil
			}
			if most := index.largest(index.length - 1); of.length != Endless && most >= of.length {
				return 0, fmt.Errorf("the index can be as large as %d, the stream has %d numbers; hint: bring the index into range with mod", most, of.length)
			}
			return index.length, nil
		},
		largest: func(n *node, last uint64) uint64 { return n.inputs[0].largest(n.inputs[1].largest(last)) },
		emit:    func(c *compiler, n *node) { c.at(n.inputs[0], func() { c.number(n.inputs[1]) }) },
	}, Kind{
		Name: "choose", Help: "at each index the number of the first stream with probability p, otherwise of the second",
		Inputs: []string{"first", "second"}, Params: []Param{realParam("p", 0, 1, "probability of the first stream"), seed},
		length:  commonLength,
		largest: func(n *node, last uint64) uint64 { return max(n.inputs[0].largest(last), n.inputs[1].largest(last)) },
		emit: func(c *compiler, n *node) {
			c.number(n.inputs[0])
			c.number(n.inputs[1])
			c.step("chance", seedOf(n, ""), inParts(n.real("p"), 63))
			c.Step("select")
		},
	})
}

// Kinds that are short for others.
func init() {
	count := wholeParam("count", 0, all, "how many numbers to take")
	declare(Kind{
		Name: "slice", Help: "count numbers from index from on", Inputs: []string{"of"},
		Params: []Param{wholeParam("from", 0, all, "the index of the first number").or(uint64(0)), count},
		expand: func(n *node) Stream {
			of, from, count := n.inputs[0], n.whole("from"), n.whole("count")
			if from > of.length || count > of.length-from {
				return wrong("from is %d and count is %d, the stream has %d numbers", from, count, of.length)
			}
			return Stream{node: of}.Skip(from).Take(count)
		},
	}, Kind{
		Name: "sample", Help: "count numbers from different indices, in random order", Inputs: []string{"of"},
		Params: []Param{count, seed},
		expand: func(n *node) Stream {
			if err := n.within("count"); err != nil {
				return Stream{err: err}
			}
			return Stream{node: n.inputs[0]}.Shuffle(n.whole("seed")).Take(n.whole("count"))
		},
	}, Kind{
		Name: "cycle", Help: "the same numbers, repeated forever", Inputs: []string{"of"},
		expand: func(n *node) Stream {
			of := n.inputs[0]
			if of.length == 0 || of.length == Endless {
				return wrong("a stream without numbers or without an end cannot repeat; hint: take a number of it")
			}
			return Stream{node: of}.At(Sequential().Mod(Const(of.length)))
		},
	})
}

func (n *node) within(name string) error {
	if of := n.inputs[0]; n.whole(name) > of.length {
		return fmt.Errorf("%s is %d, the stream has %d numbers", name, n.whole(name), of.length)
	}
	return nil
}

func (n *node) is(kind string) bool { return n.kind == kinds[kind] }

// mostJoined is the size from which on a concatenation of Data becomes Data itself: scripts put the answers of many
// batches together, and a program computes all parts of an expression at every index.
const mostJoined = 31

// mostNumbers bounds the numbers that are joined: more stay an expression, with its bound of parts.
const mostNumbers = 1 << 26

const joined = "joined" // the label of such Data

// isData reports whether a node consists of Data alone.
func (n *node) isData() bool {
	return n.kind == dataKind || n.is("concat") && n.inputs[0].isData() && n.inputs[1].isData()
}

// Joined reports whether the stream has just become Data, in memory of its own.
func (s Stream) Joined() bool {
	return s.Err() == nil && s.node.kind == dataKind && s.node.array.label == joined
}

func (s Stream) on(kind string, params Params, others ...Stream) Stream {
	return New(kind, append([]Stream{s}, others...), params)
}

// Streams of the kinds with these names, as Kinds explains them.

func (s Stream) Take(count uint64) Stream { return s.on("take", Params{"count": count}) }
func (s Stream) Skip(count uint64) Stream { return s.on("skip", Params{"count": count}) }
func (s Stream) Slice(from, count uint64) Stream {
	return s.on("slice", Params{"from": from, "count": count})
}
func (s Stream) Concat(second Stream) Stream { return s.on("concat", nil, second) }
func (s Stream) Shuffle(seed uint64) Stream  { return s.on("shuffle", Params{"seed": seed}) }
func (s Stream) At(index Stream) Stream      { return s.on("at", nil, index) }
func (s Stream) Add(b Stream) Stream         { return s.on("add", nil, b) }
func (s Stream) Mul(b Stream) Stream         { return s.on("mul", nil, b) }
func (s Stream) Div(b Stream) Stream         { return s.on("div", nil, b) }
func (s Stream) Mod(b Stream) Stream         { return s.on("mod", nil, b) }

// Choose is at each index a number of the first stream with probability p, otherwise of the second.
func Choose(p float64, seed uint64, first, second Stream) Stream {
	return first.on("choose", Params{"p": p, "seed": seed}, second)
}

// Mix is at each index a number of one stream, with probabilities proportional to the weights.
func Mix(seed uint64, weights []float64, streams []Stream) Stream {
	if len(weights) != len(streams) || len(streams) == 0 {
		return Stream{err: fmt.Errorf("mix: given %d weights and %d streams; it takes equally many, at least one", len(weights), len(streams))}
	}
	last := len(streams) - 1
	mixed, sum := streams[last], weights[last]
	for i := last - 1; i >= 0; i-- {
		p := 0.0
		if sum += weights[i]; sum > 0 {
			p = weights[i] / sum
		}
		mixed = Choose(p, Derive(seed, fmt.Sprint("mix ", i)), streams[i], mixed)
	}
	if !(sum > 0) || weights[last] < 0 {
		return Stream{err: fmt.Errorf("mix: weights are %v, allowed are numbers from 0 on that are not all 0", weights)}
	}
	return mixed
}

// Arithmetic of two streams, number by number, in 64 bits that wrap around.

func init() {
	for _, op := range []struct {
		name, help string
		largest    func(a, b uint64) uint64
	}{
		{"add", "a + b", addBounds},
		{"sub", "a - b", func(_, _ uint64) uint64 { return all }},
		{"mul", "a * b", multiplyBounds},
		{"div", "a / b, rounded down; 0 if b is 0", func(a, _ uint64) uint64 { return a }},
		{"mod", "a modulo b; 0 if b is 0", func(a, b uint64) uint64 { return min(a, max(b, 1)-1) }},
		{"xor", "a exclusive-or b", func(a, b uint64) uint64 { return all >> bits.LeadingZeros64(a|b) }},
	} {
		declare(Kind{
			Name: op.name, Help: op.help, Inputs: []string{"a", "b"}, length: commonLength,
			largest: func(n *node, last uint64) uint64 {
				return op.largest(n.inputs[0].largest(last), n.inputs[1].largest(last))
			},
			emit: emitAll(op.name),
		})
	}
	declare(Kind{
		Name: "fnv", Help: "YCSB's hash: FNV-1a over 8 little-endian bytes, as a signed number without its sign", Inputs: []string{"of"},
		length: commonLength, largest: func(*node, uint64) uint64 { return 1 << 63 }, emit: emitAll("fnv"),
	})
}

func emitAll(step string) func(c *compiler, n *node) {
	return func(c *compiler, n *node) {
		for _, in := range n.inputs {
			c.number(in)
		}
		c.Step(step)
	}
}

// commonLength is the length of streams that are read side by side.
func commonLength(n *node) (uint64, error) {
	length := uint64(Endless)
	for _, in := range n.inputs {
		if length != Endless && in.length != Endless && in.length != length {
			return 0, fmt.Errorf("streams of %d and %d numbers do not fit together; hint: take the same number of both", length, in.length)
		}
		length = min(length, in.length)
	}
	return length, nil
}

func addBounds(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	return lists.Either(carry != 0, all, sum)
}

func multiplyBounds(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return lists.Either(high != 0, all, low)
}

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
