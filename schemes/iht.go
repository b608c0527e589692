package schemes

// The declaration of IHT; kernels/iht.h explains the scheme.
var _ = Register(&Scheme{
	Name:  "iht",
	Title: "iceberg hash table",
	About: "A pair goes to the primary bucket of its key while that is not too full, and then to the emptier one of two others, " +
		"and stays there. Most inserts and finds of keys that are there read one bucket; finds of absent keys read three, " +
		"or mostly one with erased=marked, which is not in the paper.",
	Paper: "Awad, Ashkiani, Porumbescu, Farach-Colton, Owens, Better GPU Hash Tables, 2021",
	Params: []Param{
		stableBucket,
		{Name: "threshold", Role: Arg, Min: 20, Max: 100, Default: 80,
			Help: "percent of a primary bucket: while it is not filled further, pairs go there"},
		{Name: "erased", Role: Variant, Words: []string{"unused", "marked"},
			Help: "what an erase leaves: an unused slot, as in the paper; or, in buckets filled past the threshold, a marked one, so that most finds of absent keys end at the primary bucket"},
		hashFamily,
		onFailure,
		rebuilds,
	},
	Caps:      stableCaps,
	Hashes:    3, // the primary one and two secondary ones
	Size:      func(c Config, s Shape) (Layout, error) { return SlotArray(s, c.Get("bucket")) },
	MaxLoad:   func(c Config) float64 { return icebergLoad(c.Get("bucket"), c.Get("threshold")) },
	Host:      map[string]HostOp{"insert": insertOrRebuild},
	Published: published("iht"),
	Gauges:    []Gauge{bucketFill, slotUse},
	Fills: []Fill{
		{Settings: "bucket=16", Load: 0.82, Least: 99},
		{Settings: "bucket=32", Load: 0.91, Least: 99},
	},
})
