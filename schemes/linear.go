package schemes

// The declaration of linear probing; kernels/linear.h explains the scheme.
var _ = Register(&Scheme{
	Name:  "linear",
	Title: "linear probing",
	About: "The oldest open addressing, over buckets that a tile reads at once. Simple, stable, and all its operations " +
		"may run at the same time; finds of absent keys get slow from a load of 0.8 on, and room of erased pairs is lost.",
	Paper: "Knuth, The Art of Computer Programming, volume 3; as a baseline in Li et al., DyCuckoo, 2021",
	Params: []Param{
		{Name: "bucket", Role: Variant, Letter: "b", Values: []int64{1, 4, 8, 16, 32}, Default: 8,
			Help: "slots per bucket, and lanes per tile"},
		hashFamily,
		maxProbes(1 << 14),
	},
	Caps: probingCaps,
	Host: map[string]HostOp{"flush": flushProbing},
	Size: func(c Config, s Shape) (Layout, error) { return SlotArray(s, c.Get("bucket")) },
	MaxLoad: func(c Config) float64 {
		if c.Get("bucket") == 1 {
			return 0.9
		}
		return 0.95
	},
	Published: published("linear"),
	Fills:     []Fill{{Load: 0.95, Least: 99}, {Settings: "bucket=1", Load: 0.9, Least: 99}},
})
