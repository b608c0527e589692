package schemes

import (
	"fmt"
	"math/bits"
)

// The declaration of DyCuckoo; kernels/dycuckoo.h explains the scheme, and
// dycuckoo_host.go when it is resized.
var _ = Register(&Scheme{
	Name:  "dycuckoo",
	Title: "cuckoo table in subtables that grows and shrinks",
	About: "Cuckoo hashing over a few subtables, of which one at a time is doubled or halved, so that the share of slots " +
		"in use stays within bounds whatever is inserted and erased. Buckets have locks, so values may be large. Pairs " +
		"move, and inserts, finds and erases run in separate batches.",
	Paper: "Li, Zhu, Lyu, Huang, Sun, DyCuckoo: Dynamic Hash Tables on GPUs, 2021",
	Params: []Param{
		{Name: "subtables", Role: HashCount, Min: 2, Max: 5, Default: 3, Help: "number of subtables"},
		hashFamily,
		maxChain,
		{Name: "places", Role: Arg, Words: []string{"two", "all"},
			Help: "in how many subtables a key may be: two, which a hash function of its own chooses, or all"},
		{Name: "resize", Role: HostOnly, Words: []string{"auto", "manual"},
			Help: "when the table is resized: after every batch, as alpha and beta demand, or only when asked to"},
		{Name: "alpha", Role: HostOnly, Min: 0, Max: 75, Default: 40,
			Help: "lower bound of the filled factor, in percent of the slots: below it, the largest subtable is halved"},
		{Name: "beta", Role: HostOnly, Min: 50, Max: 97, Default: 90,
			Help: "upper bound of the filled factor, in percent of the slots: above it, the smallest subtable is doubled"},
	},
	Caps: Capabilities{
		Ops: []string{"insert", "upsert", "find", "update", "erase", "count", "export", "resize"},
		Pairs: []Pair{
			Pair4, {4, 8}, {4, 16}, {4, 32}, {4, 64},
			{8, 4}, Pair8, {8, 16}, {8, 32}, {8, 64},
		},
		HostMemory: true,
	},
	Size: sizeDycuckoo,
	MaxLoad: func(c Config) float64 {
		if c.Get("resize") == dycuckooManual {
			return dycuckooLoad
		}
		return float64(c.Get("beta")) / 100
	},
	Host: map[string]HostOp{
		"insert": settled((*subtables).insert),
		"upsert": settled((*subtables).upsert),
		"erase":  settled((*subtables).erase),
		"resize": resizeSubtables,
	},
	Kernels: []string{"split", "merge", "weigh"},
	Setup:   setupDycuckoo,
	Rows:    rowsOfSubtables,
	Gauges:  subtableGauges,
	Fills: []Fill{
		{Settings: "resize=manual", Load: dycuckooLoad, Least: 99},
		{Settings: "resize=manual,subtables=2", Load: dycuckooLoad, Least: 99},
		{Settings: "resize=manual,places=all", Load: dycuckooLoad, Least: 99},
	},
})

// dycuckooLoad is how far a table fills that is not resized.
const dycuckooLoad = 0.97

// dycuckooManual is the value of the parameter resize that leaves it to the user.
const dycuckooManual = 1

// mostSubtables is how many subtables there may be (kernels/subtables.h).
const mostSubtables = 5

// mostBuckets is how many buckets of a subtable a place can name.
const mostBuckets = 1 << 29

// bucketOf is the number of slots of a bucket: 128 bytes of keys.
func bucketOf(p Pair) uint64 { return 128 / uint64(p.Key) }

// sizeDycuckoo makes all subtables alike.
func sizeDycuckoo(c Config, s Shape) (Layout, error) {
	alpha, beta, d := c.Get("alpha"), c.Get("beta"), c.Get("subtables")
	if alpha*(d+1) > beta*d {
		return Layout{}, fmt.Errorf("alpha is %d: with beta at %d and %d subtables it takes at most %d, or the table would grow and shrink without end",
			alpha, beta, d, beta*d/(d+1))
	}
	slots, err := s.Slots()
	if err != nil {
		return Layout{}, err
	}
	bucket := bucketOf(s.Pair)
	each := (slots + bucket*uint64(d) - 1) / (bucket * uint64(d))
	if s.Bytes > 0 { // never more memory than was allowed
		each = max(1, s.Bytes/uint64(d)/(bucket*uint64(s.Pair.Bytes())+lockBytes))
	}
	base, level := splittable(each, s.Bytes > 0)
	if base<<level >= mostBuckets {
		return Layout{}, fmt.Errorf("capacity is %d: %d buckets in each of %d subtables, and there is room for fewer than 2^29", slots, each, d)
	}
	l := Layout{Buckets: base << level * uint64(d)}
	l.Capacity = l.Buckets * bucket
	for i := range d {
		slots, locks := subtableRegions(int(i), base<<level, s.Pair)
		l.Regions = append(l.Regions, slots, locks)
	}
	return l, nil
}

// subtableRegions is the memory of a subtable: all its keys, then all its values; and
// the locks, which are always on the device.
func subtableRegions(i int, buckets uint64, p Pair) (slots, locks Region) {
	bytes := buckets * bucketOf(p) * uint64(p.Bytes())
	return Region{Name: fmt.Sprintf("subtable %d", i), Bytes: int64(bytes), Fill: 0xff, Table: true},
		Region{Name: fmt.Sprintf("locks %d", i), Bytes: int64(buckets * lockBytes)}
}

const lockBytes = 4

// splittable writes a number of buckets as base * 2^level, where base is as small as
// it can be while the number changes by no more than a 400th. A subtable can be
// halved level times.
func splittable(buckets uint64, down bool) (base uint64, level int) {
	for level = bits.Len64(buckets) - 1; level > 0; level-- {
		base = buckets >> level
		if !down && base<<level < buckets {
			base++
		}
		if off := int64(base<<level) - int64(buckets); max(off, -off)*400 <= int64(buckets) {
			return base, level
		}
	}
	return buckets, 0
}
