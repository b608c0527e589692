package kernels_test

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"sort"
	"sync"
	"testing"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// The reference implementations follow the published descriptions of the algorithms and share no code with gen.h.

// splitMix is SplitMix64 as published, with a running state.
type splitMix struct{ state uint64 }

func (s *splitMix) next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// randomAt returns output i of a SplitMix64 by jumping to it directly.
func randomAt(seed, i uint64) uint64 {
	s := splitMix{seed + i*0x9e3779b97f4a7c15}
	return s.next()
}

// program assembles steps, each given as a name and its constants.
func program(t testing.TB, steps ...[]any) *kernels.Program {
	t.Helper()
	a := kernels.NewAssembler()
	for _, s := range steps {
		var constants []uint64
		for _, c := range s[1:] {
			switch c := c.(type) {
			case int:
				constants = append(constants, uint64(c))
			case uint64:
				constants = append(constants, c)
			case []uint64:
				constants = append(constants, c...)
			}
		}
		a.Step(s[0].(string), constants...)
	}
	p := must.Get(a.Program())(t)
	return &p
}

func step(parts ...any) []any { return parts }

// run calls a host kernel on Go memory, which is pinned during the call.
func run(t testing.TB, kernel string, table, batch unsafe.Pointer, first, count uint64) {
	t.Helper()
	k, ok := kernels.FindHost(kernel)
	must.Need(t, ok, "no host kernel %s", kernel)
	k.Run(uintptr(table), uintptr(batch), first, count)
}

// fill writes numbers [first, first+count) of a batch that starts at index `start` of the
// stream to out, `width` bytes each.
func fill(t testing.TB, p *kernels.Program, out []byte, start, width, first, count uint64) {
	t.Helper()
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&out[0])
	block := &kernels.Fill{Out: uint64(uintptr(unsafe.Pointer(&out[0]))), First: start, Width: width}
	pin.Pin(block)
	pin.Pin(p)
	run(t, "hz_generate", unsafe.Pointer(p), unsafe.Pointer(block), first, count)
}

// numbers returns n numbers of a program, starting at index `start`.
func numbers(t testing.TB, p *kernels.Program, start, n uint64) []uint64 {
	t.Helper()
	out := make([]uint64, n)
	if n > 0 {
		fill(t, p, unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), 8*n), start, 8, 0, n)
	}
	return out
}

func compare(t *testing.T, what string, have []uint64, want func(i int) uint64) {
	t.Helper()
	for i := range have {
		w := want(i)
		must.Need(t, have[i] == w, "%s: number %d is %d, want %d", what, i, have[i], w)
	}
}

func TestRandomIsSplitMix64(t *testing.T) {
	for _, seed := range []uint64{0, 1, 0xdeadbeef, ^uint64(0)} {
		s := splitMix{seed}
		compare(t, "random", numbers(t, program(t, step("random", seed)), 0, 1000), func(int) uint64 { return s.next() })
	}
	far := uint64(1)<<63 + 12345
	compare(t, "random from 2^63 on", numbers(t, program(t, step("random", 7)), far, 100),
		func(i int) uint64 { return randomAt(7, far+uint64(i)) })
}

// The published outputs of SplitMix64 (seed 1234567, from its author's page at
// prng.di.unimi.it) check the reference itself.
func TestSplitMixReference(t *testing.T) {
	s := splitMix{1234567}
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423} {
		have := s.next()
		must.Need(t, have == want, "have %d, want %d", have, want)
	}
}

func TestArithmeticSteps(t *testing.T) {
	const n = 200
	a, b := program(t, step("random", 1)), program(t, step("random", 2))
	x, y := numbers(t, a, 0, n), numbers(t, b, 0, n)
	for name, want := range map[string]func(x, y uint64) uint64{
		"add":  func(x, y uint64) uint64 { return x + y },
		"sub":  func(x, y uint64) uint64 { return x - y },
		"mul":  func(x, y uint64) uint64 { return x * y },
		"div":  func(x, y uint64) uint64 { return x / y },
		"mod":  func(x, y uint64) uint64 { return x % y },
		"xor":  func(x, y uint64) uint64 { return x ^ y },
		"keep": func(_, y uint64) uint64 { return y },
		"less": func(x, y uint64) uint64 {
			if x < y {
				return 1
			}
			return 0
		},
	} {
		p := program(t, step("get", 0), step("random", 1), step("get", 0), step("random", 2), step(name))
		compare(t, name, numbers(t, p, 0, n), func(i int) uint64 { return want(x[i], y[i]) })
	}
	for _, name := range []string{"div", "mod"} {
		p := program(t, step("constant", 7), step("get", 0), step("constant", 0), step(name))
		compare(t, name+" by 0", numbers(t, p, 5, n), func(int) uint64 { return 0 })
	}
	affine := program(t, step("constant", 3), step("mul"), step("constant", 5), step("add"))
	compare(t, "3i+5", numbers(t, affine, 0, n), func(i int) uint64 { return 3*uint64(i) + 5 })
	fraction := uint64(1) << 62
	compare(t, "scale by 1/4", numbers(t, program(t, step("scale", fraction)), 0, n),
		func(i int) uint64 { return uint64(i) / 4 })
	odd := program(t, step("constant", 100), step("constant", 200), step("get", 0), step("constant", 2), step("mod"), step("select"))
	compare(t, "select", numbers(t, odd, 0, n), func(i int) uint64 { return []uint64{200, 100}[i%2] })
}

