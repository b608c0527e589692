package stream

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/workloads/rows"
)

// array is host memory that a program reads.
type array struct {
	numbers []uint64
	name    string // the same for equal numbers only
	label   string // where they come from, for messages
	largest uint64
	others  sync.Map     // from a limit to the Stream of absent keys below it
	fields  []rows.Field // the columns of a file that they are of; nil if they are of none
}

func newArray(label string, numbers []uint64) *array {
	h := xxh3.New()
	var block []byte
	for part := range slices.Chunk(numbers, 1024) {
		block, _ = binary.Append(block[:0], binary.LittleEndian, part)
		h.Write(block)
	}
	a := &array{numbers: numbers, label: label, name: fmt.Sprintf("data(%x, %d)", h.Sum128().Bytes(), len(numbers))}
	if len(numbers) > 0 {
		a.largest = slices.Max(numbers)
	}
	return a
}

// dataKind is not one of Kinds: no text and no parameters make it.
var dataKind = &Kind{
	Name: "data", Help: "numbers in host memory",
	largest: func(n *node, _ uint64) uint64 { return n.array.largest },
	emit:    func(c *compiler, n *node) { c.step("load", c.array(n.array), n.length) },
}

// Data is a stream of existing numbers, which must not change any more. They are copied to the device before
// a program reads them. The label tells in messages where they come from.
func Data(label string, numbers []uint64) Stream {
	return Stream{node: &node{kind: dataKind, array: newArray(label, numbers), length: uint64(len(numbers)), parts: 1}}
}

// OfFields is Data that was read from columns of a file, or is a part of such numbers.
func OfFields(label string, numbers []uint64, fields []rows.Field) Stream {
	s := Data(label, numbers)
	s.node.array.fields = fields
	return s
}

// Fields returns the columns of files that all numbers of the stream are of; nil if some are not, or of others.
func (s Stream) Fields() []rows.Field {
	if s.Err() != nil {
		return nil
	}
	return s.node.fields()
}

func (n *node) fields() (common []rows.Field) {
	for i, a := range n.arrays() {
		if common = rows.Common(common, a.fields); i == 0 {
			common = a.fields
		}
	}
	return common
}

// arrays are those that all numbers of a stream come from; nil if some come from elsewhere.
func (n *node) arrays() []*array {
	switch {
	case n.kind == dataKind:
		return []*array{n.array}
	case n.is("take"), n.is("skip"), n.is("shuffle"), n.is("at"):
		return n.inputs[0].arrays()
	case n.is("concat"), n.is("choose"):
		if a, b := n.inputs[0].arrays(), n.inputs[1].arrays(); a != nil && b != nil {
			return lists.Add(a, b...)
		}
	}
	return nil
}

// Source is a Data stream inside an expression.
type Source struct {
	Label string // as given to Data
	Text  string // as in the expression; equal for equal numbers
	Len   uint64
}

// Sources lists the different Data streams in an expression.
func (s Stream) Sources() (list []Source) {
	if s.Err() != nil {
		return nil
	}
	s.node.each(func(n *node) {
		same := func(other Source) bool { return other.Text == n.array.name }
		if n.kind == dataKind && !slices.ContainsFunc(list, same) {
			list = append(list, Source{n.array.label, n.array.name, n.length})
		}
	})
	return list
}

// Different returns how many different numbers the stream has, which must consist of Data alone.
func (s Stream) Different() (uint64, error) {
	seen := map[uint64]bool{}
	err := s.numbers(func(x uint64) { seen[x] = true })
	return uint64(len(seen)), err
}

// Once is the different numbers of a stream of Data alone, each where it comes first.
func (s Stream) Once() Stream {
	seen := map[uint64]bool{}
	var list []uint64
	err := s.numbers(func(x uint64) {
		if !seen[x] {
			seen[x], list = true, append(list, x)
		}
	})
	if err != nil {
		return Stream{err: err}
	}
	return OfFields("once", list, s.Fields())
}

// numbers calls do with all numbers, which must be those of Data.
func (s Stream) numbers(do func(uint64)) error {
	if err := s.Err(); err != nil {
		return err
	}
	return s.node.numbers(do)
}

func (n *node) numbers(do func(uint64)) error {
	switch {
	case n.kind == dataKind:
		for _, x := range n.array.numbers {
			do(x)
		}
		return nil
	case n.is("concat"):
		return cmp.Or(n.inputs[0].numbers(do), n.inputs[1].numbers(do))
	}
	return fmt.Errorf("%s is generated on the device; only the numbers of files, of gen.from and of answers are known before", n.kind.Name)
}

func (n *node) each(f func(*node)) {
	f(n)
	for _, in := range n.inputs {
		in.each(f)
	}
}

