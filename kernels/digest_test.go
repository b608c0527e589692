package kernels_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// array is one part of a digest: numbers of one width in memory.
type array struct {
	width uint64
	bytes []byte
}

func arrayOf(width uint64, numbers ...uint64) array {
	a := array{width, make([]byte, width*uint64(len(numbers)))}
	for i, x := range numbers {
		for k := range width {
			a.bytes[uint64(i)*width+k] = byte(x >> (8 * k))
		}
	}
	return a
}

// sums digests n numbers of each array, concurrently, with `cut` items per launch.
func sums(t testing.TB, positional bool, start, n, cut uint64, parts ...array) [2]uint64 {
	t.Helper()
	var pin runtime.Pinner
	defer pin.Unpin()
	block := &kernels.Digest{First: start}
	pin.Pin(block)
	if positional {
		block.Positional = 1
	}
	for i, a := range parts {
		if a.bytes != nil {
			pin.Pin(&a.bytes[0])
			block.Part[i], block.PartWidth[i] = uint64(uintptr(unsafe.Pointer(&a.bytes[0]))), a.width
		}
	}
	var threads sync.WaitGroup
	for first := uint64(0); first < n; first += cut {
		threads.Go(func() { run(t, "hz_digest_run", nil, unsafe.Pointer(block), first, min(cut, n-first)) })
	}
	bounded.WaitAll(t, &threads)
	return block.Sum
}

func randomNumbers(seed uint64, n int) []uint64 {
	r := rand.New(rand.NewPCG(seed, 0))
	list := make([]uint64, n)
	for i := range list {
		list[i] = r.Uint64()
	}
	return list
}

// referenceSums computes the sums in plain Go: two chains of mixes per item.
func referenceSums(positional bool, start uint64, parts ...[]uint64) (sum [2]uint64) {
	for i := range parts[0] {
		var chain []uint64
		if positional {
			chain = append(chain, start+uint64(i))
		}
		for _, p := range parts {
			chain = append(chain, p[i])
		}
		if !positional {
			chain[0] += start
		}
		a, b := uint64(0x243f6a8885a308d3), uint64(0x13198a2e03707344)
		for _, x := range chain {
			a = (a ^ x) + 0x9e3779b97f4a7c15
			a = (a ^ a>>30) * 0xbf58476d1ce4e5b9
			a = (a ^ a>>27) * 0x94d049bb133111eb
			a ^= a >> 31
			b = (b + x) ^ 0xd1342543de82ef95
			b = (b ^ b>>33) * 0xff51afd7ed558ccd
			b = (b ^ b>>33) * 0xc4ceb9fe1a85ec53
			b ^= b >> 33
		}
		sum[0] += a
		sum[1] += b
	}
	return sum
}

func TestDigestReference(t *testing.T) {
	const n = 1000
	wide, key, status := randomNumbers(1, n), randomNumbers(2, n), randomNumbers(3, n)
	for i := range n {
		key[i] &= 1<<32 - 1
		status[i] &= 255
	}
	for _, positional := range []bool{false, true} {
		want := referenceSums(positional, 77, wide, key, status)
		for _, cut := range []uint64{n, 1, 31, 32, 33, 250} {
			have := sums(t, positional, 77, n, cut, arrayOf(8, wide...), arrayOf(4, key...), arrayOf(1, status...))
			must.Hold(t, have == want, "positional %v, %d items per launch: sums %x, want %x", positional, cut, have, want)
		}
	}
}

// Every relevant change must change both sums: either could be used alone.
func TestDigestSeesEveryChange(t *testing.T) {
	const n = 64
	keys, values := randomNumbers(8, n), randomNumbers(9, n)
	digest := func(change func(k, v []uint64)) [2]uint64 {
		k, v := slices.Clone(keys), slices.Clone(values)
		change(k, v)
		return sums(t, false, 0, n, n, arrayOf(8, k...), arrayOf(8, v...))
	}
	same := digest(func(k, v []uint64) {})
	for name, change := range map[string]func(k, v []uint64){
		"one bit of a key":           func(k, v []uint64) { k[3] ^= 1 << 63 },
		"one bit of a value":         func(k, v []uint64) { v[3] ^= 1 },
		"a key and its value swap":   func(k, v []uint64) { k[5], v[5] = v[5], k[5] },
		"two keys swap their values": func(k, v []uint64) { v[1], v[2] = v[2], v[1] },
		"a pair twice":               func(k, v []uint64) { k[1], v[1] = k[2], v[2] },
		"a unit moves between keys":  func(k, v []uint64) { k[1]++; k[2]-- },
		"a unit moves to the value":  func(k, v []uint64) { k[1]++; v[1]-- },
		"the same bit of all values": func(k, v []uint64) {
			for i := range v {
				v[i] ^= 1 << 20
			}
		},
	} {
		now := digest(change)
		must.Hold(t, now[0] != same[0] && now[1] != same[1], "%s: sums %x before, %x after", name, same, now)
	}
}

// An absent part differs from a part of zeros, and its position matters; the caller
// records in the header which parts exist (runtime/digest).
func TestDigestPartsAndWidths(t *testing.T) {
	x := arrayOf(4, 1, 2, 3)
	zeros := arrayOf(8, 0, 0, 0)
	must.Hold(t, sums(t, true, 0, 3, 3, x) != sums(t, true, 0, 3, 3, x, zeros), "a part of zeros changes nothing")
	must.Hold(t, sums(t, true, 0, 3, 3, x) == sums(t, true, 0, 3, 3, array{}, x), "an absent part is mixed in")
	must.Hold(t, sums(t, true, 0, 3, 3, x) == sums(t, true, 0, 3, 3, arrayOf(8, 1, 2, 3)), "the same numbers have different sums in another width")
}

// The words of items must look random, individually and together: each bit is set half of
// the time, even for the simplest input.
func TestDigestBitsAreEven(t *testing.T) {
	const n = 4000
	var set [2][64]int
	for i := range uint64(n) {
		s := sums(t, true, i, 1, 1, arrayOf(8, 0))
		for word := range 2 {
			for bit := range 64 {
				set[word][bit] += int(s[word] >> bit & 1)
			}
		}
	}
	for word := range 2 {
		for bit, count := range set[word] {
			must.Hold(t, count >= n/2-170 && count <= n/2+170, "bit %d of sum %d is set in %d of %d items", bit, word, count, n) // 5.4 standard deviations
		}
	}
}
