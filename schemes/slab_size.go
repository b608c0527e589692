package schemes

import (
	"fmt"
	"math"
	"sort"

	"github.com/hashzoo/hashzoo/kernels"
)

// Sizes that slab hash is made of (kernels/slab_alloc.h).
const (
	slabBytes       = 128
	slabAllocUnits  = 1024    // of a memory block
	slabSuperUnits  = 1 << 24 // that a super block can have
	slabDirectory   = 256     // addresses of super blocks
	slabMostRegions = kernels.MaxRegions - 2
)

// The regions of the table block, and what Table.Arg holds, in the kernels' order.
const (
	slabBase = iota
	slabState
	slabBitmaps
	slabFirstSuper = slabBitmaps
)
const (
	slabFirstUnits = iota
	slabFurtherUnits
	slabSupers
)

// slabPlaces is how many pairs a slab would hold without its pointer, and slabItems
// how many it does hold.
func slabPlaces(p Pair) uint64 { return slabBytes / uint64(p.Bytes()) }
func slabItems(p Pair) uint64  { return slabPlaces(p) - 8/uint64(p.Bytes()) }

// slabSize chooses buckets and slabs to be allocated. Capacity is all memory in slabs,
// pointers included, so the load factor of a full table is what the paper calls its
// memory utilisation, at most 15/16.
//
// Without beta there are as many buckets as possible such that the memory suffices
// for the pairs at the load factor asked for. With beta their number follows from it,
// and memory is added if beta takes more than the load factor leaves. Slabs to spare
// come on top of both.
func slabSize(c Config, s Shape) (Layout, error) {
	slots, err := s.Slots()
	if err != nil {
		return Layout{}, err
	}
	places, items := slabPlaces(s.Pair), slabItems(s.Pair)
	slabs := (slots + places - 1) / places
	spare := uint64(c.Get(slabSpare.Name))
	if s.Bytes > 0 { // never more memory than was allowed, bitmaps and what is to spare included
		slabs = max(1, (s.Bytes-min(s.Bytes, slabOwnBytes))/(slabBytes+1)*100/(100+spare))
	}
	pairs := float64(s.N)
	if s.N == 0 {
		pairs = slabLoad * float64(slabs*places)
	}
	beta := float64(c.Get(slabBeta.Name)) / 100
	var buckets uint64
	switch {
	case beta == 0:
		buckets = most(slabs, func(b uint64) bool { return slabsFor(pairs, b, items) <= float64(slabs) })
	case s.N == 0:
		buckets = most(slabs, func(b uint64) bool { return slabsFor(beta*float64(items*b), b, items) <= float64(slabs) })
	default:
		buckets = max(1, uint64(math.Round(pairs/(beta*float64(items)))))
		slabs = max(slabs, uint64(slabsFor(pairs, buckets, items)))
	}
	return slabLayout(c, s.Pair, buckets, slabs+slabs*spare/100-buckets)
}

// most returns the largest number of 1 to n that fits; 1 if none does.
func most(n uint64, fits func(uint64) bool) uint64 {
	return uint64(sort.Search(int(n-1), func(i int) bool { return !fits(uint64(i) + 2) })) + 1
}

// slabsFor is how many slabs hold so many pairs in so many buckets, in nearly all
// cases: the number expected, and five standard deviations. All pairs together are so
// many, so only what is unused in each bucket's last slab varies: by at most half a
// slab a bucket.
func slabsFor(pairs float64, buckets, items uint64) float64 {
	b, m := float64(buckets), float64(items)
	always := math.Floor(pairs/m) + b // no distribution takes more
	return math.Ceil(min(always, b*slabsOfBucket(pairs/b, m)+5*0.5*math.Sqrt(b)))
}

// slabsOfBucket is the expected number of slabs of a bucket, if the number of its
// pairs is Poisson distributed: 1, and one more for each multiple of a slab's items
// that is exceeded.
func slabsOfBucket(mean, items float64) float64 {
	spread := 12*math.Sqrt(mean) + 12
	from := math.Floor(max(0, mean-spread))
	slabs, log := 0.0, math.Log(max(mean, 1e-300))
	for k := from; k <= mean+spread; k++ {
		gamma, _ := math.Lgamma(k + 1)
		slabs += math.Exp(k*log-mean-gamma) * max(1, math.Ceil(k/items))
	}
	return slabs
}

// slabOwnBytes is memory besides slabs and bitmaps.
const slabOwnBytes = 8*slabDirectory + 256

// slabLayout is a table of so many base slabs and so many to be allocated.
func slabLayout(c Config, pair Pair, buckets, units uint64) (Layout, error) {
	if buckets+units >= 1<<32-1 {
		return Layout{}, fmt.Errorf("%d slabs are too many: addresses of 32 bits reach %d", buckets+units, uint32(1<<32-2))
	}
	l := Layout{Capacity: (buckets + units) * slabPlaces(pair), Buckets: buckets}
	add := func(name string, bytes uint64, fill byte, table bool) {
		l.Regions = append(l.Regions, Region{Name: name, Bytes: int64(bytes), Fill: fill, Table: table})
	}
	if slabIsLight(c) {
		add("slabs", (buckets+units)*slabBytes, 0xff, true)
		add("directory", slabOwnBytes, 0, false)
		add("bitmaps", slabBlocks(units)*slabBytes, 0xff, false)
		return l, nil
	}
	add("base slabs", buckets*slabBytes, 0xff, true)
	add("directory", slabOwnBytes, 0, false)
	for _, u := range slabSuperBlocks(units) {
		add("super block", slabBlocks(u)*slabBytes+u*slabBytes, 0xff, true)
	}
	if len(l.Regions) > slabMostRegions {
		return l, fmt.Errorf("%d slabs take more than %d super blocks at first: take alloc=light, or a smaller load factor",
			units, slabMostRegions)
	}
	return l, nil
}

// slabSuperBlocks are the units of the super blocks that a table starts with.
func slabSuperBlocks(units uint64) []uint64 {
	list := []uint64{(units-min(units, 1))%slabSuperUnits + min(units, 1)}
	for rest := units - list[0]; rest > 0; rest -= slabSuperUnits {
		list = append(list, slabSuperUnits)
	}
	return list
}

// slabBlocks is how many memory blocks so many units are.
func slabBlocks(units uint64) uint64 { return (units + slabAllocUnits - 1) / slabAllocUnits }
