package stream

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/workloads/rows"
)

var _ engine.Stream = Stream{}

// tb is the common interface of testing.TB and rapid.T.
type tb interface {
	must.Test
	Cleanup(func())
	Fatalf(string, ...any)
}

// numbersAt runs a program for n indices from first on.
func numbersAt(t tb, p kernels.Program, first, n uint64) []uint64 {
	t.Helper()
	out := make([]uint64, n)
	if n == 0 {
		return out
	}
	generate, ok := kernels.FindHost("hz_generate")
	must.Need(t, ok, "kernel hz_generate is missing")
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&out[0])
	block := &kernels.Fill{Out: uint64(uintptr(unsafe.Pointer(&out[0]))), First: first, Width: 8}
	pin.Pin(block)
	pin.Pin(&p)
	generate.Run(uintptr(unsafe.Pointer(&p)), uintptr(unsafe.Pointer(block)), 0, n)
	return out
}

// programOf returns the program of a stream. Its data stays in place until the test ends.
func programOf(t tb, s Stream) kernels.Program {
	t.Helper()
	var pin runtime.Pinner
	t.Cleanup(pin.Unpin)
	p, err := s.ProgramWith(func(_ string, numbers []uint64) (uint64, error) {
		if len(numbers) == 0 {
			return 0, nil
		}
		pin.Pin(&numbers[0])
		return uint64(uintptr(unsafe.Pointer(&numbers[0]))), nil
	})
	must.OK(t, err)
	return p
}

// firstOf returns the first n numbers of a stream.
func firstOf(t tb, s Stream, n uint64) []uint64 {
	t.Helper()
	return numbersAt(t, programOf(t, s), 0, n)
}

// oneStep returns the result of a step for an index. kernels/gen_test.go checks the steps
// against independent implementations.
func oneStep(t tb, index uint64, name string, constants ...uint64) uint64 {
	t.Helper()
	a := kernels.NewAssembler()
	a.Step(name, constants...)
	return numbersAt(t, must.Get(a.Program())(t), index, 1)[0]
}

// reference returns number i of an expression by the definitions of its parts, each evaluated only where it is needed.
func reference(t tb, n *node, i uint64) uint64 {
	in := func(k int, i uint64) uint64 { return reference(t, n.inputs[k], i) }
	switch name := n.kind.Name; name {
	case "constant":
		return n.whole("value")
	case "sequential":
		return i
	case "affine":
		return n.whole("a")*i + n.whole("b")
	case "unique":
		return oneStep(t, i, "permute", seedOf(n, ""), n.whole("n"))
	case "random":
		return oneStep(t, i, "random", seedOf(n, ""))
	case "uniform":
		return oneStep(t, i, "uniform", seedOf(n, ""), n.whole("n"))
	case "data":
		return n.array.numbers[i]
	case "fnv":
		return oneStep(t, in(0, i), "fnv")
	case "take":
		return in(0, i)
	case "skip":
		return in(0, i+n.whole("count"))
	case "concat":
		if length := n.inputs[0].length; i >= length {
			return in(1, i-length)
		}
		return in(0, i)
	case "shuffle":
		return in(0, oneStep(t, i, "permute", seedOf(n, ""), n.length))
	case "at":
		return in(0, in(1, i))
	case "choose":
		if oneStep(t, i, "random", seedOf(n, ""))>>1 < uint64(n.real("p")*(1<<63)) {
			return in(0, i)
		}
		return in(1, i)
	case "add":
		return in(0, i) + in(1, i)
	case "sub":
		return in(0, i) - in(1, i)
	case "mul":
		return in(0, i) * in(1, i)
	case "xor":
		return in(0, i) ^ in(1, i)
	case "div", "mod":
		a, b := in(0, i), in(1, i)
		if b == 0 {
			return 0
		}
		if name == "div" {
			return a / b
		}
		return a % b
	default:
		t.Fatalf("the reference does not know %s", name)
		return 0
	}
}

