package host

import (
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/schemes"
)

var gauges = []schemes.Gauge{
	{Name: host.BucketFill.Name, Help: "buckets of all subtables by the number of pairs they hold", Unit: host.BucketFill.Unit, Read: fillOfSubtables},
	{Name: "subtables", Help: "pairs in each subtable, and its slots", Unit: "pairs", Read: pairsOfSubtables},
}

func fillOfSubtables(t schemes.Table) ([]schemes.Bar, error) {
	s, sum := openSubtables(t), make([]uint64, host.FillBins)
	for i := range s.count() {
		bins, err := s.look(i)
		if err != nil {
			return nil, err
		}
		for fill := range sum {
			sum[fill] += bins[fill]
		}
	}
	return host.FillBars(sum, s.bucket), nil
}

func pairsOfSubtables(t schemes.Table) ([]schemes.Bar, error) {
	s := openSubtables(t)
	var bars []schemes.Bar
	for i := range s.count() {
		bins, err := s.look(i)
		if err != nil {
			return nil, err
		}
		bars = append(bars, schemes.Bar{Label: fmt.Sprintf("subtable %d", i), Value: float64(bins[host.PairsBin]), Of: float64(s.slots(i))})
	}
	return bars, nil
}

// look counts the pairs in the buckets of a subtable, whose keys are contiguous.
func (s *subtables) look(i int) ([]uint64, error) {
	key := uint64(s.pair.Key)
	return host.LookAtSlots(s.t, kernels.Look{At: uint64(s.at(i)), Slots: s.slots(i), Stride: key, Key: key, Bucket: s.bucket})
}
