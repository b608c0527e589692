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
	err := s.look(func(_ uint64, bins []uint64) {
		for fill := range sum {
			sum[fill] += bins[fill]
		}
	})
	return host.FillBars(sum, s.bucket), err
}

func pairsOfSubtables(t schemes.Table) (bars []schemes.Bar, err error) {
	s := openSubtables(t)
	err = s.look(func(i uint64, bins []uint64) {
		bars = append(bars, host.Parts(s.slots(i), host.Bar(fmt.Sprintf("subtable %d", i), bins[host.PairsBin]))...)
	})
	return bars, err
}

// look counts the pairs in the buckets of each subtable, whose keys are contiguous.
func (s *subtables) look(f func(i uint64, bins []uint64)) error {
	key := uint64(s.pair.Key)
	for i := range s.count() {
		bins, err := host.LookAtSlots(s.t, kernels.Look{At: s.block.Region[2*i], Slots: s.slots(i), Stride: key, Key: key, Bucket: s.bucket})
		if err != nil {
			return err
		}
		f(i, bins)
	}
	return nil
}

// rows returns the buckets as vectors show them, those of subtable 0 first.
func rows(t schemes.Table) (rows [][]string, err error) {
	s := openSubtables(t)
	for i := range s.count() {
		raw, err := host.Read[byte](t, s.block.Region[2*i], s.slots(i)*uint64(s.pair.Bytes()))
		if err != nil {
			return nil, err
		}
		keys := int(s.slots(i)) * s.pair.Key // all keys come before all values
		for bucket := range s.buckets(i) {
			from := int(bucket * s.bucket)
			rows = append(rows, s.row(raw[from*s.pair.Key:], raw[keys+from*s.pair.Value:]))
		}
	}
	return rows, nil
}

// row returns a bucket. Most slots are unused in small tables, so a run of them is one word.
func (s *subtables) row(keys, values []byte) (row []string) {
	p, unused := s.pair, 0
	end := func() {
		if unused == 1 {
			row = append(row, ".")
		} else if unused > 1 {
			row = append(row, fmt.Sprintf(".*%d", unused))
		}
		unused = 0
	}
	for slot := range int(s.bucket) {
		value := values[slot*p.Value:]
		text := p.SlotText(host.Number(keys[slot*p.Key:][:p.Key]), host.Number(value[:min(p.Value, 8)]))
		if text == "." {
			unused++
			continue
		}
		end()
		row = append(row, text)
	}
	end()
	return row
}
