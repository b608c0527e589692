package stream

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

var _ engine.Generated = Stream{}

// someNumbers returns n numbers that no generator makes.
func someNumbers(n int, seed uint64) []uint64 {
	r := rand.New(rand.NewPCG(seed, 1))
	list := make([]uint64, n)
	for i := range list {
		list[i] = r.Uint64()
	}
	return list
}

func TestDataIsItsNumbers(t *testing.T) {
	for _, n := range []int{0, 1, 31, 32, 33, 1000, 5000} {
		numbers := someNumbers(n, 1)
		s := Data("a test", numbers)
		must.Match(t, firstOf(t, s, uint64(n)), numbers, n)
		must.Hold(t, s.Len() == uint64(n) && (n == 0 || s.Largest() == slices.Max(numbers)), "%d numbers: length %d, largest %d", n, s.Len(), s.Largest())
	}
}

// Slices of an expression are the same numbers, whether its leaf is data or generated.
func TestAnyCutGivesTheSameNumbers(t *testing.T) {
	const n = 3000
	numbers := someNumbers(n, 2)
	data, made := Data("a test", numbers), Unique(n, 3)
	for _, s := range []Stream{
		data, made, data.Add(made), data.Shuffle(4), made.Shuffle(4), data.Concat(made), made.Concat(data),
		data.At(Zipfian(n, 0.99, 5)), data.At(made), made.At(data.Mod(Const(n))), Choose(0.3, 6, data, made),
		data.Slice(100, 50).Concat(data.Skip(77)).Cycle(), data.Add(data).Mul(made).Xor(data.Shuffle(7)),
		Hits{Of: data, Ratio: 0.5, Width: 8, Seed: 8}.Stream(), Hits{Of: made, Ratio: 0.5, Width: 8, Seed: 8}.Stream(),
		Pairs{Pairs: 5000, Unique: 3000, MaxDuplicates: 9, Skew: 1, Width: 8, Seed: 9}.Stream(),
	} {
		p, length := programOf(t, s), min(s.Len(), 2*n)
		whole := numbersAt(t, p, 0, length)
		for _, size := range []uint64{1, 31, 32, 33, 500} {
			for first := uint64(0); first+size <= length; first += 7*size + 1 {
				if have := numbersAt(t, p, first, size); !slices.Equal(have, whole[first:first+size]) {
					t.Fatalf("%s: %d numbers from %d on are others", s, size, first)
				}
			}
		}
	}
}

func TestDataText(t *testing.T) {
	numbers := someNumbers(2000, 1)
	a, b := Data("one file", numbers), Data("another file", slices.Clone(numbers))
	must.Match(t, a.String(), b.String(), a, b)
	// Results contain the text, so the hash must stay XXH3-128.
	must.Match(t, Data("", []uint64{1, 2, 3}).String(), "data(d0d66ae2837a0117026f21f9c50dcf1f, 3)")
	for _, other := range [][]uint64{numbers[1:], numbers[:1999], append(slices.Clone(numbers), 0), nil} {
		must.Hold(t, Data("one file", other).String() != a.String(), "different numbers with the same text")
	}
	for _, s := range []Stream{a, a.Add(Const(1)), a.Take(2)} {
		const want = "the numbers of data are not part of the expression; hint: read them again from their source"
		must.Equal(t, must.Err(read(written(t, s))), want, s)
	}
	must.Say(t, New("data", nil, nil).Err(), "not part of the expression")
}

func TestDataErrors(t *testing.T) {
	five := Data("keys.csv, column id", someNumbers(5, 1))
	must.Equal(t, five.Take(6).Check(), "take: count is 6, the stream has 5 numbers")
	placed := 0
	_, err := five.Add(five).Mul(five).ProgramWith(func(string, []uint64) (uint64, error) {
		placed++
		return 8, nil
	})
	must.Hold(t, err == nil && placed == 1, "%v: numbers that are read three times were placed %d times", err, placed)
	_, err = five.Program()
	want := ": 5 numbers of keys.csv, column id: they must be copied to a device first"
	must.Hold(t, err != nil && strings.HasSuffix(err.Error(), want), "a program without its numbers: %v", err)
	must.OK(t, five.Check())
}

func TestSources(t *testing.T) {
	a, b := Data("a", someNumbers(5, 1)), Data("b", someNumbers(5, 2))
	again := Data("a again", someNumbers(5, 1))
	have := a.Add(b).Mul(a).Xor(again).Sources()
	must.Match(t, have, []Source{{"a", a.String(), 5}, {"b", b.String(), 5}})
	must.Match(t, len(Unique(5, 1).Sources())+len(Stream{}.Sources()), 0, "sources without data")
}

// Every device reads the same numbers from data, and data that two streams of a batch share is copied once.
func TestEveryDeviceReadsData(t *testing.T) {
	const n = 50_000
	numbers := make([]uint64, n)
	for i := range numbers {
		numbers[i] = uint64(i)*0x9e3779b97f4a7c15 + 1
	}
	data := Data("a test", numbers)
	keys := data.Shuffle(3).Concat(Pairs{Pairs: 900, Unique: 600, MaxDuplicates: 7, Skew: 1, Width: 8, Seed: 5}.Stream())
	want := slices.Clone(firstOf(t, keys, keys.Len()))
	values := data.Concat(data.Take(900)).Fnv()
	list := engine.Batch{Op: "insert", Keys: engine.List(want), Values: engine.List(firstOf(t, values, keys.Len()))}
	eachDevice(t, func(t *testing.T, dev device.Device) {
		for _, pair := range []schemes.Pair{schemes.Pair4, schemes.Pair8} {
			in := must.Get(engine.Load(dev, pair, engine.Batch{Op: "insert", Keys: keys, Values: values}))(t)
			plain := must.Get(engine.Load(dev, pair, list))(t)
			must.Match(t, in.Digest, plain.Digest, pair)
		}
	})
}

