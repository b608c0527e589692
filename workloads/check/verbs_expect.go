package check

import (
	"math"
	"math/bits"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// expected computes the rows that the kernel `verbs` of kernels/selftest.h writes for one item, from its
// description in tile.h alone: x is the item's input, w the width of the tile.
type expected struct {
	x    []uint64
	w    int
	rows [][]uint64
}

func expectVerbs(x []uint64, w int) [][]uint64 {
	e := &expected{x: x, w: w}
	e.masked()
	e.collective()
	e.memory()
	e.lanewise()
	e.adjacent()
	e.arithmetic()
	e.scratch()
	e.queue()
	return e.rows
}

// lanes adds rows with a word for each lane, uniform those with the same for all.
func (e *expected) lanes(words ...func(l int) uint64) {
	for _, word := range words {
		e.rows = append(e.rows, lists.Make(e.w, word))
	}
}

func (e *expected) uniform(words ...uint64) {
	for _, word := range words {
		e.rows = append(e.rows, slices.Repeat([]uint64{word}, e.w))
	}
}

// mask is a word cut to the lanes that there are.
func (e *expected) mask(word uint64) uint64 { return word & (1<<e.w - 1) }

// where is the mask of the lanes with a property.
func (e *expected) where(has func(l int) bool) (mask uint64) {
	for l := range e.w {
		if has(l) {
			mask |= 1 << l
		}
	}
	return mask
}

// fold adds the lanes of a mask to a number in which their order shows.
func (e *expected) fold(order, mask uint64) uint64 {
	for l := range e.w {
		if mask>>l&1 != 0 {
			order = order*33 + uint64(l) + 1
		}
	}
	return order
}

func (e *expected) masked() {
	mask, lowest, order := e.mask(e.x[32]), uint64(99), uint64(0)
	if mask != 0 {
		lowest = uint64(bits.TrailingZeros64(mask))
	}
	for turn := range uint64(4) {
		order = e.fold(order, mask&e.where(func(l int) bool { return e.x[l]&3 >= turn }))
	}
	e.lanes(
		func(l int) uint64 { return uint64(l) + mask>>l&1*e.x[l] },
		func(l int) uint64 { return uint64(bits.OnesCount64(mask & (1<<l - 1))) },
	)
	e.uniform(e.fold(0, mask), uint64(bits.OnesCount64(mask))*100+lowest, order)
}

func (e *expected) collective() {
	odd := e.where(func(l int) bool { return e.x[l]&1 != 0 })
	same := e.where(func(l int) bool { return e.x[l]%4 == e.x[33]%4 })
	reserved := e.where(func(l int) bool { return e.x[l]%4 < 2 })
	picked, largest, total := e.x[e.x[34]%uint64(e.w)], uint64(0), uint64(0)
	for l := range e.w {
		largest = max(largest, e.x[l]%4)
		total += e.x[l]
	}
	e.uniform(odd, same, same, same, reserved) // of words of 4 and of 8 bytes, and of keys
	e.uniform(picked, uint64(uint32(picked))%4, uint64(uint8(picked)), picked^3*^picked, largest, total)
	e.lanes(func(l int) uint64 { return lists.Sum(e.x[:l], func(x uint64) uint64 { return x }) }) // of the lanes before
	peers := func(l int) uint64 { return e.where(func(k int) bool { return e.x[k]%4 == e.x[l]%4 }) }
	e.lanes(func(l int) uint64 { return e.x[e.x[l]%uint64(e.w)] }, peers, peers) // of words of 4 and of 8 bytes
	e.lanes(func(l int) (last uint64) {
		for k := range e.w {
			if e.x[k]%4+3*uint64(k) <= e.x[35]%8+2*uint64(l) {
				last = uint64(k)
			}
		}
		return last
	})
}

// word are the rows of word_verbs, from the memory's first content on.
func (e *expected) word(written func(i uint64) uint64) {
	e.uniform(0, written(1), written(2), written(2), written(4))
}

// pair is a pair in the notation of the self-test.
func pair(key, value uint64) uint64 { return key ^ value*3 }

// twice8 are the values of pairs of 8+8 bytes.
func twice8(base uint64) func(uint64) uint64 {
	return func(i uint64) uint64 { return pair(base+i, ^base-i) }
}

func (e *expected) memory() {
	x, base, amount := e.x, e.x[35], e.x[36]
	e.lanes(
		func(l int) uint64 { return x[l] },
		func(l int) uint64 { return uint64(uint32(x[l/2] >> (l % 2 * 32))) },
		func(l int) uint64 { return bits.RotateLeft64(x[l], 32) },
	)
	e.word(func(i uint64) uint64 { return base + i })
	e.word(func(i uint64) uint64 { return uint64(uint32(base + i)) })
	e.word(func(i uint64) uint64 { return pair(uint64(uint32(base+i)), uint64(uint32(^base-i))) })
	e.uniform(base+4+base, uint64(uint32(base+4)), base+4+base+amount, uint64(uint32(base+4+amount)))
}

func (e *expected) lanewise() {
	x, amount, or, and := e.x, e.x[37], e.x[38], e.x[39]
	e.uniform(0)
	e.lanes(func(l int) uint64 { return x[l] })
	e.uniform(7, 7, 7+amount)
	e.lanes(
		func(l int) uint64 { return uint64(uint32(x[l])) },
		func(l int) uint64 { return uint64(uint32(x[l] | or)) },
		func(l int) uint64 { return uint64(uint32((x[l] | or) & and)) },
		func(l int) uint64 { return uint64(3 * uint32((x[l]|or)&and+amount)) },
		func(l int) uint64 { return reductions(x[l], or, math.MaxUint64) },
		func(l int) uint64 { return reductions(or, x[l], math.MaxUint64) },
		func(l int) uint64 { return reductions(x[l], or, math.MaxUint32) },
		func(l int) uint64 { return reductions(or, x[l], math.MaxUint32) },
	)
}

// reductions folds the least, the most, and the sum of the most and the other, of words as large as a mask.
func reductions(from, with, mask uint64) uint64 {
	from, with = from&mask, with&mask
	return (min(from, with)*3+max(from, with))*3 + (max(from, with)+with)&mask
}

func (e *expected) adjacent() {
	half := func(i int) uint64 { return uint64(uint32(e.x[i/2] >> (i % 2 * 32))) }
	e.lanes(func(l int) (words uint64) {
		for i := range 4 {
			words = words*3 + half(4*(l%8)+i)
		}
		return words
	}, func(l int) (pairs uint64) {
		for i := range 4 {
			at := 2 * (4*(l%8) + i)
			pairs = pairs*3 + half(at) + 5*half(at+1)
		}
		return pairs
	})
}

func (e *expected) arithmetic() {
	e.lanes(func(l int) uint64 { high, _ := bits.Mul64(e.x[l], e.x[32+l]); return high })
	e.lanes(func(l int) uint64 { return uint64(uint32(e.x[l])) * uint64(uint32(e.x[32+l])) >> 32 })
	p := func(l int) float64 { return float64(e.x[l] >> 11) }
	q := func(l int) float64 { return float64(e.x[32+l] >> 11) }
	e.lanes(func(l int) uint64 { return math.Float64bits(math.Sqrt(p(l))) })
	// The conversions keep Go from fusing, too.
	e.lanes(func(l int) uint64 { return math.Float64bits(float64(p(l)*q(l)) + float64(q(l)*q(l))) })
}

func (e *expected) scratch() {
	for round := range uint64(2) {
		e.lanes(func(l int) uint64 { return e.x[e.w-1-l] + round })
	}
	from := e.x[35] % 8
	e.uniform(e.mask(math.MaxUint64)<<from, from+uint64(e.w))
}

func (e *expected) queue() {
	var queue []uint64
	for round := range uint64(8) {
		in, to := e.mask(e.x[40+round]), e.mask(e.x[48+round])
		if bits.OnesCount64(in) <= 2*e.w-len(queue) {
			for l := range e.w {
				if in>>l&1 != 0 {
					queue = append(queue, e.x[l]+round)
				}
			}
		}
		items, served := make([]uint64, e.w), uint64(0)
		for l := range e.w {
			if to>>l&1 != 0 && len(queue) > 0 {
				items[l], queue = queue[0], queue[1:]
				served |= 1 << l
			}
		}
		size := uint64(len(queue))
		e.lanes(func(l int) uint64 { return items[l] + served*1000 + size*100 + uint64(2*e.w) - size })
	}
}

func expectWideVerbs(x []uint64, w int) [][]uint64 {
	e := &expected{x: x, w: w}
	e.lanes(func(l int) uint64 { return pair(x[2*l], x[2*l+1]) })
	e.word(twice8(x[35]))
	e.lanes(func(l int) uint64 {
		if l == 0 {
			return twice8(x[35])(4) // lane 0's word is the one before
		}
		return 0
	})
	for _, i := range []uint64{5, 6, 6} {
		e.lanes(func(l int) uint64 { return twice8(x[l])(i) })
	}
	return e.rows
}

func expectInStep(x []uint64, w int) [][]uint64 {
	e := &expected{x: x, w: w}
	busy, exchanged := x[41]&1 != 0, x[41]&x[43]&1 != 0
	odd := e.where(func(l int) bool { return x[l]&1 != 0 })
	e.uniform(odd, lists.Either(busy, e.mask(odd&x[42]), 0), lists.Either(exchanged, x[x[47]%uint64(w)]&1, 0), x[x[44]%uint64(w)]+1)
	e.uniform(lists.Either(exchanged, 0, x[45]), lists.Either(exchanged, x[45], 0), 2)
	e.lanes(func(l int) uint64 { return x[l] })
	e.uniform(lists.Either(busy, e.mask(x[46]), 0))
	return e.rows
}
