package engine

import (
	"cmp"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

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

// sorter is memory that checks of one batch after another use to sort rows.
type sorter struct {
	rows        []row
	first, next []uint32 // by bucket its first row, and by row the next one, counted from 1
	history     history  // the evidence about one key after the other
}

var sorters = sync.Pool{New: func() any { return &sorter{} }} // of parts

// byPart sorts rows by their parts, and in each by their numbers.
func (s *sorter) byPart(keys []uint64, fill func(r *row, i int)) (list [parts][]row) {
	count := len(pieces(len(keys)))
	next := make([][parts]int, count) // where a piece puts its next row of each part
	_ = inPieces(len(keys), func(p int, of span) error {
		for _, key := range keys[of.from:of.to] {
			next[p][partOf(key)]++
		}
		return nil
	})
	s.rows = grown(s.rows[:0], len(keys))
	end := 0
	for part := range parts {
		start := end
		for p := range count {
			next[p][part], end = end, end+next[p][part]
		}
		list[part] = s.rows[start:end]
	}
	_ = inPieces(len(keys), func(p int, of span) error {
		for i := of.from; i < of.to; i++ {
			at := &next[p][partOf(keys[i])]
			fill(&s.rows[*at], i)
			*at++
		}
		return nil
	})
	return list
}

// eachKey calls f in parallel for each key with its rows, and returns the error of the key whose first row is the lowest.
// The part of the most frequent key, which takes longest, comes first.
func (o *oracle) eachKey(s *sorter, keys []uint64, fill func(*row, int), f func(*contained, *history, []row) error) error {
	lists := s.byPart(keys, fill)
	slices.SortFunc(lists[:], func(a, b []row) int { return len(b) - len(a) })
	var mutex sync.Mutex
	var first uint32
	var failed error
	check := func(c *contained, h *history, group []row) {
		if err := f(c, h, group); err != nil {
			mutex.Lock()
			defer mutex.Unlock()
			if row := group[0].i; failed == nil || row < first {
				first, failed = row, err
			}
		}
	}
	err := parallel(parts, func(i int) error {
		if list := lists[i]; len(list) > 0 {
			s := sorters.Get().(*sorter)
			defer sorters.Put(s)
			s.byKey(o.of(list[0].key), list, check)
		}
		return nil
	})
	return cmp.Or(err, failed)
}

// byKey calls f for each key of a part with its rows, in order. Most buckets hold one key, so it takes linear time.
func (s *sorter) byKey(c *contained, part []row, f func(*contained, *history, []row)) {
	size := bits.Len(uint(len(part)))
	s.first, s.next = grown(s.first[:0], 1<<size), grown(s.next[:0], len(part))
	clear(s.first)
	for i := len(part) - 1; i >= 0; i-- {
		bucket := &s.first[hashed(part[i].key)<<partBits>>(64-size)]
		s.next[i], *bucket = *bucket, uint32(i+1)
	}
	for _, i := range s.first {
		for i > 0 {
			group := part[i-1 : i]
			if i = s.next[i-1]; i > 0 {
				group, i = s.group(part, group[0], i)
			}
			f(c, &s.history, group)
		}
	}
}

// group returns a row with those of its key in the rest of its bucket, and the first row of the others.
func (s *sorter) group(part []row, first row, i uint32) (group []row, others uint32) {
	s.rows = append(s.rows[:0], first)
	end := &others
	for ; i > 0; i = s.next[i-1] {
		if part[i-1].key == first.key {
			s.rows = append(s.rows, part[i-1])
		} else {
			*end, end = i, &s.next[i-1]
		}
	}
	*end = 0
	return s.rows, others
}

// span is a range of operations.
type span struct{ from, to int }

// pieces divides n operations among processors.
func pieces(n int) (list []span) {
	const least = 1 << 12 // worth a goroutine
	count := max(1, min(runtime.GOMAXPROCS(0), n/least))
	for p := range count {
		list = append(list, span{n * p / count, n * (p + 1) / count})
	}
	return list
}

// inPieces calls f for the pieces of n operations on all processors.
func inPieces(n int, f func(p int, of span) error) error {
	pieces := pieces(n)
	return parallel(len(pieces), func(p int) error { return f(p, pieces[p]) })
}

// parallel calls f for 0 to n-1 on all processors, and returns the first error.
func parallel(n int, f func(i int) error) error {
	workers, errs := min(n, runtime.GOMAXPROCS(0)), make([]error, n)
	var next atomic.Int64
	died := atOnce(workers, func(int) error {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			errs[i] = f(i)
		}
		return nil
	})
	return cmp.Or(append(died, errs...)...)
}

// atOnce calls f for 0 to n-1, each on a goroutine of its own, and returns their errors.
func atOnce(n int, f func(i int) error) []error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = device.Caught(func() error { return f(i) }) })
	}
	all.Wait()
	return errs
}
