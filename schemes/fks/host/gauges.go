package host

import (
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/schemes"
)

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
