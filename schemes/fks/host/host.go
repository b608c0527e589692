// Package host shows tables of the scheme fks (fks.h).
package host

import (
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/schemes"
)

// Functions are what scheme.toml names and cannot express.
var Functions = manifest.Functions{Gauges: gauges}

var header = schemes.ReadConstants(schemes.Folders, "fks/table.h")

// Positions in kernels.Table.Arg.
var (
	argReserve = header.Of("kReserve")
	argDepth   = header.Of("kDepth") // how often the directory was doubled
)

// The regions, as layout lists them.
const (
	slotsRegion = iota
	directoryRegion
	headsRegion
	stateRegion
)

// stateBytes is the size of the state before the ring of spares.
var stateBytes = 4 * header.Of("State.words")

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
		f := &table{t}
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
	f := &table{t}
	s, err := f.state()
	bars[0].Value -= float64(f.spares(s))
	return bars, err
}

// table is a table whose state is looked at.
type table struct{ schemes.Table }

func (f *table) roots() uint64 {
	b := f.Block()
	return b.Buckets - b.Arg[argReserve]
}

// state is what the kernels report: the words of State in table.h.
type state []uint32

// The words of a state that gauges show.
var (
	popped, pushed           = header.Of("State.popped"), header.Of("State.pushed")
	rehashed, halved, merged = header.Of("State.rehashed"), header.Of("State.halved"), header.Of("State.merged")
)

func (s state) get(word uint64) uint64 { return uint64(s[word]) }

func (f *table) state() (state, error) {
	return host.Read[uint32](f, f.Block().Region[stateRegion], stateBytes/4)
}

// spares returns the number of spare buckets. The counters wrap around.
func (f *table) spares(s state) uint64 {
	return uint64(uint32(f.Block().Arg[argReserve]) + s[pushed] - s[popped])
}
