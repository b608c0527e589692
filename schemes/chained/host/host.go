// Package host shows tables of the scheme chained (chained.h).
package host

import (
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/schemes"
)

// Functions are what scheme.toml names and cannot express.
var Functions = manifest.Functions{Rows: rows, Gauges: []schemes.Gauge{
	{Name: "nodes per bucket", Help: "buckets by the number of nodes in their lists, erased ones included", Unit: "buckets", Read: host.Lengths(look, 0)},
	{Name: "pool", Help: "nodes with a pair, erased nodes still in a list, nodes in no list (erased, or spare), and nodes never used",
		Unit: "nodes", Read: pool},
}}

// erased is the bit of a link that marks the node it is in.
var erased = schemes.ReadConstants(schemes.Folders, "chained/chained.h").Of("kErased")

// The regions, as scheme.toml lists them.
const (
	heads = iota
	nodes
	nodesUsed
)

// nodeBytes returns the size of a node: the region has one more than the table can use.
func nodeBytes(t schemes.Table) uint64 {
	l := t.Layout()
	return uint64(l.Regions[nodes].Bytes) / (l.Capacity + 1)
}

// rows returns the lists, including erased nodes that are still in them.
func rows(t schemes.Table) ([]schemes.Row, error) {
	block, p, size := t.Block(), t.Pair(), nodeBytes(t)
	first, err := host.Read[uint32](t, block.Region[heads], block.Buckets)
	if err != nil {
		return nil, err
	}
	pool, err := host.Read[byte](t, block.Region[nodes], uint64(t.Layout().Regions[nodes].Bytes))
	if err != nil {
		return nil, err
	}
	rows := make([]schemes.Row, len(first))
	for i, at := range first {
		row := schemes.Row{Name: fmt.Sprintf("list %d", i), Cell: "node", At: []schemes.Span{span(block.Region[heads]+4*uint64(i), 4)}}
		for next := uint64(at); next != 0; {
			node, cell := pool[next*size:][:size], span(block.Region[nodes]+next*size, size)
			link := host.Number(node[p.Key:][:4])
			text := "x"
			if link&erased == 0 {
				text = p.SlotText(host.Number(node[:p.Key]), host.Number(node[2*p.Key:][:p.Value]))
			}
			row.At, next = append(row.At, cell), link&^erased
			row.Cells = append(row.Cells, schemes.Cell{Text: text, At: []schemes.Span{cell}})
		}
		rows[i] = row
	}
	return rows, nil
}

func span(at, bytes uint64) schemes.Span { return schemes.Span{At: device.Addr(at), Bytes: bytes} }

// look counts the nodes of all lists.
func look(t schemes.Table) ([]uint64, error) {
	return t.Look("hz_look_chains", t.Block().Buckets, kernels.Look{Stride: nodeBytes(t), Key: uint64(t.Pair().Key)})
}

// pool returns how many nodes were allocated. The counter keeps counting after the pool is used up.
func pool(t schemes.Table) ([]schemes.Bar, error) {
	bins, err := look(t)
	if err != nil {
		return nil, err
	}
	counter, err := host.Read[uint64](t, t.Block().Region[nodesUsed], 1)
	all := t.Layout().Capacity
	used, pairs, erased := min(counter[0], all), bins[host.PairsBin], bins[host.ErasedBin]
	return host.Parts(all, host.Bar("pairs", pairs), host.Bar("erased", erased),
		host.Bar("unlinked", used-pairs-erased), host.Bar("unused", all-used)), err
}
