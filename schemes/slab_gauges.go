package schemes

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

var slabGauges = []Gauge{
	{Name: "slabs per bucket", Help: "buckets by how many slabs their lists have", Unit: "buckets", Read: lengths(slabLook, 1)},
	{Name: "items", Help: "items of all slabs in lists: those that hold a pair, that were erased, and that were never used",
		Unit: "items", Read: slabUse},
	{Name: "allocated", Help: "units that the allocator has handed out, of those in each super block", Unit: "slabs", Read: slabUnits},
}

// slabLook goes over all lists.
func slabLook(t Table) ([]uint64, error) {
	kernel := "hz_look_slabs_super"
	if slabIsLight(t.Config()) {
		kernel = "hz_look_slabs_light"
	}
	return t.Look(kernel, t.Block().Buckets, kernels.Look{Stride: uint64(t.Pair().Bytes())})
}

// slabsBin is where the kernel counts the slabs of all lists (kernels/slab_look.h).
const slabsBin = 8

func slabUse(t Table) ([]Bar, error) {
	bins, err := slabLook(t)
	if err != nil {
		return nil, err
	}
	return useBars(bins[pairsBin], bins[erasedBin], bins[slabsBin]*slabItems(t.Pair())), nil
}

// slabUnits counts in the bitmaps, which are a thousandth of the slabs.
func slabUnits(t Table) ([]Bar, error) {
	b := t.Block()
	if slabIsLight(t.Config()) {
		bar, err := slabUnitsAt(t, device.Addr(b.Region[slabBitmaps]), b.Arg[slabFirstUnits])
		return []Bar{bar}, err
	}
	directory := make([]byte, 8*slabDirectory)
	if err := t.Read(directory, device.Addr(b.Region[slabState])); err != nil {
		return nil, err
	}
	first := (b.Buckets-1)/slabSuperUnits + 1
	var bars []Bar
	for i, units := uint64(0), b.Arg[slabFirstUnits]; i < b.Arg[slabSupers]; i, units = i+1, b.Arg[slabFurtherUnits] {
		start := binary.LittleEndian.Uint64(directory[8*(first+i):])
		bar, err := slabUnitsAt(t, device.Addr(start-slabBlocks(units)*slabBytes), units)
		if err != nil {
			return nil, err
		}
		bar.Label = fmt.Sprintf("super block %d", i)
		bars = append(bars, bar)
	}
	return bars, nil
}

// slabUnitsAt is how many of so many units are in use, by the bitmaps at an address: a
// bit is 1 if its unit is free.
func slabUnitsAt(t Table, at device.Addr, units uint64) (Bar, error) {
	words := make([]byte, slabBlocks(units)*slabBytes)
	if err := t.Read(words, at); err != nil {
		return Bar{}, err
	}
	used := units
	for ; len(words) > 0; words = words[8:] {
		used -= uint64(bits.OnesCount64(binary.LittleEndian.Uint64(words)))
	}
	return Bar{Value: float64(used), Of: float64(units)}, nil
}