// Keys with the frequency distribution of a data set.
//
// The keys form layers: layer 1 contains every key once, layer 2 those that occur at least
// twice, and so on. A layer contains the first keys of the one below, so an index in a layer
// is the number of a key. Layers of equal size form a run. The program needs only a table of
// the starts and layer sizes of the runs, which is small because few sizes occur.

// maxLayers bounds the time to compute the layer sizes to about 0.1 s.
const maxLayers = 1 << 20

var pairsParams = []Param{
	wholeParam("pairs", 1, maxRanks, "how many pairs"),
	wholeParam("unique", 1, maxRanks, "how many different keys"),
	wholeParam("max_duplicates", 1, maxLayers, "how often the most frequent key occurs"),
	realParam("skew", 0, 100, "how fast the frequencies of the other keys fall: 0 is as even as possible, 1 is Zipf's law").or(1.0),
}

func init() {
	declare(Kind{
		Name: "duplicates", Help: "the numbers below unique in random order, each one to max_duplicates times; 0 is the most frequent",
		Params:  append(slices.Clone(pairsParams), seed),
		length:  lengthOf("pairs"),
		largest: func(n *node, _ uint64) uint64 { return n.whole("unique") - 1 },
		simplify: func(n *node) (*node, error) {
			if err := possible(n); err != nil {
				return nil, fmt.Errorf("duplicates: %w", err)
			}
			n.table = sync.OnceValue(func() *array { return newArray("duplicates", runs(n)) })
			return n, nil
		},
		// It computes (i - start of r) modulo r's layer size: i is the permuted index, in run r.
		emit: func(c *compiler, n *node) {
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
		},
	}, Kind{
		Name: "pairs", Help: "keys with the statistics of a data set: pairs, different keys, and pairs of the most frequent key",
		Params: append(slices.Clone(pairsParams), widthParam, seed),
		expand: func(n *node) Stream {
			keys, err := keysOf(n)
			unique := n.whole("unique")
			switch {
			case err != nil:
				return Stream{err: err}
			case unique > keys:
				return wrong("unique is %d, only %d keys of %d bytes exist", unique, keys, n.whole("width"))
			}
			if err := possible(n); err != nil {
				return Stream{err: err}
			}
			numbers := New("duplicates", nil, Params{"pairs": n.whole("pairs"), "unique": unique,
				"max_duplicates": n.whole("max_duplicates"), "skew": n.real("skew"), "seed": n.whole("seed")})
			return Unique(keys, n.whole("seed")).Take(unique).At(numbers)
		},
	})
}

func possible(n *node) error {
	switch pairs, unique, most := n.whole("pairs"), n.whole("unique"), n.whole("max_duplicates"); {
	case unique > pairs:
		return fmt.Errorf("unique is %d, allowed are at most as many as pairs, %d", unique, pairs)
	case most > pairs-unique+1:
		return fmt.Errorf("max_duplicates is %d, allowed are at most %d: more than that of %d pairs cannot belong to one of %d keys",
			most, pairs-unique+1, pairs, unique)
	case pairs > multiplyBounds(unique, most):
		return fmt.Errorf("pairs is %d, allowed are at most %d: %d different keys with max_duplicates=%d each",
			pairs, multiplyBounds(unique, most), unique, most)
	}
	return nil
}

// runs lists the starts of the runs, then the sizes of their layers. The first one has every key.
func runs(n *node) []uint64 {
	unique := n.whole("unique")
	starts, sizes, start := []uint64{0}, []uint64{unique}, unique
	for _, size := range extraLayers(n.whole("pairs")-unique, unique, int(n.whole("max_duplicates")-1), n.real("skew")) {
		if sizes[len(sizes)-1] != size {
			starts, sizes = append(starts, start), append(sizes, size)
		}
		start += size
	}
	return append(starts, sizes...)
}

// extraLayers distributes the extra pairs over the layers after the first. No layer is empty or larger than the one
// before. If key k has extra pairs in proportion to k^-skew, the number of keys with at least e of them is
// proportional to e^(-1/skew); the factor is the largest that fits. With skew 0, all but the most frequent key have
// equally many pairs, give or take one.
func extraLayers(extra, unique uint64, count int, skew float64) []uint64 {
	sizes := make([]uint64, count)
	if skew > 0 {
		// Below the largest number, since a subnormal skew has an infinite inverse.
		shape := kernels.Powers(count, max(-1/skew, -math.MaxFloat64))
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
	for extra > 0 { // what rounding left over goes to layers with room, one each, so that sizes still fall
		for e := range sizes {
			if extra > 0 && sizes[e] < unique {
				sizes[e]++
				extra--
			}
		}
	}
	return sizes
}

// sumSizes computes the sizes for a factor and their sum. It stops above the limit.
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
