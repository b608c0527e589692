package schemes

import "math"

// threshold is where a hybrid changes over.
var threshold = Param{
	Name: "threshold", Role: HostOnly, Min: 0, Max: 100, Default: 0,
	Help: "percent of the slots up to which inserts are those of stash, each lane for itself; from there on lanes collaborate",
}

// The declaration of clStash; kernels/clstash.h explains the scheme.
var _ = Register(&Scheme{
	Name:  "clstash",
	Title: "stadium hashing with collaborative lanes",
	About: "Stash whose inserts wait for nobody: what a lane could not insert at once is put aside until enough has gathered " +
		"for all lanes of the warp. Lanes are busy at any load factor. With a threshold it begins as stash.",
	Paper: "Khorasani, Belviranli, Gupta, Bhuyan, Stadium Hashing: Scalable and Flexible Hashing on GPUs, 2015",
	Params: []Param{
		ticketBits,
		hashFamily,
		threshold,
	},
	Caps: Capabilities{
		Ops:        []string{"insert", "find", "erase", "count", "export"},
		Pairs:      stadiumPairs(),
		Stable:     true,
		HostMemory: true,
	},
	Size:      stadiumSize,
	MaxLoad:   func(Config) float64 { return 0.95 },
	Host:      map[string]HostOp{"insert": insertHybrid},
	Kernels:   []string{aloneInsert},
	Published: published("clstash"),
	Gauges:    stadiumGauges,
	Fills:     []Fill{{Load: 1, Least: 100}},
})

// aloneInsert is the insert without collaboration.
const aloneInsert = "alone_insert"

// insertHybrid splits a batch where the table will have come to the threshold.
func insertHybrid(t Table, b Batch) (Result, error) {
	limit := uint64(math.Ceil(float64(t.Config().Get(threshold.Name)) / 100 * float64(t.Layout().Capacity)))
	if t.Size() >= limit {
		return insertUntilFull(t, b)
	}
	first, rest := b, b
	first.Op, first.N = aloneInsert, min(b.N, limit-t.Size())
	rest.N -= first.N
	done, err := t.Launch(first)
	if err != nil || rest.N == 0 {
		return done, err
	}
	pair := t.Pair()
	rest.Block.Keys += first.N * uint64(pair.Key)
	rest.Block.Values += first.N * uint64(pair.Value)
	for _, at := range []*uint64{&rest.Block.Ops, &rest.Block.Status} {
		if *at != 0 {
			*at += first.N
		}
	}
	more, err := launchUntilFull(t, rest, t.Size()+b.N)
	if err != nil {
		return more, err
	}
	more.Counts.Add(done.Counts)
	more.Batch = b
	return more, nil
}
