// Package gomap has the tables of the reference gomap: Go maps in stripes, and the kernels that work on them.
package gomap

import (
	"math/bits"
	"runtime"
	"runtime/cgo"
	"sync"

	"github.com/hashzoo/hashzoo/kernels"
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
	bytes   uint64 // that they took when they were made
}

type stripe[W word] struct {
	sync.RWMutex
	pairs map[W]W
	_     [32]byte // to the end of the cache line
}

// newTable makes a table with room for n pairs, and some more, as some stripes get more keys than others.
func newTable[W word](n, stripes uint64) *table[W] {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	t := &table[W]{stripes: make([]stripe[W], stripes)}
	share := n/stripes + 1
	for i := range t.stripes {
		t.stripes[i].pairs = make(map[W]W, share+share/8)
	}
	runtime.ReadMemStats(&after)
	t.bytes = after.TotalAlloc - before.TotalAlloc
	return t
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
	t := newTable[W](block.Buckets, block.Arg[0])
	*at[uint64](block.Region[0], 0) = uint64(cgo.NewHandle(t))
	*at[uint64](block.Region[1], 0) = t.bytes
}

func dropTable[W word](block *kernels.Table, _ *kernels.Batch, _, _ uint64) {
	cgo.Handle(*at[uint64](block.Region[0], 0)).Delete()
}
