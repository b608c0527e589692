package schemes

import (
	"encoding/binary"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

var chainedGauges = []Gauge{
	{Name: "nodes per bucket", Help: "buckets by how many nodes their lists have, erased ones included", Unit: "buckets", Read: lengths(chainedLook, 0)},
	{Name: "pool", Help: "nodes with a pair, erased ones that are still in a list, those lost until a flush, and those never used",
		Unit: "nodes", Read: chainedPool},
}

// chainedLook goes over all lists.
func chainedLook(t Table) ([]uint64, error) {
	p := t.Pair()
	return t.Look("hz_look_chains", t.Block().Buckets, kernels.Look{Stride: chainedNode(p), Key: uint64(p.Key)})
}

// chainedPool reads how many nodes were handed out. The counter goes on when there are none
// left.
func chainedPool(t Table) ([]Bar, error) {
	bins, err := chainedLook(t)
	if err != nil {
		return nil, err
	}
	raw := make([]byte, 8)
	if err := t.Read(raw, device.Addr(t.Block().Region[2])); err != nil {
		return nil, err
	}
	nodes := t.Layout().Capacity
	used := min(binary.LittleEndian.Uint64(raw), nodes)
	pairs, erased := bins[pairsBin], bins[erasedBin]
	return parts(nodes, Bar{Label: "pairs", Value: float64(pairs)}, Bar{Label: "erased", Value: float64(erased)},
		Bar{Label: "lost", Value: float64(used - pairs - erased)}, Bar{Label: "unused", Value: float64(nodes - used)}), nil
}