// expression draws a stream; if the parts do not fit together, one of the parts.
func expression(t *rapid.T, depth int) Stream {
	number := func(name string) uint64 {
		return rapid.OneOf(rapid.Uint64Range(0, 40), rapid.Uint64()).Draw(t, name)
	}
	leaf := func() Stream {
		switch rapid.IntRange(0, 7).Draw(t, "leaf") {
		case 7:
			return Data("a test", rapid.SliceOfN(rapid.Uint64(), 0, 40).Draw(t, "data"))
		case 0:
			return Const(number("value"))
		case 1:
			return Affine(number("a"), number("b"))
		case 2:
			return Unique(max(1, number("n")), number("seed"))
		case 3:
			return Random(number("seed"))
		case 4:
			return Uniform(max(1, number("n")), number("seed"))
		case 5:
			return Sequential().Take(number("count"))
		default:
			return Sequential()
		}
	}
	if depth == 0 {
		return leaf()
	}
	a := expression(t, depth-1)
	b := func() Stream { return expression(t, rapid.IntRange(0, depth-1).Draw(t, "depth")) }
	var s Stream
	switch rapid.IntRange(0, 16).Draw(t, "kind") {
	case 13:
		s = a.Fnv()
	case 14:
		s = a.Cycle()
	case 15:
		s = a.Slice(number("from"), number("count"))
	case 16:
		s = a.Sample(number("count"), number("seed"))
	case 0:
		s = a.Take(number("count"))
	case 1:
		s = a.Skip(number("count"))
	case 2:
		s = a.Concat(b())
	case 3:
		s = a.Shuffle(number("seed"))
	case 4:
		s = a.At(b())
	case 5:
		s = Choose(rapid.Float64Range(0, 1).Draw(t, "p"), number("seed"), a, b())
	case 6:
		s = a.Add(b())
	case 7:
		s = a.Sub(b())
	case 8:
		s = a.Mul(b())
	case 9:
		s = a.Div(b())
	case 10:
		s = a.Mod(b())
	case 11:
		s = a.Xor(b())
	default:
		s = leaf()
	}
	if s.Err() != nil {
		return a
	}
	return s
}

func TestExpressions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := expression(t, rapid.IntRange(0, 5).Draw(t, "depth"))
		p := programOf(t, s)
		readsBack(t, s)
		if s.Len() == 0 {
			return
		}
		first := rapid.Uint64Range(0, s.Len()-1).Draw(t, "first")
		for k, x := range numbersAt(t, p, first, min(40, s.Len()-first)) {
			want := reference(t, s.node, first+uint64(k))
			must.Need(t, x == want, "%s: number %d is %d, want %d", s, first+uint64(k), x, want)
			must.Need(t, x <= s.Largest(), "%s: number %d is %d, above the bound %d", s, first+uint64(k), x, s.Largest())
		}
	})
}

// readsBack checks that the text of a stream parses to the same stream, or is refused because the stream contains data.
func readsBack(t tb, s Stream) {
	t.Helper()
	again, err := read(written(t, s))
	if len(s.Sources()) > 0 {
		must.Say(t, err, "the numbers of data are not part of the expression", s)
		return
	}
	must.Need(t, err == nil, "%s: %v", s, err)
	p, _ := s.Program()
	twice, _ := again.Program()
	must.Need(t, again.String() == s.String() && again.Len() == s.Len() && twice == p, "%s became %s of %d numbers", s, again, again.Len())
}

