// Package host shows tables of the scheme csr (csr.h).
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

var (
	header    = schemes.ReadConstants(schemes.Folders, "csr/csr.h")
	directory = header.Of("kDirectory")
	values    = header.Of("kValues")
	perBucket = header.Of("kBucket")
)

var gauges = []schemes.Gauge{
	{Name: "directory fill", Help: "buckets of the directory by the number of keys they hold", Unit: "buckets",
		Read: ofDirectory(func(bins []uint64, _ schemes.Table) []schemes.Bar { return host.FillBars(bins, perBucket) })},
	{Name: "keys", Help: "slots of the directory with a key, and unused", Unit: "slots",
		Read: ofDirectory(func(bins []uint64, t schemes.Table) []schemes.Bar {
			return host.UseBars(bins[host.PairsBin], 0, t.Block().Buckets*perBucket)
		})},
	{Name: "pairs of a key", Help: "pairs in the table for each key", Unit: "pairs", Mean: true,
		Read: ofDirectory(func(bins []uint64, t schemes.Table) []schemes.Bar {
			mean := float64(t.Size()) / float64(max(1, bins[host.PairsBin]))
			return []schemes.Bar{{Value: mean}}
		})},
}

// ofDirectory makes the reader of a gauge that counts the keys in the directory.
func ofDirectory(bars func([]uint64, schemes.Table) []schemes.Bar) func(schemes.Table) ([]schemes.Bar, error) {
	return func(t schemes.Table) ([]schemes.Bar, error) {
		b, pair := t.Block(), t.Pair()
		bins, err := host.LookAtSlots(t, kernels.Look{At: b.Region[directory], Slots: b.Buckets * perBucket,
			Stride: uint64(pair.Bytes()), Key: uint64(pair.Key), Bucket: perBucket})
		if err != nil {
			return nil, err
		}
		return bars(bins, t), nil
	}
}

// rows are the buckets of the directory with the first place of each key, then the values.
func rows(t schemes.Table) ([]schemes.Row, error) {
	b, pair := t.Block(), t.Pair()
	all, err := host.Read[byte](t, b.Region[directory], b.Buckets*perBucket*uint64(pair.Bytes()))
	if err != nil {
		return nil, err
	}
	var list []schemes.Row
	for at, raw := b.Region[directory], all; len(raw) > 0; raw = raw[pair.Bytes():] {
		if len(list) == 0 || uint64(len(list[len(list)-1].Cells)) == perBucket {
			bucket := schemes.Span{At: device.Addr(at), Bytes: perBucket * uint64(pair.Bytes())}
			list = append(list, schemes.Row{At: []schemes.Span{bucket}})
		}
		row := &list[len(list)-1]
		text := pair.SlotText(host.Number(raw[:pair.Key]), host.Number(raw[pair.Key:pair.Bytes()]))
		row.Cells = append(row.Cells, schemes.Cell{Text: text, At: []schemes.Span{{At: device.Addr(at), Bytes: uint64(pair.Bytes())}}})
		at += uint64(pair.Bytes())
	}
	own, err := valuesOf(t, b.Region[values])
	return append(list, own), err
}

func valuesOf(t schemes.Table, at uint64) (schemes.Row, error) {
	width, n := uint64(t.Pair().Value), t.Size()
	row := schemes.Row{Name: "values", Cell: "place", At: []schemes.Span{{At: device.Addr(at), Bytes: width * t.Layout().Capacity}}}
	raw, err := host.Read[byte](t, at, n*width)
	for i := range n {
		place := schemes.Span{At: device.Addr(at + i*width), Bytes: width}
		row.Cells = append(row.Cells, schemes.Cell{Text: fmt.Sprint(host.Number(raw[i*width : (i+1)*width])), At: []schemes.Span{place}})
	}
	return row, err
}
