// Package host is the host side of the scheme chained (chained.h).
package host

import (
	"encoding/binary"
	"fmt"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/schemes"
)

// Functions are what scheme.toml names and cannot express.
var Functions = manifest.Functions{Rows: rows, Gauges: gauges}

// nodeBytes returns the size of a node: a word with the key and a link of the same width,
// and the value, rounded up to a multiple of that word.
func nodeBytes(p schemes.Pair) uint64 {
	word := 2 * uint64(p.Key)
	return (word + uint64(p.Value) + word - 1) / word * word
}

// rows returns the lists, including erased nodes that are still in them.
func rows(t schemes.Table) ([][]string, error) {
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
	list := make([][]string, len(heads)/4)
	for i := range list {
		list[i] = []string{}
		for next := binary.LittleEndian.Uint32(heads[4*i:]); next != 0; {
			node := nodes[uint64(next)*nodeBytes(p):]
			text := fmt.Sprintf("%d=%d", number(node, p.Key), number(node[2*p.Key:], p.Value))
			link := uint32(number(node[p.Key:], p.Key))
			if link&erased != 0 {
				text = "x"
			}
			list[i], next = append(list[i], text), link&^erased
		}
	}
	return list, nil
}
