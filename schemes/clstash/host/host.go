// Package host is the host side of the scheme clstash (clstash.h).
package host

import (
	"math"

	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/schemes"
)

// Functions are what scheme.toml names and cannot express.
var Functions = manifest.Functions{Host: map[string]schemes.HostOp{"hybrid": hybrid}}

// hybrid splits a batch at the point where the table reaches the threshold: up to it, inserts
// do not collaborate.
func hybrid(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	limit := uint64(math.Ceil(float64(t.Config().Get("threshold")) / 100 * float64(t.Layout().Capacity)))
	if t.Size() >= limit {
		return host.UntilFull(t, b)
	}
	first := b
	first.Op, first.N = "alone_insert", min(b.N, limit-t.Size())
	done, err := t.Launch(first)
	if err != nil || first.N == b.N {
		return done, err
	}
	more, err := host.LaunchUntilFull(t, host.Rest(b, t.Pair(), first.N), t.Size()+b.N)
	if err != nil {
		return more, err
	}
	more.Counts.Add(done.Counts)
	more.Batch = b
	return more, nil
}
