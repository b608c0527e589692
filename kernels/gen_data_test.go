package kernels_test

import (
	"math"
	"runtime"
	"slices"
	"sort"
	"testing"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/must"
)

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
