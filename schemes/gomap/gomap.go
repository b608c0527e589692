// Package gomap has the tables of the reference gomap: Go maps in stripes, and the kernels that work on them.
package gomap

import (
	"math/bits"
	"runtime/cgo"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

func init() {
	kernels.InGo["gomap"] = func(pair, op string) kernels.Body {
		if pair == "k4v4" {
			return kernelOf[uint32](op)
		}
		return kernelOf[uint64](op)
	}
}

// word is the type of a key, and of a value.
type word interface{ uint32 | uint64 }

// table is many maps, each under a lock.
type table[W word] struct {
	stripes []stripe[W]
	books   *uint64 // the bytes that they take
}

type stripe[W word] struct {
	sync.RWMutex
	pairs map[W]W
	slots uint64   // of the map, as far as its pairs tell
	_     [24]byte // to the end of the cache line
}

// newTable makes a table with room for n pairs, and some more, as some stripes get more keys than others.
func newTable[W word](n, stripes uint64, books *uint64) *table[W] {
	t := &table[W]{stripes: make([]stripe[W], stripes), books: books}
	share := n/stripes + 1
	share += share / 8
	for i := range t.stripes {
		t.stripes[i] = stripe[W]{pairs: make(map[W]W, share), slots: slotsOf(share)}
	}
	*books = stripes * (uint64(unsafe.Sizeof(stripe[W]{})) + bytesOf[W](slotsOf(share)))
	return t
}

// slotsOf is how many slots Go gives a map of n pairs: a group of 8, or a power of two of which seven eighths suffice.
func slotsOf(n uint64) uint64 { return lists.Either(n <= 8, 8, uint64(1)<<bits.Len64((n*8+6)/7-1)) }

// bytesOf is what slots take: a pair each, and a byte that tells which have one.
func bytesOf[W word](slots uint64) uint64 { return slots * uint64(2*unsafe.Sizeof(W(0))+1) }

// grown books what a map has grown by, once it has a further pair. Maps never shrink.
func (t *table[W]) grown(s *stripe[W]) {
	if now := slotsOf(uint64(len(s.pairs))); now > s.slots {
		atomic.AddUint64(t.books, bytesOf[W](now)-bytesOf[W](s.slots))
		s.slots = now
	}
}

// at returns the stripe of a key.
func (t *table[W]) at(key W) *stripe[W] {
	x := uint64(key) * 0x9e3779b97f4a7c15
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	i, _ := bits.Mul64(x^x>>32, uint64(len(t.stripes)))
	return &t.stripes[i]
}

// A table block has a handle of the table in its first region, and in the second what it takes.

func tableOf[W word](block *kernels.Table) *table[W] {
	return cgo.Handle(*at[uint64](block.Region[0], 0)).Value().(*table[W])
}

func makeTable[W word](block *kernels.Table, _ *kernels.Batch, _, _ uint64) {
	t := newTable[W](block.Buckets, block.Arg[0], at[uint64](block.Region[1], 0))
	*at[uint64](block.Region[0], 0) = uint64(cgo.NewHandle(t))
}

func dropTable[W word](block *kernels.Table, _ *kernels.Batch, _, _ uint64) {
	cgo.Handle(*at[uint64](block.Region[0], 0)).Delete()
}
