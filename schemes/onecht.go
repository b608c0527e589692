package schemes

// The declaration of 1CHT; kernels/1cht.h explains the scheme.
var _ = Register(&Scheme{
	Name:  "1cht",
	Title: "cuckoo hash table, one pair per slot",
	About: "The classic GPU table: an insert is a chain of atomic exchanges, a find reads up to four slots. " +
		"Simple and small, but inserts get slow from a load of 0.8 on. Tables with buckets fill higher and touch less memory.",
	Paper: "Alcantara et al., Building an Efficient Hash Table on the GPU, 2011; Awad et al., Better GPU Hash Tables, 2021",
	Params: []Param{
		hashCount(2, 5, 4),
		hashFamily,
		maxChain,
		onFailure,
		rebuilds,
	},
	Caps: Capabilities{
		Ops:        []string{"insert", "find", "update", "erase", "count", "export"},
		Pairs:      []Pair{Pair4, Pair8},
		HostMemory: true,
	},
	Size: func(c Config, s Shape) (Layout, error) { return SlotArray(s, 1) },
	MaxLoad: func(c Config) float64 {
		return cuckooLoad(1, c.Get("hashes"))
	},
	Host:      map[string]HostOp{"insert": insertOrRebuild},
	Published: published("1cht"),
	Gauges:    []Gauge{bucketFill, slotUse},
	Fills:     []Fill{{Load: 0.85, Least: 99}},
})
