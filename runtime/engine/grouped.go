package engine

import (
	"cmp"
	"math/bits"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// The oracle works on the parts of its keys in parallel: on all processors, and each part within a processor's cache.

// There are enough parts that a million keys in one fit into a cache, and few enough that a small batch costs little.
const (
	partBits = 8
	parts    = 1 << partBits
)

func hashed(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 }

// partOf returns the part of a key.
func partOf(key uint64) int { return int(hashed(key) >> (64 - partBits)) }

// row is one operation with its result, or one pair in a table. Copies are sorted, since following indices would wait for
// memory.
type row struct {
	key, value, out uint64
	i               uint32
	op, outcome     byte
}

// byPart sorts rows by their parts, and in each by their numbers.
func byPart(keys []uint64, rowOf func(i int) row) (list [parts][]row) {
	pieces := pieces(len(keys))
	next := make([][parts]int, len(pieces)) // where a piece puts its next row of each part
	_ = parallel(len(pieces), func(p int) error {
		for _, key := range keys[pieces[p].from:pieces[p].to] {
			next[p][partOf(key)]++
		}
		return nil
	})
	all, end := make([]row, len(keys)), 0
	for part := range parts {
		start := end
		for p := range pieces {
			next[p][part], end = end, end+next[p][part]
		}
		list[part] = all[start:end]
	}
	_ = parallel(len(pieces), func(p int) error {
		for i := pieces[p].from; i < pieces[p].to; i++ {
			at := &next[p][partOf(keys[i])]
			all[*at] = rowOf(i)
			*at++
		}
		return nil
	})
	return list
}

// eachPart calls f in parallel for the parts that have keys.
func eachPart(keys []uint64, rowOf func(i int) row, f func(part int, list []row) error) error {
	lists := byPart(keys, rowOf)
	var some []int
	for part, list := range lists {
		if len(list) > 0 {
			some = append(some, part)
		}
	}
	return parallel(len(some), func(i int) error { return f(some[i], lists[some[i]]) })
}

// oneByOne calls f for each row of a part by itself.
func oneByOne(part []row, f func(group []row) error) error {
	for i := range part {
		if err := f(part[i : i+1]); err != nil {
			return err
		}
	}
	return nil
}

// byKey calls f for each key of a part with its rows, in order. Most buckets hold one key, so it takes linear time.
func byKey(part []row, f func(group []row) error) error {
	size := bits.Len(uint(len(part)))
	bucket := func(key uint64) uint64 { return hashed(key) << partBits >> (64 - size) }
	end := make([]int, 1<<size+1)
	for i := range part {
		end[bucket(part[i].key)+1]++
	}
	for b := range len(end) - 1 {
		end[b+1] += end[b]
	}
	order := make([]row, len(part))
	for i := range part {
		b := bucket(part[i].key)
		order[end[b]] = part[i]
		end[b]++
	}
	start := 0
	for _, end := range end[:len(end)-1] {
		if err := groups(order[start:end], f); err != nil {
			return err
		}
		start = end
	}
	return nil
}

// groups calls f for the rows of each key in a bucket.
func groups(bucket []row, f func(group []row) error) error {
	if len(bucket) > 1 {
		slices.SortStableFunc(bucket, func(a, b row) int { return cmp.Compare(a.key, b.key) })
	}
	for len(bucket) > 0 {
		n := 1
		for n < len(bucket) && bucket[n].key == bucket[0].key {
			n++
		}
		if err := f(bucket[:n]); err != nil {
			return err
		}
		bucket = bucket[n:]
	}
	return nil
}

// span is a range of operations.
type span struct{ from, to int }

// pieces divides n operations among processors.
func pieces(n int) (list []span) {
	const least = 1 << 14 // worth a goroutine
	count := max(1, min(runtime.GOMAXPROCS(0), n/least))
	for p := range count {
		list = append(list, span{n * p / count, n * (p + 1) / count})
	}
	return list
}

// parallel calls f for 0 to n-1 on all processors, and returns the first error.
func parallel(n int, f func(i int) error) error {
	return cmp.Or(atOnce(n, runtime.GOMAXPROCS(0), f)...)
}

// atOnce calls f for 0 to n-1, up to `most` at a time, each on a goroutine of its own, and returns their errors.
func atOnce(n, most int, f func(i int) error) []error {
	errs := make([]error, n)
	var all errgroup.Group
	all.SetLimit(most)
	for i := range n {
		all.Go(func() error {
			errs[i] = device.Caught(func() error { return f(i) })
			return nil // the others go on
		})
	}
	_ = all.Wait()
	return errs
}
