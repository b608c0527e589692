package schemes

// What the schemes share that choose a bucket for a pair and leave it there
// (kernels/stable.h).

var stableBucket = Param{
	Name: "bucket", Role: Variant, Letter: "b", Values: []int64{8, 16, 32}, Default: 32,
	Help: "slots per bucket, and lanes per tile: larger ones fill further, and cost more memory accesses",
}

var stableCaps = Capabilities{
	Ops:        []string{"insert", "find", "update", "erase", "count", "export"},
	Concurrent: []string{"insert", "find", "update"},
	Pairs:      []Pair{Pair4, Pair8},
	Stable:     true,
	HostMemory: true,
}

// choiceLoad is the load factor to which tables fill whose pairs go to the least
// loaded of several buckets: a percent or two below that at which the first insert
// failed in tables of 2^16 to 2^26 slots, the large ones earliest. `hashzoo check`
// holds it, and icebergLoad, against what tables of 2^16 do.
func choiceLoad(bucket, hashes int64) float64 {
	return map[int64][]float64{
		8:  {0.63, 0.77, 0.82},
		16: {0.82, 0.89, 0.91},
		32: {0.91, 0.94, 0.95},
	}[bucket][hashes-2]
}

// icebergLoad is the same for tables that distribute pairs in this way only where
// primary buckets are filled past the threshold. What matters is how many slots
// that leaves for them in each bucket.
func icebergLoad(bucket, threshold int64) float64 {
	spare := max(0, bucket-threshold*bucket/100-1)
	loads := map[int64][]float64{
		8:  {0.32, 0.56, 0.63, 0.70},
		16: {0.43, 0.71, 0.81, 0.84},
		32: {0.57, 0.79, 0.87, 0.90, 0.92},
	}[bucket]
	return loads[min(spare, int64(len(loads))-1)]
}