// Every kind is covered by the reference or by generate_test.go.
func TestEveryKindHasATest(t *testing.T) {
	elsewhere := []string{"zipfian", "scrambled_zipfian", "ycsb_zipfian", "hotspot", "latest", "normal", "duplicates", "pairs"}
	for _, k := range Kinds() {
		must.Hold(t, k.Help != "", "%s has no help", k.Name)
		if slices.Contains(elsewhere, k.Name) {
			continue
		}
		inputs := slices.Repeat([]Stream{Sequential().Take(9)}, len(k.Inputs))
		params := Params{}
		for _, p := range k.Params {
			params[p.Name] = 1
			if p.Name == "width" {
				params[p.Name] = 4
			}
		}
		s := New(k.Name, inputs, params)
		must.Need(t, s.Err() == nil, "%v", s.Err())
		reference(t, s.node, 0) // fails if it does not know the kind
	}
}

func TestCuttingStaysSmall(t *testing.T) {
	rest := Keys(4, 1)
	for range 1000 {
		rest = rest.Skip(1000)
	}
	must.Match(t, rest.Slice(5, 10).Skip(2).String(), "take(skip(unique(n=4294967294, seed=1), count=1000007), count=8)")
	must.Match(t, Keys(4, 1).Slice(10, 90).Slice(5, 50).Slice(1, 7).String(), "take(skip(unique(n=4294967294, seed=1), count=16), count=7)")
	must.Match(t, Sequential().Take(5).Take(5).Skip(0).String(), "take(sequential(), count=5)")
}

func TestLengths(t *testing.T) {
	five, seven := Sequential().Take(5), Sequential().Take(7)
	for _, c := range []struct {
		s    Stream
		want uint64
	}{
		{Sequential(), Endless}, {Unique(12, 1), 12}, {five.Concat(seven), 12}, {five.Concat(Sequential()), Endless},
		{five.Add(Sequential()), 5}, {Sequential().Skip(9), Endless}, {seven.Skip(7), 0}, {seven.Slice(2, 3), 3},
		{seven.Sample(3, 1), 3}, {seven.Cycle(), Endless}, {seven.Cycle().Take(50), 50}, {seven.Fnv(), 7}, {Data("", nil), 0}, {seven.At(Uniform(7, 1)), Endless}, {Sequential().At(five), 5},
		{Choose(0.5, 1, five, Random(1)), 5}, {seven.Skip(7).Shuffle(1), 0},
	} {
		must.Hold(t, c.s.Err() == nil && c.s.Len() == c.want, "%s: length %d, want %d", c.s, c.s.Len(), c.want)
	}
}

