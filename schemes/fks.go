package schemes

import "fmt"

// The declaration of FKS-cuckoo; kernels/fks.h explains the scheme, fks_host.go has
// its host side.
var _ = Register(&Scheme{
	Name:  "fks",
	Title: "FKS-cuckoo, two levels",
	About: "Small cuckoo tables under a first hash function. A bucket that finds no layout is rehashed alone, one that is " +
		"full is split, sparse ones are merged: the table grows and shrinks. Mostly empty slots make finds fast.",
	Paper: "HH Hash, a GPU-based hash table that uses two-level cuckoo hashing, project report",
	Params: []Param{
		{Name: "bucket", Role: Arg, Values: []int64{8, 32, 128, 512, 2048, 8192}, Default: 512,
			Help: "slots per bucket"},
		{Name: "reg_load", Role: Arg, Min: 5, Max: 85, Default: 35,
			Help: "percent of its slots for which a bucket is made; at most 41 or 80 with 2 or 3 hash functions"},
		{Name: "full", Role: Arg, Min: 0, Max: 95,
			Help: "percent at which a bucket counts as full, more than reg_load; 0: twice as much. At most 45, 88 or 95 with 2, 3 or 4 hash functions"},
		{Name: "max_chain", Role: Arg, Min: 1, Max: 1 << 16, Default: 128,
			Help: "evictions that one insert may cause before its bucket is rehashed"},
		{Name: "rehashes", Role: Arg, Min: 1, Max: 1 << 10, Default: 16,
			Help: "seeds that a bucket tries before it is split"},
		{Name: "reserve", Role: Arg, Min: 0, Max: 1 << 24,
			Help: "spare buckets, in which others are rebuilt and into which they are split; 0: one in 16",
			Auto: func(l Layout) int64 { return int64(fksReserve(l.Buckets)) }},
		hashCount(2, 4, 3),
		hashFamily,
	},
	Caps: Capabilities{
		Ops:        []string{"insert", "find", "update", "erase", "count", "export", "flush", "resize"},
		Concurrent: []string{"find", "update", "erase"},
		Pairs:      []Pair{Pair4, Pair8},
		HostMemory: true,
	},
	Size: fksSize,
	MaxLoad: func(c Config) float64 {
		_, full := fksLoads(c)
		return 0.0075 * float64(full)
	},
	Host: map[string]HostOp{
		"insert": fksInsert, "erase": fksErase, MixOp: fksErase, "flush": fksFlush, "resize": fksResize,
	},
	Kernels: []string{"renew", "widen", "transfer", "survey"},
	Setup:   fksSetup,
	Rows:    fksRows,
	Gauges:  fksGauges,
})

// Where parameters are in kernels.Table.Arg, and what follows them there.
const (
	fksArgRegular = 1
	fksArgFull    = 2
	fksArgReserve = 5
	fksArgDepth   = 6 // how often the directory was doubled
	fksArgLeast   = 7 // roots that the table does not shrink below
)

// fksLoads are the percentages for which buckets are made, and at which they are
// full. The most is a little below that up to which nearly all buckets of a few hundred
// slots have a layout; between the two there must be room.
func fksLoads(c Config) (regular, full uint64) {
	most := map[int64]int64{2: 45, 3: 88, 4: 95}[c.Get("hashes")]
	reg := min(c.Get("reg_load"), most-most/10)
	if full := c.Get("full"); full > 0 {
		return uint64(reg), uint64(min(max(full, reg+1), most))
	}
	return uint64(reg), uint64(min(2*reg, most))
}

// fksReserve is how many of so many buckets are spare. To split one takes two.
func fksReserve(buckets uint64) uint64 { return max(2, buckets/16) }

// fksStateBytes is the part of the state before the ring of spares (State in fks.h).
const fksStateBytes = 40

func fksSize(c Config, s Shape) (Layout, error) {
	slots, err := s.Slots()
	if err != nil {
		return Layout{}, err
	}
	per := uint64(c.Get("bucket"))
	buckets := fksBuckets(c, slots)
	if s.Bytes > 0 { // what is known of a bucket takes up to 44 bytes, and a word of the ring more
		buckets = (s.Bytes - min(s.Bytes, fksStateBytes)) / (per*uint64(s.Pair.Bytes()) + 44)
	}
	buckets = max(buckets, fksBuckets(c, 1))
	return fksLayout(buckets, per, fksReserveOf(c, buckets), s.Pair)
}

// fksBuckets is how many buckets have so many slots: one besides the spare ones at least.
func fksBuckets(c Config, slots uint64) uint64 {
	per := uint64(c.Get("bucket"))
	return max((slots+per-1)/per, uint64(c.Get("reserve"))+1, 3)
}

func fksReserveOf(c Config, buckets uint64) uint64 {
	if given := uint64(c.Get("reserve")); given > 0 {
		return max(2, given)
	}
	return fksReserve(buckets)
}

// fksLayout is a table of so many buckets, spares included.
func fksLayout(buckets, per, reserve uint64, pair Pair) (Layout, error) {
	if buckets*per >= 1<<31 {
		return Layout{}, fmt.Errorf("capacity is %d: fewer than 2^31 slots can be numbered", buckets*per)
	}
	words := fksRing(buckets) + 2*buckets // a list of those to be renewed
	return Layout{
		Regions: []Region{
			{Name: "slots", Bytes: int64(buckets*per) * int64(pair.Bytes()), Fill: 0xff, Table: true},
			{Name: "directory", Bytes: int64(8 * (buckets - reserve))},
			{Name: "heads", Bytes: int64(16 * buckets)},
			{Name: "state", Bytes: int64(fksStateBytes + 4*words)},
		},
		Capacity: buckets * per,
		Buckets:  buckets,
	}, nil
}