// uniformAt is Lemire's method as described in the paper, with a redraw on rejection.
func uniformAt(seed, i, n uint64) uint64 {
	for attempt := uint64(0); ; attempt++ {
		high, low := bits.Mul64(randomAt(seed+attempt*0xd1342543de82ef95, i), n)
		if low >= n {
			return high
		}
		if _, excess := bits.Div64(1, 0, max(n, 2)); low >= excess { // 2^64 mod n
			return high
		}
	}
}

func TestUniformReference(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 10, 1 << 32, 1<<63 - 1, 1<<63 + 1, 3 << 62, 1<<64 - 1} {
		p := program(t, step("uniform", 99, n))
		compare(t, "uniform", numbers(t, p, 1000, 2000), func(i int) uint64 { return uniformAt(99, 1000+uint64(i), n) })
	}
}

func TestChanceReference(t *testing.T) {
	for _, of := range []uint64{0, 1 << 60, 1 << 62, 1<<63 - 1, 1 << 63} {
		compare(t, "chance", numbers(t, program(t, step("chance", 5, of)), 0, 2000), func(i int) uint64 {
			if randomAt(5, uint64(i))/2 < of {
				return 1
			}
			return 0
		})
	}
}

// feistel follows the description of the permutation: the bits of the number are split into a lower half, the smaller
// one, and an upper half. Six rounds, or 24 for few bits, change the two in turn.
func feistel(seed, n, x uint64) uint64 {
	width := max(2, bits.Len64(n-1))
	lowBits := width / 2
	mix := func(v uint32) uint32 {
		v = (v ^ v>>16) * 0x21f0aaad
		v = (v ^ v>>15) * 0x735a2d97
		return v ^ v>>15
	}
	for x %= n; ; {
		half := [2]uint32{uint32(x & (1<<lowBits - 1)), uint32(x >> lowBits)}
		size := [2]int{lowBits, width - lowBits}
		key := uint32(seed)
		rounds := 6
		if width < 16 {
			rounds = 24
		}
		for round := range rounds {
			from, to := round%2, 1-round%2
			half[to] ^= mix(half[from]^key) >> (32 - size[to])
			key += uint32(seed>>32) | 1
		}
		if x = uint64(half[1])<<lowBits | uint64(half[0]); x < n {
			return x
		}
	}
}

func TestPermuteReference(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 4, 5, 7, 8, 9, 100, 1000, 1 << 20, 1<<20 + 1, 1<<32 - 2, 1<<33 + 1, 1<<63 + 1, 1<<64 - 2, 1<<64 - 1} {
		seed := randomAt(3, n)
		p := program(t, step("permute", seed, n))
		for _, start := range []uint64{0, n / 2, n - 1} { // the last one runs past the end
			compare(t, "permute", numbers(t, p, start, 500), func(i int) uint64 {
				return feistel(seed, n, start+uint64(i))
			})
		}
	}
}

// everyStep is a program that contains all expensive steps, and those that read arrays.
func everyStep(t testing.TB) *kernels.Program {
	array := randomNumbers(9, 777)
	ascending := slices.Sorted(slices.Values(array))
	return program(t,
		step("get", 0), step("uniform", 5, 777), step("load", pinned(t, array), 777),
		step("get", 0), step("random", 6), step("search", pinned(t, ascending), 777), step("add"), step("fnv"),
		step("get", 0), step("permute", uint64(0x123456789abcdef), uint64(1_000_003)), step("xor"),
		step("get", 0), step("uniform", 2, uint64(3)<<62), step("add"),
		step("get", 0), step("zipfian", kernels.ZipfianConstants(3, 100_000, 0.99)), step("xor"),
		step("get", 0), step("normal", 4, float(1e6), float(1e5), 0, ^uint64(0)), step("add"))
}

// The numbers are the same for any split of a batch into launches, in any order, on any
// thread, and at any offset into the stream.
func TestChunksAndThreadsDoNotMatter(t *testing.T) {
	const n = 10_000
	p := everyStep(t)
	want := numbers(t, p, 500, n)
	for _, width := range []uint64{1, 4, 8} {
		out := make([]byte, n*width)
		var threads sync.WaitGroup
		r := rand.New(rand.NewPCG(1, width))
		for first := uint64(0); first < n; {
			count := min(1+r.Uint64N(200), n-first)
			threads.Add(1)
			go func(first uint64) {
				defer threads.Done()
				fill(t, p, out, 500, width, first, count)
			}(first)
			first += count
		}
		bounded.WaitAll(t, &threads)
		for i := range want {
			var word [8]byte
			copy(word[:], out[uint64(i)*width:][:width])
			cut := want[i] << (64 - 8*width) >> (64 - 8*width)
			have := binary.LittleEndian.Uint64(word[:])
			must.Need(t, have == cut, "width %d: number %d is %d, want %d", width, i, have, cut)
		}
	}
	for start := uint64(500); start < 600; start += 7 {
		compare(t, "other start", numbers(t, p, start, 50), func(i int) uint64 { return want[start-500+uint64(i)] })
	}
}

