package schemes

// The declaration of Stash; kernels/stash.h explains the scheme.
var _ = Register(&Scheme{
	Name:  "stash",
	Title: "stadium hashing: a board of tickets in front of the table",
	About: "A few bits for each slot tell inserts where there is room and finds which slots to look at, so the table itself " +
		"is accessed about once per operation and may lie in the host's memory. Fills completely, has values of up to 64 " +
		"bytes, and mixes all its operations in one batch.",
	Paper: "Khorasani, Belviranli, Gupta, Bhuyan, Stadium Hashing: Scalable and Flexible Hashing on GPUs, 2015",
	Params: []Param{
		ticketBits,
		accessBit,
		hashFamily,
	},
	Caps: Capabilities{
		Ops:        []string{"insert", "find", "update", "erase", "upsert", "count", "export"},
		Concurrent: []string{"insert", "find", "update", "erase", "upsert"},
		Pairs:      stadiumPairs(),
		Stable:     true,
		HostMemory: true,
	},
	Without: func(c Config) []string {
		if c.Get(accessBit.Name) == 1 {
			return nil
		}
		return []string{"update", "upsert", MixOp}
	},
	Size:      stadiumSize,
	MaxLoad:   func(Config) float64 { return 0.95 },
	Host:      map[string]HostOp{"insert": insertUntilFull, "upsert": insertUntilFull},
	Published: published("stash"),
	Gauges:    stadiumGauges,
	Fills:     []Fill{{Load: 1, Least: 100}},
})
