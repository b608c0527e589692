package stream

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/hashzoo/hashzoo/kernels"
)

// The generators mean the same as those of YCSB, except scrambled_zipfian: YCSB's is ycsb_zipfian here.

const all = math.MaxUint64

// maxRanks keeps ranks and the halves between them exact as doubles.
const maxRanks = 1 << 52

func belowN(n *node, _ uint64) uint64 { return n.whole("n") - 1 }
func lengthOf(param string) func(*node) (uint64, error) {
	return func(n *node) (uint64, error) { return n.whole(param), nil }
}

var (
	anyN  = wholeParam("n", 1, all, "how many different numbers exist")
	ranks = wholeParam("n", 1, maxRanks, "how many different numbers exist")
	theta = realParam("theta", 0, 2, "0 is uniform, 0.99 is YCSB's").or(0.99)
)

func init() {
	declare(Kind{
		Name: "constant", Help: "one number at every index",
		Params:  []Param{wholeParam("value", 0, all, "any number")},
		largest: func(n *node, _ uint64) uint64 { return n.whole("value") },
		emit:    func(c *compiler, n *node) { c.Step("constant", n.whole("value")) },
	}, Kind{
		Name: "sequential", Help: "0, 1, 2, 3 ...",
		largest: func(_ *node, last uint64) uint64 { return last },
		emit:    func(c *compiler, _ *node) { c.Step("get", c.index) },
	}, Kind{
		Name: "affine", Help: "a i + b",
		Params: []Param{wholeParam("a", 0, all, "any number"), wholeParam("b", 0, all, "any number").or(uint64(0))},
		largest: func(n *node, last uint64) uint64 {
			return addBounds(multiplyBounds(n.whole("a"), last), n.whole("b"))
		},
		emit: func(c *compiler, n *node) {
			c.Step("get", c.index)
			c.with("mul", n.whole("a"))
			c.with("add", n.whole("b"))
		},
	}, Kind{
		Name: "unique", Help: "the numbers below n in random order, each once",
		Params: []Param{anyN, seed}, length: lengthOf("n"), largest: belowN,
		emit: func(c *compiler, n *node) { c.step("permute", seedOf(n, ""), n.whole("n")) },
	}, Kind{
		Name: "random", Help: "random 64-bit numbers",
		Params: []Param{seed}, largest: func(*node, uint64) uint64 { return all },
		emit: func(c *compiler, n *node) { c.step("random", seedOf(n, "")) },
	}, Kind{
		Name: "uniform", Help: "uniform random numbers below n",
		Params: []Param{anyN, seed}, largest: belowN,
		emit: func(c *compiler, n *node) { c.step("uniform", seedOf(n, ""), n.whole("n")) },
	}, Kind{
		Name: "zipfian", Help: "random numbers below n; number k has probability proportional to (k+1)^-theta",
		Params: []Param{ranks, theta, seed}, largest: belowN, emit: emitZipfian,
	}, Kind{
		Name: "scrambled_zipfian", Help: "zipfian with the frequent numbers scattered below n",
		Params: []Param{ranks, theta, seed}, largest: belowN,
		emit: func(c *compiler, n *node) {
			emitZipfian(c, n)
			c.Step("permute", seedOf(n, " scramble"), n.whole("n"))
		},
	}, Kind{
		Name: "ycsb_zipfian", Help: "YCSB's zipfian: ranks below 10^10 with theta 0.99, each hashed to a number below n",
		Params: []Param{wholeParam("n", 1, 1<<63-1, "how many different numbers exist"), seed},
		// Less skewed than scrambled_zipfian, as ranks share numbers: for any n, the top rank has 3.8 percent.
		expand: func(n *node) Stream {
			return Zipfian(ycsbRanks, 0.99, n.whole("seed")).on("fnv", nil).Mod(Const(n.whole("n")))
		},
	}, Kind{
		Name: "hotspot", Help: "random numbers below n; a share of them is below n * hot",
		Params: []Param{anyN, realParam("hot", 0, 1, "the hot fraction of the range, such as 0.2").or(0.2),
			realParam("share", 0, 1, "the fraction of numbers that are hot, such as 0.8").or(0.8), seed},
		largest: belowN,
		// It selects a uniform number of the hot part, which is not empty, or the cold one.
		emit: func(c *compiler, n *node) {
			count, hot := n.whole("n"), n.whole("n")
			if x := math.Round(float64(count) * n.real("hot")); x < float64(count) { // otherwise doubles are too coarse
				hot = max(1, uint64(x))
			}
			c.step("uniform", seedOf(n, " hot"), hot)
			if hot == count {
				return
			}
			c.step("uniform", seedOf(n, " cold"), count-hot)
			c.with("add", hot)
			c.step("chance", seedOf(n, ""), inParts(n.real("share"), 63))
			c.Step("select")
		},
	}, Kind{
		Name: "latest", Help: "zipfian over n, counted back from the newest number, which is n-1 at first and grows by growth per index",
		Params: []Param{ranks, theta,
			realParam("growth", 0, 1<<20, "new numbers per index: inserts / operations, such as 0.05").or(0.0), seed},
		largest: func(n *node, last uint64) uint64 {
			steps, rest := math.Modf(n.real("growth"))
			part, _ := bits.Mul64(last, inParts(rest, 64))
			return addBounds(n.whole("n")-1, addBounds(multiplyBounds(uint64(steps), last), part))
		},
		// It subtracts a zipfian rank from newest(i) = n-1 + floor(i * growth), and multiplies by the whole and the
		// fractional part of growth separately.
		emit: func(c *compiler, n *node) {
			c.Step("constant", n.whole("n")-1)
			steps, rest := math.Modf(n.real("growth"))
			if steps > 0 {
				c.Step("get", c.index)
				c.with("mul", uint64(steps))
				c.Step("add")
			}
			if rest > 0 {
				c.step("scale", inParts(rest, 64))
				c.Step("add")
			}
			emitZipfian(c, n)
			c.Step("sub")
		},
	}, Kind{
		Name: "normal", Help: "normally distributed numbers, rounded and clamped to low and high",
		Params: []Param{realParam("mean", -1e300, 1e300, "the mean"), realParam("stddev", 0, 1e300, "the standard deviation"),
			wholeParam("low", 0, all, "the smallest number").or(uint64(0)), wholeParam("high", 0, all, "the largest number").or(uint64(all)), seed},
		length: func(n *node) (uint64, error) {
			if low, high := n.whole("low"), n.whole("high"); low > high {
				return 0, fmt.Errorf("low is %d, allowed are numbers up to high, which is %d", low, high)
			}
			return Endless, nil
		},
		largest: func(n *node, _ uint64) uint64 { return n.whole("high") },
		emit: func(c *compiler, n *node) {
			mean, stddev := math.Float64bits(n.real("mean")), math.Float64bits(n.real("stddev"))
			c.step("normal", seedOf(n, ""), mean, stddev, n.whole("low"), n.whole("high"))
		},
	})
}

