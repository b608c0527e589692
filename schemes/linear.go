package schemes

import (
	_ "embed" // the host side
	"slices"
)

//go:embed linear.lua
var linearHost string

// linearCaps are those of all open addressing, and the table can be resized.
var linearCaps = func() Capabilities {
	caps := probingCaps
	caps.Ops = append(slices.Clone(caps.Ops), "resize")
	return caps
}()

// The declaration of linear probing; kernels/linear.h explains the scheme, and linear.lua
// when it is resized.
var _ = Register(&Scheme{
	Name:  "linear",
	Title: "linear probing",
	About: "The oldest open addressing, over buckets that a tile reads at once. Simple, stable, and all its operations " +
		"may run at the same time; finds of absent keys get slow from a load of 0.8 on, and room of erased pairs is lost " +
		"until the table is flushed or resized.",
	Paper: "Knuth, The Art of Computer Programming, volume 3; as a baseline in Li et al., DyCuckoo, 2021",
	Params: []Param{
		{Name: "bucket", Role: Variant, Letter: "b", Values: []int64{1, 4, 8, 16, 32}, Default: 8,
			Help: "slots per bucket, and lanes per tile"},
		hashFamily,
		maxProbes(1 << 14),
		{Name: "resize", Role: HostOnly, Words: []string{"manual", "auto"},
			Help: "when the table is resized: only when asked to, or also doubled when inserts find no room and as beta demands; then pairs move"},
		{Name: "beta", Role: HostOnly, Min: 10, Max: 95, Default: 80,
			Help: "upper bound of the filled factor, in percent of the slots: with resize=auto the table is doubled above it, and no resize exceeds it"},
	},
	Caps:  linearCaps,
	Moves: func(c Config) bool { return c.Get("resize") == linearAuto },
	Host:  mustCompile("linear.lua", linearHost),
	Size:  func(c Config, s Shape) (Layout, error) { return SlotArray(s, c.Get("bucket")) },
	MaxLoad: func(c Config) float64 {
		switch {
		case c.Get("resize") == linearAuto:
			return float64(c.Get("beta")) / 100
		case c.Get("bucket") == 1:
			return 0.9
		}
		return 0.95
	},
	Published: published("linear"),
	Gauges:    []Gauge{bucketFill, slotUse},
	Fills:     []Fill{{Load: 0.95, Least: 99}, {Settings: "bucket=1", Load: 0.9, Least: 99}},
})

// linearAuto is the value of the parameter resize that lets the table grow.
const linearAuto = 1