func TestDifferent(t *testing.T) {
	a, b := Data("a", []uint64{0, 1<<64 - 1, 5, 0, 1<<64 - 1}), Data("b", []uint64{6, 5, 6})
	n, err := a.Concat(b).Different()
	must.Hold(t, n == 4 && err == nil && must.Err(Unique(5, 1).Different()) != nil, "%d different numbers, %v", n, err)
}

// Expressions are read from JSON, and written for people.
func TestExpressionsAsJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"kind":"sequential"}`:                                                                                                                 "sequential()",
		`{"kind":"constant","args":{"value":5}}`:                                                                                                "5",
		`{"kind":"unique","args":{"seed":16,"n":100}}`:                                                                                          "unique(n=100, seed=16)",
		`{"kind":"add","of":[{"kind":"sequential"},{"kind":"constant","args":{"value":1}}]}`:                                                    "add(sequential(), 1)",
		`{"kind":"zipfian","args":{"n":1e6,"seed":1}}`:                                                                                          "zipfian(n=1000000, theta=0.99, seed=1)",
		`{"kind":"zipfian","args":{"n":9,"theta":1,"seed":1}}`:                                                                                  "zipfian(n=9, theta=1, seed=1)",
		`{"kind":"normal","args":{"mean":-1.5e3,"stddev":2,"seed":1}}`:                                                                          "normal(mean=-1500, stddev=2, low=0, high=18446744073709551615, seed=1)",
		`{"kind":"take","of":[{"kind":"skip","of":[{"kind":"affine","args":{"a":3}}],"args":{"count":2}}],"args":{"count":5}}`:                  "take(skip(affine(a=3, b=0), count=2), count=5)",
		`{"kind":"skip","of":[{"kind":"take","of":[{"kind":"sequential"}],"args":{"count":9}}],"args":{"count":4}}`:                             "take(skip(sequential(), count=4), count=5)",
		`{"kind":"choose","of":[{"kind":"constant","args":{"value":0}},{"kind":"constant","args":{"value":1}}],"args":{"p":0.5,"seed":3}}`:      "choose(0, 1, p=0.5, seed=3)",
		`{"kind":"xor","of":[{"kind":"constant","args":{"value":18446744073709551615}},{"kind":"constant","args":{"value":9007199254740993}}]}`: "xor(18446744073709551615, 9007199254740993)",
	} {
		s, err := read(text)
		must.Hold(t, err == nil && s.String() == want, "%s became %v, %v, want %s", text, s, err, want)
	}
}

func TestExpressionErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: `unknown stream ""`,
		`{"kind":"unique","args":{"n":5,"seed":1e999}}`:                               `unique: seed is "1e999", which is no number that fits 64 bits`,
		`{"kind":"unique","args":{"n":99999999999999999999,"seed":1}}`:                "unique: n is 1e+20, allowed are",
		`{"kind":"add","of":[{"kind":"sequential"},{"kind":"uniqe","args":{"n":5}}]}`: `unknown stream "uniqe": did you mean unique?`,
		`{"kind":"add","of":[{"kind":"sequential"}]}`:                                 "add: given 1 streams, it takes 2",
		`{"kind":"constant","args":{"value":-5}}`:                                     "constant: value is -5, allowed are whole numbers from 0 to 18446744073709551615; hint: any number",
		`{"kind":"data","label":"data(d0d66ae2837a0117026f21f9c50dcf1f, 3)"}`:         "the numbers of data are not part of the expression",
	} {
		_, err := read(text)
		must.Hold(t, err != nil && len(err.Error()) >= len(want) && err.Error()[:len(want)] == want, "%s:\nhave %v\nwant %s", text, err, want)
	}
}

// An expression that was read can be written and reads back as the same one, and its
// program is made or refused without a panic.
func FuzzExpression(f *testing.F) {
	for _, g := range golden {
		f.Add(g.json)
	}
	f.Add(`{"kind":"skip","of":[{"kind":"take","of":[{"kind":"constant","args":{"value":5}}],"args":{"count":18446744073709551615}}],"args":{"count":18446744073709551615}}`)
	f.Add(`{"kind":"normal","args":{"mean":-1e300,"stddev":1e300,"seed":16}}`)
	f.Add(`{"kind":"add","of":[{"kind":"constant","args":{"value":-0}},{"kind":"constant","args":{"value":1e400}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := read(text)
		if err != nil {
			return
		}
		again, err := read(written(t, s))
		must.Need(t, err == nil, "%s: %v", s, err)
		must.Need(t, again.String() == s.String() && again.Len() == s.Len() && again.Largest() == s.Largest(), "%s became %s", s, again)
		p, err := s.Program()
		if err != nil || s.Len() == 0 {
			return
		}
		for _, x := range numbersAt(t, p, 0, min(s.Len(), 33)) {
			must.Need(t, x <= s.Largest(), "%s: %d is above the bound %d", s, x, s.Largest())
		}
	})
}