func TestErrors(t *testing.T) {
	five := Sequential().Take(5)
	deep, wide := Sequential(), Sequential()
	for range 40 {
		deep = Sequential().Take(9).Concat(deep)
		wide = wide.Add(wide)
	}
	for _, c := range []struct {
		s    Stream
		want string
	}{
		{Stream{}, "uninitialized stream: use the functions of package stream"},
		{Stream{}.Take(3), "uninitialized stream: use the functions of package stream"},
		{Unique(0, 1), "unique: n is 0, allowed are whole numbers from 1 to 18446744073709551615; hint: how many different numbers exist"},
		{Zipfian(10, 2.5, 1), "zipfian: theta is 2.5, allowed are numbers from 0 to 2; hint: 0 is uniform, 0.99 is YCSB's"},
		{Zipfian(10, math.NaN(), 1), "zipfian: theta is NaN, allowed are numbers from 0 to 2; hint: 0 is uniform, 0.99 is YCSB's"},
		{Zipfian(1<<53, 1, 1), "zipfian: n is 9007199254740992, allowed are whole numbers from 1 to 4503599627370496; hint: how many different numbers exist"},
		{Hotspot(10, -1, 0, 1), "hotspot: hot is -1, allowed are numbers from 0 to 1; hint: the hot fraction of the range, such as 0.2"},
		{Latest(10, 1, -0.5, 1), "latest: growth is -0.5, allowed are numbers from 0 to 1.048576e+06; hint: new numbers per index: inserts / operations, such as 0.05"},
		{Normal(5, 1, 9, 3, 1), "normal: low is 9, allowed are numbers up to high, which is 3"},
		{Normal(5, math.Inf(1), 0, 3, 1), "normal: stddev is +Inf, allowed are numbers from 0 to 1e+300; hint: the standard deviation"},
		{Choose(1.5, 1, five, five), "choose: p is 1.5, allowed are numbers from 0 to 1; hint: probability of the first stream"},
		{five.Take(6), "take: count is 6, the stream has 5 numbers"},
		{five.Skip(6), "skip: count is 6, the stream has 5 numbers"},
		{five.Take(6).Add(Const(1)).Shuffle(3), "take: count is 6, the stream has 5 numbers"},
		{five.Add(Unique(7, 1)), "add: streams of 5 and 7 numbers do not fit together; hint: take the same number of both"},
		{Sequential().Shuffle(1), "shuffle: a stream without an end cannot be shuffled; hint: take a number of it first"},
		{Sequential().Concat(five), "concat: the first stream has no end; hint: take a number of it"},
		{five.At(Uniform(6, 1)), "at: the index can be as large as 5, the stream has 5 numbers; hint: bring the index into range with mod"},
		{five.Slice(3, 3), "slice: from is 3 and count is 3, the stream has 5 numbers"},
		{five.Slice(6, 0), "slice: from is 6 and count is 0, the stream has 5 numbers"},
		{five.Slice(1, math.MaxUint64), "slice: from is 1 and count is 18446744073709551615, the stream has 5 numbers"},
		{five.Sample(6, 1), "sample: count is 6, the stream has 5 numbers"},
		{Sequential().Sample(6, 1), "sample: shuffle: a stream without an end cannot be shuffled; hint: take a number of it first"},
		{Sequential().Cycle(), "cycle: a stream without numbers or without an end cannot repeat; hint: take a number of it"},
		{five.Take(0).Cycle(), "cycle: a stream without numbers or without an end cannot repeat; hint: take a number of it"},
		{Keys(2, 1), "keys: width is 2, allowed are 4 and 8 bytes"},
		{Mix(1, []float64{1}, nil), "mix: given 1 weights and 0 streams; it takes equally many, at least one"},
		{Mix(1, []float64{0, 0}, []Stream{five, five}), "mix: weights are [0 0], allowed are numbers from 0 on that are not all 0"},
		{Mix(1, []float64{2, -1}, []Stream{five, five}), "mix: weights are [2 -1], allowed are numbers from 0 on that are not all 0"},
		{New("zipfan", nil, nil), `unknown stream "zipfan": did you mean zipfian?`},
		{New("unique", nil, Params{"n": 5}), "unique: seed is missing; hint: any number; the same seed gives the same stream"},
		{New("unique", nil, Params{"n": 5, "seed": 1, "sead": 2}), `unique: unknown parameter "sead": did you mean seed?`},
		{New("unique", nil, Params{"n": -5, "seed": 1}), "unique: n is -5, allowed are whole numbers from 1 to 18446744073709551615; hint: how many different numbers exist"},
		{New("unique", nil, Params{"n": 5.5, "seed": 1}), "unique: n is 5.5, allowed are whole numbers from 1 to 18446744073709551615; hint: how many different numbers exist"},
		{New("unique", nil, Params{"n": "x", "seed": 1}), "unique: n is x, allowed are whole numbers from 1 to 18446744073709551615; hint: how many different numbers exist"},
		{New("take", nil, Params{"count": 5}), "take: given 0 streams, it takes 1"},
		{deep, "stream concat(take(sequential(), count=9), concat(take(sequential()...: a program of 361 steps, at most 128 fit; hint: make the expression smaller"},
		{wide, "add: the expression has 1023 parts, at most 512; hint: use its parts in batches of their own"},
	} {
		must.Equal(t, must.Err(c.s.Program()), c.want)
	}
}

func TestAnErrorHasNoNumbers(t *testing.T) {
	s := Unique(0, 1).Take(5)
	must.Hold(t, s.Err() != nil && s.Len() == 0 && s.Largest() == 0 && strings.Contains(s.String(), "n is 0"), "%s: %d numbers up to %d", s, s.Len(), s.Largest())
}

