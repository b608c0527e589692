package host

import (
	"encoding/binary"
	"fmt"
	"math/bits"

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

// slabsBin is the bin with the slabs of all lists (kernels/slab_look.h).
const slabsBin = 8

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
		bar, err := allocatedAt(t, device.Addr(b.Region[regionBitmaps]), b.Arg[argFirstUnits])
		return []schemes.Bar{bar}, err
	}
	directory := make([]byte, 8*directoryEntries)
	if err := t.Read(directory, device.Addr(b.Region[regionState])); err != nil {
		return nil, err
	}
	first := (b.Buckets-1)/superUnits + 1
	var bars []schemes.Bar
	for i, units := uint64(0), b.Arg[argFirstUnits]; i < b.Arg[argSupers]; i, units = i+1, b.Arg[argFurtherUnits] {
		start := binary.LittleEndian.Uint64(directory[8*(first+i):])
		bar, err := allocatedAt(t, device.Addr(start-blocksOf(units)*slabBytes), units)
		if err != nil {
			return nil, err
		}
		bar.Label = fmt.Sprintf("super block %d", i)
		bars = append(bars, bar)
	}
	return bars, nil
}

// allocatedAt returns how many of `units` units are in use, from the bitmaps at an
// address: a bit is 1 if its unit is free.
func allocatedAt(t schemes.Table, at device.Addr, units uint64) (schemes.Bar, error) {
	words := make([]byte, blocksOf(units)*slabBytes)
	if err := t.Read(words, at); err != nil {
		return schemes.Bar{}, err
	}
	used := units
	for ; len(words) > 0; words = words[8:] {
		used -= uint64(bits.OnesCount64(binary.LittleEndian.Uint64(words)))
	}
	return schemes.Bar{Value: float64(used), Of: float64(units)}, nil
}
