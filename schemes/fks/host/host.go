// Package host is the host side of the scheme fks (fks.h).
package host

import (
	"fmt"

	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/schemes"
)

// Functions are what scheme.toml names and cannot express.
var Functions = manifest.Functions{
	MaxLoad: maxLoad, Size: size, Setup: setup, Gauges: gauges,
	Host: map[string]schemes.HostOp{"insert": insert, "erase": erase, "flush": flush, "resize": resize},
}

func maxLoad(c schemes.Config) float64 {
	_, full := loads(c)
	return 0.0075 * float64(full)
}

var header = schemes.ReadConstants(schemes.Folders, "fks/table.h")

// Positions in kernels.Table.Arg.
var (
	argRegular = header.Of("kRegLoad")
	argFull    = header.Of("kFull")
	argReserve = header.Of("kReserve")
	argDepth   = header.Of("kDepth") // how often the directory was doubled
	argLeast   = argDepth + 1        // the minimum number of roots when the table shrinks
)

// The regions, as layout lists them.
const (
	slotsRegion = iota
	directoryRegion
	headsRegion
	stateRegion
)

// loads returns the percentages to which buckets are filled at first, and at which they
// are full. The maximum is slightly below the load at which nearly all buckets of a few
// hundred slots have a layout; between the two there must be room.
func loads(c schemes.Config) (regular, full uint64) {
	most := map[int64]int64{2: 45, 3: 88, 4: 95}[c.Get("hashes")]
	reg := min(c.Get("reg_load"), most-most/10)
	if full := c.Get("full"); full > 0 {
		return uint64(reg), uint64(min(max(full, reg+1), most))
	}
	return uint64(reg), uint64(min(2*reg, most))
}

// stateBytes is the size of the state before the ring of spares.
var stateBytes = 4 * header.Of("State.words")

func size(c schemes.Config, s schemes.Shape) (schemes.Layout, error) {
	slots, err := s.Slots()
	if err != nil {
		return schemes.Layout{}, err
	}
	per := uint64(c.Get("bucket"))
	buckets := bucketsFor(c, slots)
	if s.Bytes > 0 { // a bucket's head and entries take up to 44 bytes, and its word of the ring more
		buckets = (s.Bytes - min(s.Bytes, stateBytes)) / (per*uint64(s.Pair.Bytes()) + 44)
	}
	buckets = max(buckets, bucketsFor(c, 1))
	return layout(buckets, per, reserveOf(c, buckets), s.Pair)
}

// bucketsFor returns how many buckets have `slots` slots: at least one besides the spares.
func bucketsFor(c schemes.Config, slots uint64) uint64 {
	per := uint64(c.Get("bucket"))
	return max((slots+per-1)/per, uint64(c.Get("reserve"))+1, 3)
}

// reserveOf returns how many of `buckets` buckets are spare. A split takes two.
func reserveOf(c schemes.Config, buckets uint64) uint64 {
	return max(2, uint64(c.Effective("reserve", schemes.Layout{Buckets: buckets})))
}

// layout returns a table of `buckets` buckets, including spares.
func layout(buckets, per, reserve uint64, pair schemes.Pair) (schemes.Layout, error) {
	if buckets*per >= 1<<31 {
		return schemes.Layout{}, fmt.Errorf("capacity is %d: fewer than 2^31 slots can be numbered", buckets*per)
	}
	words := ring(buckets) + 2*buckets // the list of buckets to renew
	return schemes.Layout{
		Regions: []schemes.Region{
			{Name: "slots", Bytes: int64(buckets*per) * int64(pair.Bytes()), Fill: 0xff, Table: true},
			{Name: "directory", Bytes: int64(8 * (buckets - reserve))},
			{Name: "heads", Bytes: int64(16 * buckets)},
			{Name: "state", Bytes: int64(stateBytes + 4*words)},
		},
		Capacity: buckets * per,
		Buckets:  buckets,
	}, nil
}

var gauges = []schemes.Gauge{
	{Name: host.BucketFill.Name, Help: "buckets by the number of pairs they hold, without spare buckets", Unit: host.BucketFill.Unit, Read: bucketFill},
	host.SlotUse,
	{Name: "buckets", Help: "buckets in use, and spare buckets", Unit: "buckets", Read: ofState(func(f *table, s state) []schemes.Bar {
		all, spare := f.Block().Buckets, f.spares(s)
		return host.Parts(all, host.Bar("in use", all-spare), host.Bar("spare", spare))
	})},
	{Name: "renewed", Help: "buckets rehashed, split or merged since the table was created or moved", Unit: "buckets",
		Read: ofState(func(_ *table, s state) []schemes.Bar {
			return []schemes.Bar{host.Bar("rehashed", s.get(rehashed)), host.Bar("split", s.get(halved)), host.Bar("merged", s.get(merged))}
		})},
	{Name: "directory", Help: "entries that lead to buckets", Unit: "entries", Read: ofState(func(f *table, _ state) []schemes.Bar {
		return []schemes.Bar{host.Bar("", f.roots()<<f.Block().Arg[argDepth])}
	})},
}

// ofState makes the reader of a gauge that depends on the table's state.
func ofState(bars func(*table, state) []schemes.Bar) func(schemes.Table) ([]schemes.Bar, error) {
	return func(t schemes.Table) ([]schemes.Bar, error) {
		f := open(t)
		s, err := f.state()
		return bars(f, s), err
	}
}

// bucketFill leaves out the spare buckets, which are empty.
func bucketFill(t schemes.Table) ([]schemes.Bar, error) {
	bars, err := host.BucketFill.Read(t)
	if err != nil {
		return nil, err
	}
	f := open(t)
	s, err := f.state()
	bars[0].Value -= float64(f.spares(s))
	return bars, err
}
