package schemes

import (
	"fmt"
	"math/big"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// probingCaps are what all open addressing can do (kernels/probing.h).
var probingCaps = Capabilities{
	Ops:        []string{"insert", "upsert", "find", "update", "erase", "flush", "count", "export"},
	Concurrent: []string{"insert", "upsert", "find", "update", "erase"},
	Pairs:      []Pair{Pair4, Pair8},
	Stable:     true,
	HostMemory: true,
}

// maxProbes bounds the walks of open addressing, so that a full table fails quickly.
// By default they end after about so many slots: several times as many as the longest
// walk of a table that is as full as the scheme says it can be.
func maxProbes(slots int64) Param {
	return Param{
		Name: "max_probes", Role: Arg, Min: 0, Max: 1 << 24,
		Help: "buckets that an operation looks at before it gives up; 0 chooses by the size of a bucket",
		Auto: func(l Layout) int64 { return max(64, slots*int64(l.Buckets)/int64(l.Capacity)) },
	}
}

// primeBuckets is SlotArray with a prime number of buckets: the next larger one, or,
// if memory is what limits the table, the next smaller one.
func primeBuckets(s Shape, bucket int64) (Layout, error) {
	l, err := SlotArray(s, bucket)
	if err != nil {
		return l, err
	}
	n := max(2, l.Buckets)
	for step := primeStep(s); !new(big.Int).SetUint64(n).ProbablyPrime(0); n += step {
	}
	if s.Bytes > 0 {
		n = min(n, l.Buckets) // less than two windows of memory
	}
	return SlotArray(Shape{Pair: s.Pair, Capacity: n * uint64(bucket)}, bucket)
}

// primeStep is where to look for a prime: 1 for up, and -1 for down.
func primeStep(s Shape) uint64 {
	if s.Bytes > 0 {
		return ^uint64(0)
	}
	return 1
}

// flushProbing is flushByRebuild for tables in which walks are bounded: pairs come in
// another order than before, so one may find no room in a nearly full table. Then the
// table is put back as it was.
func flushProbing(t Table, b Batch) (Result, error) {
	at := device.Addr(t.Block().Region[0])
	before := make([]byte, t.Layout().Regions[0].Bytes)
	if err := t.Read(before, at); err != nil {
		return Result{}, err
	}
	done, err := flushByRebuild(t, b)
	left := done.Counts.Get("pairs")
	if err != nil || left == 0 {
		return done, err
	}
	t.Note(fmt.Sprintf("not flushed: %d pairs would have found no room within max_probes", left))
	return Result{Counts: make(Counts, len(kernels.Counters)), Batch: b}, t.Write(at, before)
}
