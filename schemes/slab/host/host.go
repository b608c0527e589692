// Package host is the host side of the scheme slab (slab.h).
package host

import (
	"fmt"
	"math"
	"sort"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/schemes"
)

var header = schemes.ReadConstants(schemes.Folders, "slab/alloc.h")

var (
	slabBytes  = header.Of("kSlabBytes")
	blockUnits = header.Of("kUnits")      // units per memory block
	superUnits = header.Of("kSuperUnits") // the maximum number of units per super block
)

const (
	directoryEntries = 256 // addresses of super blocks; the flag that says that no unit is free follows them
	mostSuperBlocks  = kernels.MaxRegions - 2
)

// The regions of the table block, and the arguments in Table.Arg.
var (
	regionBase       = header.Of("kSlabs")
	regionState      = header.Of("kDirectory")
	regionBitmaps    = header.Of("kBitmaps")
	regionFirstSuper = regionBitmaps
	argFirstUnits    = header.Of("kFirstUnits")
	argFurtherUnits  = header.Of("kFurtherUnits")
	argSupers        = header.Of("kSuperBlocks")
	argReuse         = header.Of("kReuse")
	argChanges       = header.Of("kChanges")
	argNextBucket    = header.Of("kNextBucket")
)

// placesOf returns how many pairs a slab would hold without its pointer, itemsOf how many it holds.
func placesOf(p schemes.Pair) uint64 { return slabBytes / uint64(p.Bytes()) }
func itemsOf(p schemes.Pair) uint64  { return placesOf(p) - 8/uint64(p.Bytes()) }

// size chooses the number of buckets and of slabs to allocate. Capacity is all memory in slabs, including
// pointers, so the load factor of a full table is what the paper calls its memory utilization, at most 15/16.
//
// Without beta the number of buckets is the largest for which the memory suffices for the pairs at
// the requested load factor; one that slabs cannot reach is refused. With beta the number of buckets
// follows from it, and memory is added if beta needs more than the load factor leaves. Spare slabs are
// added to both.
func size(c schemes.Config, s schemes.Shape) (schemes.Layout, error) {
	slots, err := s.Slots()
	if err != nil {
		return schemes.Layout{}, err
	}
	places, items := placesOf(s.Pair), itemsOf(s.Pair)
	slabs := (slots + places - 1) / places
	spare := uint64(c.Get("spare"))
	if s.Bytes > 0 { // never more memory than allowed, including bitmaps and spares
		slabs = max(1, (s.Bytes-min(s.Bytes, ownBytes))/(slabBytes+1)*100/(100+spare))
	}
	pairs := float64(s.N)
	if s.N == 0 {
		pairs = usualLoad * float64(slabs*places)
	}
	beta := float64(c.Get("beta")) / 100
	var buckets uint64
	switch {
	case beta == 0 && s.N > (slabs+slabs*spare/100)*items: // one list of all pairs would never end
		return schemes.Layout{}, fmt.Errorf("load %.4g: slabs hold pairs in %d of %d places, so it is at most %.4g; hint: a lower load, or beta, which adds memory",
			float64(s.N)/float64(slots), items, places, float64(items)/float64(places))
	case beta == 0:
		buckets = most(slabs, func(b uint64) bool { return slabsFor(pairs, b, items) <= float64(slabs) })
	case s.N == 0:
		buckets = most(slabs, func(b uint64) bool { return slabsFor(beta*float64(items*b), b, items) <= float64(slabs) })
	default:
		buckets = max(1, uint64(math.Round(pairs/(beta*float64(items)))))
		slabs = max(slabs, uint64(slabsFor(pairs, buckets, items)))
	}
	return layout(c, s.Pair, buckets, slabs+slabs*spare/100-buckets)
}

// most returns the largest number from 1 to n that fits; 1 if none does.
func most(n uint64, fits func(uint64) bool) uint64 {
	return uint64(sort.Search(int(n-1), func(i int) bool { return !fits(uint64(i) + 2) })) + 1
}

// slabsFor returns how many slabs hold `pairs` pairs in `buckets` buckets in nearly all cases: the
// expected number plus five standard deviations. The total number of pairs is fixed, so only the
// unused part of each bucket's last slab varies: by at most half a slab per bucket.
func slabsFor(pairs float64, buckets, items uint64) float64 {
	b, m := float64(buckets), float64(items)
	always := math.Floor(pairs/m) + b // no distribution takes more
	return math.Ceil(min(always, b*slabsOfBucket(pairs/b, m)+5*0.5*math.Sqrt(b)))
}

// slabsOfBucket returns the expected number of slabs of a bucket if the number of its pairs is
// Poisson distributed: 1, plus one for each multiple of a slab's items that is exceeded.
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

// ownBytes is the memory besides slabs and bitmaps.
const ownBytes = 8*directoryEntries + 256

// layout returns a table of `buckets` base slabs and `units` slabs to allocate.
func layout(c schemes.Config, pair schemes.Pair, buckets, units uint64) (schemes.Layout, error) {
	if buckets+units >= 1<<32-1 {
		return schemes.Layout{}, fmt.Errorf("%d slabs are too many: addresses of 32 bits reach %d", buckets+units, uint32(1<<32-2))
	}
	l := schemes.Layout{Capacity: (buckets + units) * placesOf(pair), Buckets: buckets}
	add := func(name string, bytes uint64, fill byte, table bool) {
		l.Regions = append(l.Regions, schemes.Region{Name: name, Bytes: int64(bytes), Fill: fill, Table: table})
	}
	if isLight(c) {
		add("slabs", (buckets+units)*slabBytes, 0xff, true)
		add("directory", ownBytes, 0, false)
		add("bitmaps", blocksOf(units)*slabBytes, 0xff, false)
		return l, nil
	}
	add("base slabs", buckets*slabBytes, 0xff, true)
	add("directory", ownBytes, 0, false)
	for _, u := range superBlocks(units) {
		add("super block", blocksOf(u)*slabBytes+u*slabBytes, 0xff, true)
	}
	if len(l.Regions) > mostSuperBlocks {
		return l, fmt.Errorf("%d slabs take more than %d super blocks at first: take alloc=light, or a smaller load factor",
			units, mostSuperBlocks)
	}
	return l, nil
}

// superBlocks returns the units of the super blocks that a table starts with.
func superBlocks(units uint64) []uint64 {
	list := []uint64{(units-min(units, 1))%superUnits + min(units, 1)}
	for rest := units - list[0]; rest > 0; rest -= superUnits {
		list = append(list, superUnits)
	}
	return list
}

// blocksOf returns how many memory blocks `units` units are.
func blocksOf(units uint64) uint64 { return (units + blockUnits - 1) / blockUnits }

// usualLoad is the target load factor of a table whose shape gives its size but not the number of pairs.
const usualLoad = 0.86

// Functions are what scheme.toml names and cannot express.
var Functions = manifest.Functions{
	MaxLoad: maxLoad, Size: size, Setup: setup, Rows: rows, Gauges: gauges,
	Host: map[string]schemes.HostOp{"insert": insert, "flush": flush},
}

func isLight(c schemes.Config) bool { return c.Get("alloc") == 0 }

func maxLoad(c schemes.Config) float64 {
	beta := float64(c.Get("beta")) / 100
	if beta == 0 {
		return usualLoad
	}
	items := float64(itemsOf(schemes.Pair4))
	return 0.97 * beta / slabsOfBucket(beta*items, items) * items / float64(placesOf(schemes.Pair4))
}
