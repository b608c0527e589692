package host

import (
	"fmt"
	"math/bits"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
)

// Gauges of tables that are an array of slots in buckets, or lists.

// lookWidth is the number of slots that a kernel examines together, FillBins the number
// of bins for buckets by their pairs.
const (
	lookWidth = 32
	FillBins  = lookWidth + 1
)

var look = schemes.ReadConstants(kernels.Headers, "look.h")

// ErasedBin and PairsBin are the bins of slots with an erased pair and with a pair.
var ErasedBin, PairsBin = look.Of("kErasedBin"), look.Of("kPairsBin")

var (
	BucketFill = slotGauge("bucket fill", "buckets by the number of pairs they hold", "buckets",
		func(bins []uint64, where kernels.Look) []schemes.Bar { return FillBars(bins, where.Bucket) })
	SlotUse = slotGauge("slots", "slots with a pair, with an erased pair, and never used", "slots",
		func(bins []uint64, where kernels.Look) []schemes.Bar {
			return UseBars(bins[PairsBin], bins[ErasedBin], where.Slots)
		})
)

// Gauges are the gauges that a manifest can name: for arrays of slots, and for ticket boards.
var Gauges = []schemes.Gauge{BucketFill, SlotUse, tickets, longestWalk}

func slotGauge(name, help, unit string, bars func([]uint64, kernels.Look) []schemes.Bar) schemes.Gauge {
	return schemes.Gauge{Name: name, Help: help, Unit: unit, Fits: isSlotArray, Read: func(t schemes.Table) ([]schemes.Bar, error) {
		where := slotArray(t)
		bins, err := LookAtSlots(t, where)
		if err != nil {
			return nil, err
		}
		return bars(bins, where), nil
	}}
}

// isSlotArray returns why the first region is not an array of slots.
func isSlotArray(_ schemes.Config, l schemes.Layout, p schemes.Pair) error {
	bucket := l.Capacity / l.Buckets
	switch {
	case l.Capacity%l.Buckets != 0 || bits.OnesCount64(bucket) != 1:
		return fmt.Errorf("%d slots in %d buckets: buckets take the same power of two of slots each", l.Capacity, l.Buckets)
	case p.SlotBytes() != uint64(p.Bytes()):
		return fmt.Errorf("pairs %s take %d bytes in an array, not %d", p, p.SlotBytes(), p.Bytes())
	case len(l.Regions) == 0 || uint64(l.Regions[0].Bytes) < l.Capacity*uint64(p.Bytes()):
		return fmt.Errorf("%d slots of %d bytes: the first region is smaller", l.Capacity, p.Bytes())
	}
	return nil
}

func slotArray(t schemes.Table) kernels.Look {
	l, p := t.Layout(), t.Pair()
	return kernels.Look{At: t.Block().Region[0], Slots: l.Capacity, Stride: uint64(p.Bytes()), Key: uint64(p.Key),
		Bucket: l.Capacity / l.Buckets}
}

// LookAtSlots counts the pairs in each bucket of an array.
func LookAtSlots(t schemes.Table, where kernels.Look) ([]uint64, error) {
	row := max(where.Bucket, lookWidth)
	return t.Look("hz_look_buckets", (where.Slots+row-1)/row, where)
}

// FillBars returns a bar for each number of pairs that a bucket may hold; large buckets share bars.
func FillBars(bins []uint64, bucket uint64) []schemes.Bar {
	step := max(1, bucket/lookWidth)
	bars := []schemes.Bar{Bar("0", bins[0])}
	for i := uint64(1); i <= bucket/step; i++ {
		label := fmt.Sprint(i)
		if step > 1 {
			label = fmt.Sprintf("%d-%d", (i-1)*step+1, i*step)
		}
		bars = append(bars, Bar(label, bins[i]))
	}
	return bars
}

// UseBars returns bars for how the places for pairs are used.
func UseBars(pairs, erased, all uint64) []schemes.Bar {
	return Parts(all, Bar("pairs", pairs), Bar("erased", erased), Bar("unused", all-pairs-erased))
}

// Bar returns a bar for a count.
func Bar(label string, n uint64) schemes.Bar { return schemes.Bar{Label: label, Value: float64(n)} }

// Parts returns bars that are parts of a whole.
func Parts(whole uint64, bars ...schemes.Bar) []schemes.Bar {
	for i := range bars {
		bars[i].Of = float64(whole)
	}
	return bars
}

// Lengths returns a reader of a kernel that counts lists by length, with bars from length 0 or 1 on.
func Lengths(look func(schemes.Table) ([]uint64, error), from int) func(schemes.Table) ([]schemes.Bar, error) {
	return func(t schemes.Table) ([]schemes.Bar, error) {
		bins, err := look(t)
		if err != nil {
			return nil, err
		}
		var bars []schemes.Bar
		for i, label := range append([]string{"0"}, schemes.LengthLabels...)[from:] {
			bars = append(bars, Bar(label, bins[from+i]))
		}
		return bars, nil
	}
}
