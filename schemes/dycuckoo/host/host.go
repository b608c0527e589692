// Package host shows tables of the scheme dycuckoo (dycuckoo.h).
package host

import (
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/schemes"
)

// Functions are what scheme.toml names and cannot express.
var Functions = manifest.Functions{
	Rows: rows, Gauges: gauges,
}

var header = schemes.ReadConstants(schemes.Folders, "dycuckoo/subtables.h")

var (
	bucketPairs    = header.Of("kBucketPairs")    // whole pairs in a bucket
	bucketKeyBytes = header.Of("kBucketKeyBytes") // bytes of keys in a bucket of pairs apart
)

// What kernels know of the subtables, in kernels.Table.Arg.
var (
	argBase  = header.Of("kBase")
	argLevel = header.Of("kLevel") // of the first subtable

)

// storage is how a subtable stores its pairs: whole, slot after slot, or all keys and then all values.
type storage struct {
	pair  schemes.Pair
	whole bool
}

func storageOf(c schemes.Config, p schemes.Pair) storage {
	return storage{p, c.For(p).Settings()["pairs"] == "whole"}
}

// slot returns the distance from one key to the next.
func (s storage) slot() uint64 {
	if s.whole {
		return uint64(s.pair.Bytes())
	}
	return uint64(s.pair.Key)
}

// bucket returns the number of slots of a bucket.
func (s storage) bucket() uint64 {
	if s.whole {
		return bucketPairs
	}
	return bucketKeyBytes / s.slot()
}

// at returns where a slot of a subtable of n slots is: its key, and its value.
func (s storage) at(subtable, n, slot uint64) (key, value schemes.Span) {
	key = schemes.Span{At: device.Addr(subtable + slot*s.slot()), Bytes: uint64(s.pair.Key)}
	value = schemes.Span{At: key.At + device.Addr(s.pair.Key), Bytes: uint64(s.pair.Value)}
	if !s.whole {
		value.At = device.Addr(subtable + n*s.slot() + slot*value.Bytes)
	}
	return key, value
}

var gauges = []schemes.Gauge{
	{Name: host.BucketFill.Name, Help: "buckets of all subtables by the number of pairs they hold", Unit: host.BucketFill.Unit, Read: fillOfSubtables},
	{Name: "subtables", Help: "pairs in each subtable, and its slots", Unit: "pairs", Even: true, Read: pairsOfSubtables},
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

// look counts the pairs in the buckets of each subtable.
func (s *subtables) look(f func(i uint64, bins []uint64)) error {
	for i := range s.count() {
		bins, err := host.LookAtSlots(s.t, kernels.Look{At: s.block.Region[2*i], Slots: s.slots(i),
			Stride: s.kept.slot(), Key: uint64(s.pair.Key), Bucket: s.bucket})
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

// row returns a bucket: its pairs, or its keys and its values.
func (s *subtables) row(subtable, bucket uint64) (schemes.Row, error) {
	row := schemes.Row{Name: fmt.Sprintf("bucket %d of subtable %d", bucket, subtable)}
	for slot := bucket * s.bucket; slot < (bucket+1)*s.bucket; slot++ {
		key, value := s.kept.at(s.block.Region[2*subtable], s.slots(subtable), slot)
		if slot == bucket*s.bucket {
			row.At = s.kept.extent(key, value)
		}
		raw, err := host.Read[byte](s.t, uint64(key.At), key.Bytes)
		if err != nil {
			return row, err
		}
		word, err := host.Read[byte](s.t, uint64(value.At), min(value.Bytes, 8))
		if err != nil {
			return row, err
		}
		cell := schemes.Cell{Text: s.pair.SlotText(host.Number(raw), host.Number(word)), At: []schemes.Span{key, value}}
		row.Cells = append(row.Cells, cell)
	}
	return row, nil
}

// extent returns the memory of a bucket whose first key and value are given.
func (s storage) extent(key, value schemes.Span) []schemes.Span {
	first := schemes.Span{At: key.At, Bytes: s.bucket() * s.slot()}
	if s.whole {
		return []schemes.Span{first}
	}
	return []schemes.Span{first, {At: value.At, Bytes: s.bucket() * value.Bytes}}
}

// subtables is a table whose subtables are looked at.
type subtables struct {
	t      schemes.Table
	block  kernels.Table
	pair   schemes.Pair
	kept   storage
	bucket uint64 // slots per bucket
}

func openSubtables(t schemes.Table) *subtables {
	kept := storageOf(t.Config(), t.Pair())
	return &subtables{t: t, block: t.Block(), pair: t.Pair(), kept: kept, bucket: kept.bucket()}
}

func (s *subtables) count() uint64           { return uint64(s.block.Hashes) }
func (s *subtables) buckets(i uint64) uint64 { return s.block.Arg[argBase] << s.block.Arg[argLevel+i] }
func (s *subtables) slots(i uint64) uint64   { return s.buckets(i) * s.bucket }
