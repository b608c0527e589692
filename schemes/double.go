package schemes

// The declaration of double hashing; kernels/double.h explains the scheme.
var _ = Register(&Scheme{
	Name:  "double",
	Title: "double hashing over probing windows (WarpCore)",
	About: "Open addressing in which each key has a step of its own, over windows that a tile reads at once. Fills to 0.99, " +
		"is stable, and all its operations may run at the same time; room of erased pairs is lost.",
	Paper: "Jünger, Kobus, Müller, Hundt, Xu, Liu, Schmidt, WarpCore: A Library for fast Hash Tables on GPUs, 2020",
	Params: []Param{
		{Name: "window", Role: Variant, Letter: "w", Values: []int64{1, 2, 4, 8, 16, 32}, Default: 8,
			Help: "slots per probing window, and lanes per tile"},
		hashFamily,
		maxProbes(1 << 12),
	},
	Caps:      probingCaps,
	Host:      map[string]HostOp{"flush": flushProbing},
	Size:      func(c Config, s Shape) (Layout, error) { return primeBuckets(s, c.Get("window")) },
	MaxLoad:   func(c Config) float64 { return 0.98 },
	Published: published("double"),
	Gauges:    []Gauge{bucketFill, slotUse},
	Fills:     []Fill{{Load: 0.99, Least: 99}, {Settings: "window=1", Load: 0.98, Least: 99}},
})
