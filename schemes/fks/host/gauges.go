package host

import (
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/schemes"
)

var gauges = []schemes.Gauge{
	{Name: host.BucketFill.Name, Help: "buckets by the number of pairs they hold, without spare buckets", Unit: host.BucketFill.Unit, Read: bucketFill},
	host.SlotUse,
	{Name: "buckets", Help: "buckets in use, and spare buckets", Unit: "buckets", Read: inUse},
	{Name: "renewed", Help: "buckets rehashed, split or merged since the table was created or moved",
		Unit: "buckets", Read: renewed},
	{Name: "directory", Help: "entries that lead to buckets", Unit: "entries", Read: entries},
}

// bucketFill leaves out the spare buckets, which are empty.
func bucketFill(t schemes.Table) ([]schemes.Bar, error) {
	f := open(t)
	bars, err := host.BucketFill.Read(t)
	if err != nil {
		return nil, err
	}
	s, err := f.state()
	if err != nil {
		return nil, err
	}
	bars[0].Value -= float64(f.spares(s))
	return bars, nil
}

func inUse(t schemes.Table) ([]schemes.Bar, error) {
	f := open(t)
	s, err := f.state()
	if err != nil {
		return nil, err
	}
	all, spare := f.Block().Buckets, f.spares(s)
	return host.Parts(all, host.Bar("in use", all-spare), host.Bar("spare", spare)), nil
}

func renewed(t schemes.Table) ([]schemes.Bar, error) {
	s, err := open(t).state()
	return []schemes.Bar{host.Bar("rehashed", s.get(rehashed)), host.Bar("split", s.get(halved)), host.Bar("merged", s.get(merged))}, err
}

func entries(t schemes.Table) ([]schemes.Bar, error) {
	f := open(t)
	return []schemes.Bar{host.Bar("", f.roots()<<f.Block().Arg[argDepth])}, nil
}
