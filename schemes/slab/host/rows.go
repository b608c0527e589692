package host

import (
	"encoding/binary"
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// rows returns the contents of a table's buckets: their slabs in order, separated by
// bars, each up to the last item that was used.
func rows(t schemes.Table) ([][]string, error) {
	b := t.Block()
	var rows [][]string
	for bucket := range b.Buckets {
		var row []string
		for at := uint32(bucket); at != 1<<32-1; {
			slab, err := readSlab(t, b, at)
			if err != nil {
				return nil, err
			}
			if at != uint32(bucket) {
				row = append(row, "|")
			}
			row = append(row, itemTexts(slab, t.Pair())...)
			at = binary.LittleEndian.Uint32(slab[slabBytes-4:])
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// itemTexts returns the items of a slab: pairs, keys, x for an erased one.
func itemTexts(slab []byte, pair schemes.Pair) []string {
	var texts []string
	for item := range itemsOf(pair) {
		key := uint64(binary.LittleEndian.Uint32(slab[item*uint64(pair.Bytes()):]))
		switch {
		case key == pair.EmptyKey():
			return texts
		case key == pair.ErasedKey():
			texts = append(texts, "x")
		case pair.Value == 0:
			texts = append(texts, fmt.Sprint(key))
		default:
			texts = append(texts, fmt.Sprintf("%d=%d", key, binary.LittleEndian.Uint32(slab[item*8+4:])))
		}
	}
	return texts
}

// readSlab reads the slab at an address, decoded as kernels do (SlabAlloc::at).
func readSlab(t schemes.Table, b kernels.Table, address uint32) ([]byte, error) {
	at := b.Region[regionBase] + uint64(address)*slabBytes
	if !isLight(t.Config()) && uint64(address) >= b.Buckets {
		entry := make([]byte, 8)
		if err := t.Read(entry, device.Addr(b.Region[regionState]+8*uint64(address/superUnits))); err != nil {
			return nil, err
		}
		at = binary.LittleEndian.Uint64(entry) + uint64(address%superUnits)*slabBytes
	}
	slab := make([]byte, slabBytes)
	return slab, t.Read(slab, device.Addr(at))
}
