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
