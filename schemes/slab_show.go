package schemes

import (
	"encoding/binary"
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// slabRows is what the buckets of a table hold: their slabs one after the other with a
// bar between, each up to the last item that was used.
func slabRows(t Table) ([][]string, error) {
	b := t.Block()
	var rows [][]string
	for bucket := range b.Buckets {
		var row []string
		for at := uint32(bucket); at != 1<<32-1; {
			slab, err := slabRead(t, b, at)
			if err != nil {
				return nil, err
			}
			if at != uint32(bucket) {
				row = append(row, "|")
			}
			row = append(row, slabTexts(slab, t.Pair())...)
			at = binary.LittleEndian.Uint32(slab[slabBytes-4:])
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// slabTexts are the items of a slab: pairs, keys, x for an erased one.
func slabTexts(slab []byte, pair Pair) []string {
	var texts []string
	for item := range slabItems(pair) {
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

// slabRead reads the slab of an address, as kernels find it (SlabAlloc::at).
func slabRead(t Table, b kernels.Table, address uint32) ([]byte, error) {
	at := b.Region[slabBase] + uint64(address)*slabBytes
	if !slabIsLight(t.Config()) && uint64(address) >= b.Buckets {
		entry := make([]byte, 8)
		if err := t.Read(entry, device.Addr(b.Region[slabState]+8*uint64(address/slabSuperUnits))); err != nil {
			return nil, err
		}
		at = binary.LittleEndian.Uint64(entry) + uint64(address%slabSuperUnits)*slabBytes
	}
	slab := make([]byte, slabBytes)
	return slab, t.Read(slab, device.Addr(at))
}