// A kernel writes only the range it was asked to write.
func TestGenerateStaysInsideItsRange(t *testing.T) {
	p := program(t, step("random", 1))
	for _, count := range []uint64{1, 31, 32, 33, 64, 100} {
		out := make([]byte, 8*200)
		fill(t, p, out, 0, 8, 50, count)
		for i, b := range out {
			at := uint64(i / 8)
			if inside := at >= 50 && at < 50+count; !inside && b != 0 {
				t.Fatalf("count %d: byte %d was written", count, i)
			}
		}
	}
}

// pinned returns the address of numbers and keeps them in place until the test ends.
func pinned(t testing.TB, numbers []uint64) uint64 {
	t.Helper()
	var pin runtime.Pinner
	t.Cleanup(pin.Unpin)
	pin.Pin(&numbers[0])
	return uint64(uintptr(unsafe.Pointer(&numbers[0])))
}

func TestLoadStaysInsideTheArray(t *testing.T) {
	array := []uint64{70, 71, 72, 73, 74, 75}
	inner := array[1:5]
	at := pinned(t, array) + 8
	compare(t, "load", numbers(t, program(t, step("load", at, 4)), 0, 100), func(i int) uint64 {
		if i < len(inner) {
			return inner[i]
		}
		return 0
	})
	compare(t, "load far out", numbers(t, program(t, step("load", at, 4)), ^uint64(0)-50, 50), func(int) uint64 { return 0 })
	compare(t, "load of nothing", numbers(t, program(t, step("load", at, 0)), 0, 40), func(int) uint64 { return 0 })
	compare(t, "load without an address", numbers(t, program(t, step("load", 0, 0)), 0, 40), func(int) uint64 { return 0 })
}

func TestSearchReference(t *testing.T) {
	const asked = 2000
	for _, n := range []int{1, 2, 3, 4, 7, 8, 9, 100, 1000} {
		ascending := make([]uint64, n)
		for i := range ascending {
			ascending[i] = randomAt(uint64(n), uint64(i)) % (2 * uint64(n))
		}
		slices.Sort(ascending)
		at := pinned(t, ascending)
		p := program(t, step("uniform", 3, 3*n), step("search", at, n))
		x := numbers(t, program(t, step("uniform", 3, 3*n)), 0, asked)
		compare(t, "search", numbers(t, p, 0, asked), func(i int) uint64 {
			return uint64(sort.Search(n, func(k int) bool { return ascending[k] > x[i] }))
		})
	}
	compare(t, "search of nothing", numbers(t, program(t, step("search", 0, 0)), 0, 40), func(int) uint64 { return 0 })
	ends := []uint64{0, math.MaxUint64}
	p := program(t, step("constant", uint64(math.MaxUint64)), step("search", pinned(t, ends), 2))
	compare(t, "search of the largest", numbers(t, p, 0, 40), func(int) uint64 { return 2 })
}

// fnvAt is Utils.fnvhash64 of YCSB, translated literally.
func fnvAt(val int64) int64 {
	const basis, prime = -3750763034362895579, 1099511628211
	hash := int64(basis)
	for range 8 {
		octet := val & 0x00ff
		val = val >> 8
		hash = hash ^ octet
		hash = hash * prime
	}
	if hash < 0 {
		return -hash
	}
	return hash
}

func TestFnvMatchesYCSB(t *testing.T) {
	compare(t, "fnv", numbers(t, program(t, step("fnv")), 0, 1000), func(i int) uint64 { return uint64(fnvAt(int64(i))) })
	x := numbers(t, program(t, step("random", 1)), 0, 1000)
	negative := 0
	compare(t, "fnv of random", numbers(t, program(t, step("random", 1), step("fnv")), 0, 1000), func(i int) uint64 {
		if int64(x[i]) < 0 {
			negative++
		}
		return uint64(fnvAt(int64(x[i])))
	})
	must.Hold(t, negative >= 400, "only %d negative numbers were tested", negative)
}

func TestPowers(t *testing.T) {
	for _, exponent := range []float64{0, -0.01, -0.5, -1, -2, -30, -1000} {
		for k, have := range kernels.Powers(1000, exponent) {
			want := math.Max(math.Pow(float64(k+1), exponent), math.Exp(-700))
			must.Need(t, math.Abs(have/want-1) <= 1e-12, "%d^%v is %g, want %g", k+1, exponent, have, want)
		}
	}
	must.Hold(t, len(kernels.Powers(0, -1)) == 0, "Powers(0) returned numbers")
}
