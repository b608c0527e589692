package host

import (
	"encoding/binary"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/schemes"
)

var gauges = []schemes.Gauge{
	{Name: "nodes per bucket", Help: "buckets by the number of nodes in their lists, erased ones included", Unit: "buckets", Read: host.Lengths(look, 0)},
	{Name: "pool", Help: "nodes with a pair, erased nodes still in a list, nodes lost until a flush, and nodes never used",
		Unit: "nodes", Read: pool},
}

// look counts the slabs of all lists.
func look(t schemes.Table) ([]uint64, error) {
	p := t.Pair()
	return t.Look("hz_look_chains", t.Block().Buckets, kernels.Look{Stride: nodeBytes(p), Key: uint64(p.Key)})
}

// pool returns how many nodes were allocated. The counter keeps counting after the pool
// is used up.
func pool(t schemes.Table) ([]schemes.Bar, error) {
	bins, err := look(t)
	if err != nil {
		return nil, err
	}
	raw := make([]byte, 8)
	if err := t.Read(raw, device.Addr(t.Block().Region[2])); err != nil {
		return nil, err
	}
	nodes := t.Layout().Capacity
	used := min(binary.LittleEndian.Uint64(raw), nodes)
	pairs, erased := bins[host.PairsBin], bins[host.ErasedBin]
	return host.Parts(nodes, schemes.Bar{Label: "pairs", Value: float64(pairs)}, schemes.Bar{Label: "erased", Value: float64(erased)},
		schemes.Bar{Label: "lost", Value: float64(used - pairs - erased)}, schemes.Bar{Label: "unused", Value: float64(nodes - used)}), nil
}