// A long concatenation and a mix of many streams fit in a program.
func TestLongChainsFit(t *testing.T) {
	chain, parts := Sequential().Take(9), []Stream{}
	for range 12 {
		chain = chain.Concat(Sequential().Take(9))
		parts = append(parts, Sequential())
	}
	must.Get(chain.Program())(t)
	weights := slices.Repeat([]float64{1}, len(parts))
	must.Get(Mix(1, weights, parts).Program())(t)
}

// Streams that claim to be distinct are, and the streams that scripts insert are recognized.
func TestDistinct(t *testing.T) {
	keys := Keys(4, 3)
	const largest = 1<<32 - 1
	for text, s := range map[string]Stream{
		"a slice":           keys.Slice(10, 100),
		"a shuffled slice":  keys.Take(100).Shuffle(2),
		"two slices":        keys.Take(50).Concat(keys.Slice(50, 50)),
		"two of a shuffle":  keys.Take(50).Shuffle(1).Take(20).Concat(keys.Slice(60, 50)),
		"arithmetic":        Sequential().Take(100).Add(Const(1)),
		"times":             Unique(100, 1).Mul(Const(3)).Xor(Const(5)),
		"some of a shuffle": keys.At(Unique(100, 9)),
		"one":               Zipfian(10, 0.9, 1).Take(1),
	} {
		must.Hold(t, s.Distinct(largest), "%s: not known to be distinct", text)
	}
	for text, s := range map[string]Stream{
		"drawn":            keys.Take(50).At(Uniform(50, 1).Take(20)),
		"overlapping":      keys.Take(50).Concat(keys.Slice(49, 50)),
		"other shuffle":    keys.Take(50).Concat(Keys(4, 4).Slice(50, 50)),
		"of a shuffle":     keys.Take(100).Shuffle(1).Take(20).Concat(keys.Slice(60, 50)),
		"too large":        Unique(100, 1).Mul(Const(1 << 30)),
		"a bound too high": Keys(8, 1).Take(5),
		"nothing times":    Unique(100, 1).Mul(Const(0)),
		"divided":          Sequential().Take(10).Div(Const(2)),
		"endless":          Sequential(),
		"none":             {},
	} {
		must.Hold(t, !s.Distinct(largest), "%s: said to be distinct", text)
	}
}

// The answers of thousands of batches can be put together: their concatenation has one part, and the same numbers.
func TestManyPartsOfData(t *testing.T) {
	fields := []rows.Field{rows.Plain("id")}
	all, mirrored := OfFields("", nil, fields), OfFields("", nil, fields)
	var want []uint64
	for i := range uint64(2000) {
		part := OfFields("part", []uint64{i, 5}, fields)
		all, mirrored = all.Concat(part), part.Concat(mirrored)
		want = append(want, i, 5)
	}
	for _, s := range []Stream{all, mirrored} {
		must.OK(t, s.Check())
		must.Need(t, s.Len() == 4000 && s.node.parts <= mostJoined && s.Fields()[0].Name == "id", "%d numbers in %d parts", s.Len(), s.node.parts)
	}
	var have []uint64
	err := all.numbers(func(x uint64) { have = append(have, x) })
	must.Hold(t, err == nil && slices.Equal(have, want), "%v %v", err, have)
	part := Data("part", []uint64{5})
	endless := part.Concat(Sequential())
	for range 100 {
		endless = part.Concat(endless) // that of a generator stays an expression
	}
	must.Hold(t, endless.Err() == nil && !endless.Joined(), "%v", endless.Err())
	once := all.Once()
	n, err := once.Different()
	must.Hold(t, err == nil && n == 2000 && once.Len() == 2000, "%v: %d different numbers of %d", err, n, once.Len())
	must.Hold(t, Sequential().Take(5).Once().Err() != nil, "the numbers of a generator are not known")
}
