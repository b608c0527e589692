package schemes

import (
	"encoding/binary"
	"fmt"

	"github.com/hashzoo/hashzoo/runtime/device"
)

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
	Host: map[string]HostOp{
		"flush": flushByRebuild,
		// Of upserts that race for a new key, each takes a node, and one puts its in: the
		// others' may have been the last.
		"upsert": carryOutTwice, MixOp: carryOutTwice,
	},
	Rows:   chainedRows,
	Gauges: chainedGauges,
	Fills:  []Fill{{Load: 1, Least: 100}},
})

// chainedLayout has a head for each bucket, and nodes. Node 0 is none: a link of 0 ends
// a list.
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

// chainedRows are the lists, erased nodes that are still in them included.
func chainedRows(t Table) ([][]string, error) {
	heads := make([]byte, t.Layout().Regions[0].Bytes)
	nodes := make([]byte, t.Layout().Regions[1].Bytes)
	block := t.Block()
	if err := t.Read(heads, device.Addr(block.Region[0])); err != nil {
		return nil, err
	}
	if err := t.Read(nodes, device.Addr(block.Region[1])); err != nil {
		return nil, err
	}
	const erased = 1 << 31
	p := t.Pair()
	number := func(at []byte, width int) uint64 {
		return binary.LittleEndian.Uint64(append(append(make([]byte, 0, 16), at[:width]...), make([]byte, 8)...))
	}
	rows := make([][]string, len(heads)/4)
	for i := range rows {
		rows[i] = []string{}
		for next := binary.LittleEndian.Uint32(heads[4*i:]); next != 0; {
			node := nodes[uint64(next)*chainedNode(p):]
			text := fmt.Sprintf("%d=%d", number(node, p.Key), number(node[2*p.Key:], p.Value))
			link := uint32(number(node[p.Key:], p.Key))
			if link&erased != 0 {
				text = "x"
			}
			rows[i], next = append(rows[i], text), link&^erased
		}
	}
	return rows, nil
}
