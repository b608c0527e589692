package host

import (
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/schemes"
)

// rows returns the contents of a table's buckets: their slabs in order, separated by
// bars, each up to the last item that was used.
func rows(t schemes.Table) ([][]string, error) {
	b := t.Block()
	var rows [][]string
	for bucket := range b.Buckets {
		var row []string
		for at := bucket; at != 1<<32-1; {
			slab, err := readSlab(t, b, at)
			if err != nil {
				return nil, err
			}
			if at != bucket {
				row = append(row, "|")
			}
			row = append(row, itemTexts(slab, t.Pair())...)
			at = host.Number(slab[slabBytes-4:])
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// itemTexts returns the items of a slab: pairs, keys, x for an erased one.
func itemTexts(slab []byte, pair schemes.Pair) (texts []string) {
	for item := range slices.Chunk(slab, pair.Bytes()) {
		text := pair.SlotText(host.Number(item[:pair.Key]), host.Number(item[pair.Key:]))
		if text == "." || uint64(len(texts)) == itemsOf(pair) {
			return texts
		}
		texts = append(texts, text)
	}
	return texts
}

// readSlab reads the slab at an address, decoded as kernels do (SlabAlloc::at).
func readSlab(t schemes.Table, b kernels.Table, address uint64) ([]byte, error) {
	at := b.Region[regionBase] + address*slabBytes
	if !isLight(t.Config()) && address >= b.Buckets {
		entry, err := host.Read[uint64](t, b.Region[regionState]+8*(address/superUnits), 1)
		if err != nil {
			return nil, err
		}
		at = entry[0] + address%superUnits*slabBytes
	}
	return host.Read[byte](t, at, slabBytes)
}
