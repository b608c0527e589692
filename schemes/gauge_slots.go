package schemes

import (
	"fmt"
	"math/bits"

	"github.com/hashzoo/hashzoo/kernels"
)

// Gauges of tables that are an array of slots in buckets.

// lookWidth is how many slots a kernel looks at together, and fillBins how many bins there
// are for buckets by their pairs; where the bins of slots are (kernels/look.h).
const (
	lookWidth = 32
	fillBins  = lookWidth + 1
	erasedBin = 33
	pairsBin  = 34
)

var (
	bucketFill = Gauge{Name: "bucket fill", Help: "buckets by how many pairs they hold", Unit: "buckets",
		Read: func(t Table) ([]Bar, error) {
			where := slotArray(t)
			bins, err := lookAtSlots(t, where)
			if err != nil {
				return nil, err
			}
			return fillBars(bins, where.Bucket), nil
		}, Fits: isSlotArray}
	slotUse = Gauge{Name: "slots", Help: "slots that hold a pair, whose pair was erased, and that were never used", Unit: "slots",
		Read: func(t Table) ([]Bar, error) {
			where := slotArray(t)
			bins, err := lookAtSlots(t, where)
			if err != nil {
				return nil, err
			}
			return useBars(bins[pairsBin], bins[erasedBin], where.Slots), nil
		}, Fits: isSlotArray}

	// SlotGauges are those of any table whose first region is one array of slots.
	SlotGauges = []Gauge{bucketFill, slotUse}
)

// isSlotArray says why the first region cannot be looked at as slotArray says.
func isSlotArray(_ Config, l Layout, p Pair) error {
	bucket := l.Capacity / l.Buckets
	switch {
	case l.Capacity%l.Buckets != 0 || bits.OnesCount64(bucket) != 1:
		return fmt.Errorf("%d slots in %d buckets: buckets take the same power of two of slots each", l.Capacity, l.Buckets)
	case slotBytes(p) != uint64(p.Bytes()):
		return fmt.Errorf("pairs %s take %d bytes in an array, not %d", p, slotBytes(p), p.Bytes())
	case len(l.Regions) == 0 || uint64(l.Regions[0].Bytes) < l.Capacity*uint64(p.Bytes()):
		return fmt.Errorf("%d slots of %d bytes: the first region is smaller", l.Capacity, p.Bytes())
	}
	return nil
}

// slotArray is the first region as one array of slots, in buckets that are all alike.
func slotArray(t Table) kernels.Look {
	l, p := t.Layout(), t.Pair()
	return kernels.Look{At: t.Block().Region[0], Slots: l.Capacity, Stride: uint64(p.Bytes()), Key: uint64(p.Key),
		Bucket: l.Capacity / l.Buckets}
}

// lookAtSlots counts the pairs in each bucket of an array.
func lookAtSlots(t Table, where kernels.Look) ([]uint64, error) {
	row := max(where.Bucket, lookWidth)
	return t.Look("hz_look_buckets", (where.Slots+row-1)/row, where)
}

// fillBars has a bar for each number of pairs that a bucket may hold; of large buckets for
// as many numbers as share a bin.
func fillBars(bins []uint64, bucket uint64) []Bar {
	step := max(1, bucket/lookWidth)
	bars := []Bar{{Label: "0", Value: float64(bins[0])}}
	for i := uint64(1); i <= bucket/step; i++ {
		label := fmt.Sprint(i)
		if step > 1 {
			label = fmt.Sprintf("%d-%d", (i-1)*step+1, i*step)
		}
		bars = append(bars, Bar{Label: label, Value: float64(bins[i])})
	}
	return bars
}

// useBars say what places for pairs are used for.
func useBars(pairs, erased, all uint64) []Bar {
	return parts(all, Bar{Label: "pairs", Value: float64(pairs)}, Bar{Label: "erased", Value: float64(erased)},
		Bar{Label: "unused", Value: float64(all - pairs - erased)})
}

// parts are bars that are parts of a whole.
func parts(whole uint64, bars ...Bar) []Bar {
	for i := range bars {
		bars[i].Of = float64(whole)
	}
	return bars
}