// ycsbRanks is ITEM_COUNT of YCSB's ScrambledZipfianGenerator.
const ycsbRanks = 10_000_000_000

func emitZipfian(c *compiler, n *node) {
	c.step("zipfian", kernels.ZipfianConstants(seedOf(n, ""), n.whole("n"), n.real("theta"))...)
}

// inParts returns x in units of 2^-bits, truncated.
func inParts(x float64, bits int) uint64 { return uint64(math.Ldexp(x, bits)) }

// Streams of the kinds with these names, as Kinds explains them.

func Const(value uint64) Stream     { return New("constant", nil, Params{"value": value}) }
func Sequential() Stream            { return New("sequential", nil, nil) }
func Unique(n, seed uint64) Stream  { return New("unique", nil, Params{"n": n, "seed": seed}) }
func Random(seed uint64) Stream     { return New("random", nil, Params{"seed": seed}) }
func Uniform(n, seed uint64) Stream { return New("uniform", nil, Params{"n": n, "seed": seed}) }
func Keys(width int, seed uint64) Stream {
	return New("keys", nil, Params{"width": width, "seed": seed})
}
func Zipfian(n uint64, theta float64, seed uint64) Stream {
	return New("zipfian", nil, Params{"n": n, "theta": theta, "seed": seed})
}

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

// absent returns keys below limit that a stream does not contain, at least want different ones if possible,
// from the first source that provides enough.
func absent(n *node, limit, want, seed uint64) (best pool, _ error) {
	const mostDoubt = 1e-9 // too small to affect a measurement: fewer than one key in a billion is present
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
	from := n.arrays()
	if len(from) != 1 || from[0].largest >= limit {
		return pool{}
	}
	keys := from[0].absent(limit)
	if keys.Len() == 0 {
		return pool{}
	}
	return pool{keys: keys.At(Uniform(keys.Len(), seed)), size: keys.Len()}
}

// absent returns keys below limit that are not in the array, about as many as the array
// has numbers. It remembers them, because scripts ask for every batch.
func (a *array) absent(limit uint64) Stream {
	const mostCompared = 1 << 20 // keys
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
