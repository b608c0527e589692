// Package host is the host side of the scheme dycuckoo (dycuckoo.h).
package host

import (
	"fmt"
	"math/bits"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/schemes"
)

// Functions are what scheme.toml names and cannot express.
var Functions = manifest.Functions{
	Size: size, Setup: setup, Rows: rows, Gauges: gauges,
	Host: map[string]schemes.HostOp{
		"insert": settled((*subtables).insert),
		"upsert": settled((*subtables).upsert),
		"erase":  settled((*subtables).erase),
		"resize": resize,
	},
}

var header = schemes.ReadConstants(schemes.Folders, "dycuckoo/subtables.h")

var (
	mostSubtables = header.Of("most")
	mostBuckets   = header.Of("kOne") // fewer than a place can address
)

// What kernels know of the subtables, in kernels.Table.Arg.
var (
	argChain  = schemes.ReadConstants(schemes.Folders, "dycuckoo/dycuckoo.h").Of("kMaxChain")
	argBase   = header.Of("kBase")
	argLevel  = header.Of("kLevel")  // of the first subtable
	argWeight = header.Of("kWeight") // of the first subtable
)

// bucketOf returns the number of slots of a bucket: 128 bytes of keys.
func bucketOf(p schemes.Pair) uint64 { return 128 / uint64(p.Key) }

// size makes all subtables equal.
func size(c schemes.Config, s schemes.Shape) (schemes.Layout, error) {
	alpha, beta, d := c.Get("alpha"), c.Get("beta"), c.Get("subtables")
	if alpha*(d+1) > beta*d {
		return schemes.Layout{}, fmt.Errorf("alpha is %d: with beta at %d and %d subtables it takes at most %d, or the table would grow and shrink without end",
			alpha, beta, d, beta*d/(d+1))
	}
	slots, err := s.Slots()
	if err != nil {
		return schemes.Layout{}, err
	}
	bucket := bucketOf(s.Pair)
	each := (slots + bucket*uint64(d) - 1) / (bucket * uint64(d))
	if s.Bytes > 0 { // never more memory than allowed
		each = max(1, s.Bytes/uint64(d)/(bucket*uint64(s.Pair.Bytes())+lockBytes))
	}
	base, level := splittable(each, s.Bytes > 0)
	if base<<level >= mostBuckets {
		return schemes.Layout{}, fmt.Errorf("capacity is %d: %d buckets in each of %d subtables, and there is room for fewer than 2^29", slots, each, d)
	}
	l := schemes.Layout{Buckets: base << level * uint64(d)}
	l.Capacity = l.Buckets * bucket
	for i := range uint64(d) {
		l.Regions = append(l.Regions, subtableRegions(i, base<<level, s.Pair)...)
	}
	return l, nil
}

// subtableRegions returns the memory of a subtable: all its keys, then all its values;
// and the locks, which are always on the device.
func subtableRegions(i, buckets uint64, p schemes.Pair) []schemes.Region {
	bytes := buckets * bucketOf(p) * uint64(p.Bytes())
	return []schemes.Region{
		{Name: fmt.Sprintf("subtable %d", i), Bytes: int64(bytes), Fill: 0xff, Table: true},
		{Name: fmt.Sprintf("locks of subtable %d", i), Bytes: int64(buckets * lockBytes)},
	}
}

const lockBytes = 4

// splittable writes a number of buckets as base * 2^level, with the smallest base that
// changes the number by at most 1/400. A subtable can be halved level times.
func splittable(buckets uint64, down bool) (base uint64, level int) {
	for level = bits.Len64(buckets) - 1; level > 0; level-- {
		base = buckets >> level
		if !down && base<<level < buckets {
			base++
		}
		if off := int64(base<<level) - int64(buckets); max(off, -off)*400 <= int64(buckets) {
			return base, level
		}
	}
	return buckets, 0
}

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
func rows(t schemes.Table) (rows []schemes.Row, err error) {
	s := openSubtables(t)
	for i := range s.count() {
		for bucket := range s.buckets(i) {
			row, err := s.row(i, bucket)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// row returns a bucket. All keys of a subtable come before all values.
func (s *subtables) row(subtable, bucket uint64) (schemes.Row, error) {
	p, row := s.pair, schemes.Row{Name: fmt.Sprintf("bucket %d of subtable %d", bucket, subtable)}
	part := func(at, slot uint64, bytes int) schemes.Span {
		return schemes.Span{At: device.Addr(at + slot*uint64(bytes)), Bytes: uint64(bytes)}
	}
	keysAt := s.block.Region[2*subtable]
	valuesAt := keysAt + s.slots(subtable)*uint64(p.Key)
	all := func(at uint64, bytes int) schemes.Span {
		return schemes.Span{At: device.Addr(at + bucket*s.bucket*uint64(bytes)), Bytes: s.bucket * uint64(bytes)}
	}
	row.At = []schemes.Span{all(keysAt, p.Key), all(valuesAt, p.Value)}
	for slot := bucket * s.bucket; slot < (bucket+1)*s.bucket; slot++ {
		key, value := part(keysAt, slot, p.Key), part(valuesAt, slot, p.Value)
		raw, err := host.Read[byte](s.t, uint64(key.At), key.Bytes)
		if err != nil {
			return row, err
		}
		word, err := host.Read[byte](s.t, uint64(value.At), min(value.Bytes, 8))
		if err != nil {
			return row, err
		}
		cell := schemes.Cell{Text: p.SlotText(host.Number(raw), host.Number(word)), At: []schemes.Span{key, value}}
		row.Cells = append(row.Cells, cell)
	}
	return row, nil
}
