package schemes

// The declaration of Mega-KV's index; kernels/megakv.h explains the scheme.
var _ = Register(&Scheme{
	Name:  "megakv",
	Title: "bucketed cuckoo hashing with two functions (Mega-KV)",
	About: "The index of a key-value store: a find reads two buckets at most. Inserts give up after few evictions, so some " +
		"fail at any load factor; they are counted, and max_chain says how few.",
	Paper: "Zhang, Wang, Yuan, Guo, Lee, Zhang, Mega-KV: A Case for GPUs to Maximize the Throughput of In-Memory Key-Value Stores, 2015",
	Params: []Param{
		{Name: "bucket", Role: Variant, Letter: "b", Values: []int64{8, 16, 32}, Default: 32,
			Help: "slots per bucket, and lanes per tile"},
		hashFamily,
		{Name: "max_chain", Role: Arg, Min: 0, Max: 1 << 20, Default: 5,
			Help: "evictions that one insert may cause before it fails; the published code has 5"},
		onFailure,
		rebuilds,
	},
	Hashes: 2,
	Caps: Capabilities{
		Ops:        []string{"insert", "find", "update", "erase", "count", "export"},
		Pairs:      []Pair{Pair4, Pair8},
		HostMemory: true,
	},
	Size: func(c Config, s Shape) (Layout, error) { return SlotArray(s, c.Get("bucket")) },
	// With the default max_chain; with hundreds, larger tables fill to 0.97 and more.
	MaxLoad: func(c Config) float64 {
		return map[int64]float64{8: 0.55, 16: 0.7, 32: 0.8}[c.Get("bucket")]
	},
	Host:   map[string]HostOp{"insert": insertOrRebuild},
	Gauges: []Gauge{bucketFill},
})
