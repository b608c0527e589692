package schemes

// The declaration of BCHT; kernels/bcht.h explains the scheme.
var _ = Register(&Scheme{
	Name:  "bcht",
	Title: "bucketed cuckoo hash table",
	About: "Cuckoo hashing over buckets that a tile reads at once: the fastest static table of its paper, and the one " +
		"that fills highest (to 0.99). Pairs move, and inserts, finds and erases run in separate batches.",
	Paper: "Awad, Ashkiani, Porumbescu, Farach-Colton, Owens, Better GPU Hash Tables, 2021",
	Params: []Param{
		{Name: "bucket", Role: Variant, Letter: "b", Values: []int64{1, 2, 4, 8, 16, 32}, Default: 16,
			Help: "slots per bucket, and lanes per tile"},
		hashCount(2, 4, 3),
		hashFamily,
		maxChain,
		{Name: "placement", Role: Variant, Words: []string{"first", "least_loaded"},
			Help: "where a pair goes: its first bucket with room, or the emptiest of all its buckets (then finds cannot stop early)"},
		onFailure,
		rebuilds,
	},
	Caps: Capabilities{
		Ops:        []string{"insert", "find", "update", "erase", "count", "export"},
		Pairs:      []Pair{Pair4, Pair8},
		HostMemory: true,
	},
	Size: func(c Config, s Shape) (Layout, error) { return SlotArray(s, c.Get("bucket")) },
	MaxLoad: func(c Config) float64 {
		return cuckooLoad(c.Get("bucket"), c.Get("hashes"))
	},
	Host:      map[string]HostOp{"insert": insertOrRebuild},
	Published: published("bcht"),
	Gauges:    []Gauge{bucketFill, slotUse},
	Fills:     []Fill{{Settings: "bucket=16", Load: 0.98, Least: 99}},
})
