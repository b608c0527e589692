package schemes

import "fmt"

// The declaration of the chained table; kernels/chained.h explains the scheme.
var _ = Register(&Scheme{
	Name:  "chained",
	Title: "lock-free chained hash table (Misra and Chaudhuri)",
	About: "A sorted linked list per bucket, nodes from a pool, a thread per operation; everything may run at the same time. " +
		"What tables for whole warps are measured against: every probe is a memory access of its own, and erased nodes are not used again.",
	Paper: "Misra, Chaudhuri, Performance Evaluation of Concurrent Lock-free Data Structures on GPUs, 2012; " +
		"as a baseline in Ashkiani et al., A Dynamic Hash Table for the GPU, 2018",
	Params: []Param{
		{Name: "chain", Role: HostOnly, Min: 1, Max: 256, Default: 1,
			Help: "nodes per bucket, on average, when all nodes of the pool are in use"},
		hashFamily,
	},
	Caps: Capabilities{
		Ops:        []string{"insert", "upsert", "find", "update", "erase", "flush", "count", "export"},
		Concurrent: []string{"insert", "upsert", "find", "update", "erase"},
		Pairs:      []Pair{Pair4, Pair8, {4, 0}},
		Stable:     true,
		HostMemory: true,
	},
	Size:    chainedLayout,
	MaxLoad: func(Config) float64 { return 1 },
	Host:    map[string]HostOp{"flush": flushByRebuild},
	Fills:   []Fill{{Load: 1, Least: 100}},
})

// chainedLayout has a head for each bucket, and nodes: node 0 ends the lists. All ones
// make it larger than any key.
func chainedLayout(c Config, s Shape) (Layout, error) {
	chain, node := uint64(c.Get("chain")), chainedNode(s.Pair)
	if s.Bytes > 0 { // of which every chain of nodes has a head
		s = Shape{Pair: s.Pair, Capacity: max(1, max(s.Bytes, node+16)-node-16) * chain / (node*chain + 4)}
	}
	nodes, err := s.Slots()
	if err != nil {
		return Layout{}, err
	}
	if nodes >= 1<<31 {
		return Layout{}, fmt.Errorf("capacity is %d: a link has 31 bits, so there are fewer than 2^31 nodes", nodes)
	}
	buckets := (nodes + chain - 1) / chain
	return Layout{
		Regions: []Region{
			{Name: "heads", Bytes: int64(4 * buckets), Table: true},
			{Name: "nodes", Bytes: int64((nodes + 1) * node), Fill: 0xff, Table: true},
			{Name: "nodes used", Bytes: 8},
		},
		Capacity: nodes,
		Buckets:  buckets,
	}, nil
}

// chainedNode is the size of a node: a word with the key and a link, which is as wide,
// and the value, in multiples of that word.
func chainedNode(p Pair) uint64 {
	word := 2 * uint64(p.Key)
	return (word + uint64(p.Value) + word - 1) / word * word
}
