package schemes

// The declaration of BP2HT; kernels/bp2ht.h explains the scheme.
var _ = Register(&Scheme{
	Name:  "bp2ht",
	Title: "bucketed power-of-two-choices hash table",
	About: "Each pair goes to the emptier one of its key's two buckets and stays there, so addresses are stable. " +
		"Inserts always read both buckets: the same speed at every load factor, and half that of a cuckoo table.",
	Paper: "Awad, Ashkiani, Porumbescu, Farach-Colton, Owens, Better GPU Hash Tables, 2021",
	Params: []Param{
		stableBucket,
		hashCount(2, 4, 2),
		hashFamily,
		onFailure,
		rebuilds,
	},
	Caps:      stableCaps,
	Size:      func(c Config, s Shape) (Layout, error) { return SlotArray(s, c.Get("bucket")) },
	MaxLoad:   func(c Config) float64 { return choiceLoad(c.Get("bucket"), c.Get("hashes")) },
	Host:      map[string]HostOp{"insert": insertOrRebuild},
	Published: published("bp2ht"),
	Gauges:    []Gauge{bucketFill},
	Fills: []Fill{
		{Settings: "bucket=8", Load: 0.63, Least: 99},
		{Settings: "bucket=16", Load: 0.82, Least: 99},
		{Settings: "bucket=32", Load: 0.91, Least: 99},
	},
})
