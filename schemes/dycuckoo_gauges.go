package schemes

import (
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
)

var subtableGauges = []Gauge{
	{Name: bucketFill.Name, Help: "buckets of all subtables by how many pairs they hold", Unit: bucketFill.Unit, Read: fillOfSubtables},
	{Name: "subtables", Help: "pairs in each subtable, of its slots", Unit: "pairs", Read: pairsOfSubtables},
}

func fillOfSubtables(t Table) ([]Bar, error) {
	s, sum := openSubtables(t), make([]uint64, fillBins)
	for i := range s.count() {
		bins, err := s.look(i)
		if err != nil {
			return nil, err
		}
		for fill := range sum {
			sum[fill] += bins[fill]
		}
	}
	return fillBars(sum, s.bucket), nil
}

func pairsOfSubtables(t Table) ([]Bar, error) {
	s := openSubtables(t)
	var bars []Bar
	for i := range s.count() {
		bins, err := s.look(i)
		if err != nil {
			return nil, err
		}
		bars = append(bars, Bar{fmt.Sprintf("subtable %d", i), float64(bins[pairsBin]), float64(s.slots(i))})
	}
	return bars, nil
}

// look counts the pairs in the buckets of a subtable, whose keys lie by themselves.
func (s *subtables) look(i int) ([]uint64, error) {
	key := uint64(s.pair.Key)
	return lookAtSlots(s.t, kernels.Look{At: uint64(s.at(i)), Slots: s.slots(i), Stride: key, Key: key, Bucket: s.bucket})
}
