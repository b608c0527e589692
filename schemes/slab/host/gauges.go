package host

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/schemes"
)

var gauges = []schemes.Gauge{
	{Name: "slabs per bucket", Help: "buckets by the number of slabs in their lists", Unit: "buckets", Read: host.Lengths(look, 1)},
	{Name: "items", Help: "items of all slabs in lists: with a pair, erased, and never used",
		Unit: "items", Read: itemUse},
	{Name: "allocated", Help: "units that the allocator has handed out, of those in each super block", Unit: "slabs", Read: allocated},
}

// look counts the slabs of all lists.
func look(t schemes.Table) ([]uint64, error) {
	kernel := "hz_look_slabs_super"
	if isLight(t.Config()) {
		kernel = "hz_look_slabs_light"
	}
	return t.Look(kernel, t.Block().Buckets, kernels.Look{Stride: uint64(t.Pair().Bytes())})
}

// slabsBin is the bin with the slabs of all lists.
var slabsBin = schemes.ReadConstants(schemes.Folders, "slab/look_slabs.h").Of("kSlabsBin")

func itemUse(t schemes.Table) ([]schemes.Bar, error) {
	bins, err := look(t)
	if err != nil {
		return nil, err
	}
	return host.UseBars(bins[host.PairsBin], bins[host.ErasedBin], bins[slabsBin]*itemsOf(t.Pair())), nil
}

// allocated counts in the bitmaps, which are a thousandth of the size of the slabs.
func allocated(t schemes.Table) ([]schemes.Bar, error) {
	b := t.Block()
	if isLight(t.Config()) {
		return allocatedAt(t, "", b.Region[regionBitmaps], b.Arg[argFirstUnits])
	}
	starts, err := host.Read[uint64](t, b.Region[regionState]+8*firstEntry(b), b.Arg[argSupers])
	if err != nil {
		return nil, err
	}
	var bars []schemes.Bar
	units := b.Arg[argFirstUnits]
	for i, start := range starts {
		bar, err := allocatedAt(t, fmt.Sprintf("super block %d", i), start-blocksOf(units)*slabBytes, units)
		if err != nil {
			return nil, err
		}
		bars, units = append(bars, bar...), b.Arg[argFurtherUnits]
	}
	return bars, nil
}

// firstEntry returns the directory's entry of the first super block.
func firstEntry(b kernels.Table) uint64 { return (b.Buckets-1)/superUnits + 1 }

// allocatedAt returns how many of `units` units are in use, from the bitmaps at an
// address: a bit is 1 if its unit is free.
func allocatedAt(t schemes.Table, label string, at, units uint64) ([]schemes.Bar, error) {
	words, err := host.Read[uint64](t, at, blocksOf(units)*slabBytes/8)
	used := units
	for _, word := range words {
		used -= uint64(bits.OnesCount64(word))
	}
	return host.Parts(units, host.Bar(label, used)), err
}

// pending is the lowest link that is no address: a slab is being allocated, or there is none.
var pending = header.Of("kPending")

// rows returns the contents of a table's buckets: their slabs in order, separated by
// bars, each up to the last item that was used.
func rows(t schemes.Table) ([]schemes.Row, error) {
	b := t.Block()
	var rows []schemes.Row
	for bucket := range b.Buckets {
		row := schemes.Row{Name: fmt.Sprintf("bucket %d", bucket), Cell: "item"}
		for number := bucket; number < pending; {
			at, err := slabAt(t, b, number)
			if err != nil {
				return nil, err
			}
			slab, err := host.Read[byte](t, at, slabBytes)
			if err != nil {
				return nil, err
			}
			if number != bucket {
				row.Cells = append(row.Cells, schemes.Cell{Text: "|"})
			}
			row.At = append(row.At, schemes.Span{At: device.Addr(at), Bytes: slabBytes})
			row.Cells = append(row.Cells, items(at, slab, t.Pair())...)
			number = host.Number(slab[slabBytes-4:])
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// items returns the items of a slab up to the last one that is in use: pairs, keys, x for an erased one.
func items(at uint64, slab []byte, pair schemes.Pair) (cells []schemes.Cell) {
	used := 0
	for item := range slices.Chunk(slab[:itemsOf(pair)*uint64(pair.Bytes())], pair.Bytes()) {
		place := schemes.Span{At: device.Addr(at) + device.Addr(len(cells)*len(item)), Bytes: uint64(len(item))}
		text := pair.SlotText(host.Number(item[:pair.Key]), host.Number(item[pair.Key:]))
		cells = append(cells, schemes.Cell{Text: text, At: []schemes.Span{place}})
		if text != "." {
			used = len(cells)
		}
	}
	return cells[:used]
}

// slabAt returns where the slab with an address is, decoded as kernels do (SlabAlloc::at).
func slabAt(t schemes.Table, b kernels.Table, address uint64) (uint64, error) {
	if isLight(t.Config()) || address < b.Buckets {
		return b.Region[regionBase] + address*slabBytes, nil
	}
	entry, err := host.Read[uint64](t, b.Region[regionState]+8*(address/superUnits), 1)
	if err != nil {
		return 0, err
	}
	return entry[0] + address%superUnits*slabBytes, nil
}
